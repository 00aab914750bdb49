"""The fold: applies each event to the state, and returns the changes.

`replay_events` rebuilds the state that the live connection had: events are its only input.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from acp_tui.protocol.config_options import SetConfigOptionParams, SetModelParams, SetModeParams
from acp_tui.protocol.events import (
    Abandoned,
    AnswerGiven,
    ClientNotice,
    Event,
    LimitReached,
    NotSent,
    OwnFault,
    Ruled,
    RulesChanged,
    SignedIn,
    TimedOut,
)
from acp_tui.protocol.file_events import (
    AccessAnswered,
    AccessAsked,
    BackupDropped,
    EditCompared,
    EditLooked,
    FilesChanged,
    FileWritten,
    TurnCompared,
    UnapprovedChange,
    UndoRefused,
    WriteUndone,
)
from acp_tui.protocol.frames import Direction, Origin
from acp_tui.protocol.gate_events import (
    BreakpointSet,
    FaultInjected,
    FaultSet,
    FrameDelayed,
    FrameHeld,
    FrameReleased,
)
from acp_tui.protocol.process_events import (
    LineUnfinished,
    Negotiating,
    OutputOmitted,
    OwnCommandRan,
    RestartStopped,
    TerminalExited,
    TerminalOutput,
)
from acp_tui.protocol.setup import PromptParams, SessionParams
from acp_tui.protocol.wire_events import Aside, Notified, Requested, Responded, Stray, Unreadable
from acp_tui.state import authentication, elicitations
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.reducers import (
    calls,
    file_writes,
    interception,
    notices,
    permissions,
    process,
    subagents,
    terminals,
    transcript,
    turns,
    updates,
)
from acp_tui.state.reducers.calls import on_not_sent, on_requested, on_responded
from acp_tui.state.session import Session
from acp_tui.state.state import State


def replay_events(events: Iterable[Event]) -> State:
    """Return the state after these events."""
    state = State()
    for event in events:
        apply_event(state, event)
    return state


def apply_event(state: State, event: Event) -> list[Change]:
    """Apply an event to the state; return the changes that views must draw."""
    if state.began is None:
        state.began = event.at
    if _from_agent(event):
        state.last_received = event.at
    changes = _reduce_event(state, event)
    return [*changes, *subagents.lines_changed(state, changes)]


def _reduce_event(state: State, event: Event) -> list[Change]:
    if isinstance(event, Notified | Requested | Responded):
        return _message(state, event)
    if isinstance(event, Aside):
        return interception.apply_aside(state, event)
    if isinstance(event, Unreadable):
        return process.on_unreadable(state, event)
    if isinstance(event, Stray):
        return []  # the lint reports stray responses
    reduce: Callable[[State, Any], list[Change]] = REDUCERS.get(
        type(event), process.apply_process_event
    )
    return reduce(state, event)


def _message(state: State, event: Notified | Requested | Responded) -> list[Change]:
    match event:
        case Notified(direction=Direction.IN, method="elicitation/complete"):
            return elicitations.on_completed(state, event)
        case Notified(direction=Direction.IN):
            return updates.on_notified(state, event)
        case Notified(by=Origin.HAND):
            return _notified_by_hand(state, event)
        case Notified():
            return turns.on_client_notified(state, event)
        case Requested(direction=Direction.IN):
            return [
                *permissions.on_requested(state, event),
                *elicitations.on_requested(state, event),
            ]
        case Requested(by=Origin.HAND):
            return _requested_by_hand(state, event)
        case Requested():
            return on_requested(state, event)
        case Responded(direction=Direction.IN, request=Requested(by=Origin.HAND)):
            return _answered_by_hand(state, event)
        case Responded(direction=Direction.IN):
            return on_responded(state, event)
    return [
        *permissions.on_responded(state, event),
        *elicitations.on_responded(state, event),
        *terminals.on_responded(state, event),
    ]


REDUCERS: Mapping[type, Callable[[State, Any], list[Change]]] = {
    TerminalOutput: terminals.apply_terminal_event,
    OutputOmitted: terminals.apply_terminal_event,
    TerminalExited: terminals.apply_terminal_event,
    OwnCommandRan: terminals.add_own_command,
    AccessAsked: permissions.on_access,
    AccessAnswered: permissions.on_access,
    AnswerGiven: permissions.apply_answer,
    FilesChanged: permissions.on_access,
    EditLooked: file_writes.apply_comparison,
    EditCompared: file_writes.apply_comparison,
    UnapprovedChange: notices.apply_notice,
    TurnCompared: transcript.apply_folder_comparison,
    FileWritten: file_writes.apply_file_write,
    WriteUndone: file_writes.apply_file_write,
    UndoRefused: file_writes.apply_file_write,
    BackupDropped: file_writes.apply_file_write,
    RulesChanged: permissions.apply_rules,
    Ruled: permissions.apply_rules,
    ClientNotice: notices.apply_notice,
    OwnFault: notices.apply_notice,
    LimitReached: notices.apply_notice,
    SignedIn: authentication.on_program_ended,
    TimedOut: calls.apply_timeout,
    Abandoned: calls.apply_timeout,
    NotSent: on_not_sent,
    Negotiating: process.on_negotiating,
    RestartStopped: process.on_restart_stopped,
    LineUnfinished: process.on_unfinished,
    BreakpointSet: interception.apply_held,
    FrameHeld: interception.apply_held,
    FrameDelayed: interception.apply_held,
    FrameReleased: interception.apply_held,
    FaultSet: interception.apply_held,
    FaultInjected: interception.apply_held,
}
"""Reducers of events other than messages; all other events go to `process.apply_process_event`."""


def _from_agent(event: Event) -> bool:
    """Return whether an event shows that the agent is alive: it sent something, or got a response
    that it may have waited for.
    """
    if isinstance(event, Responded):
        return True
    wire = (Notified, Requested, Stray, Unreadable, Aside)
    return isinstance(event, wire) and event.direction is Direction.IN


# Messages that the user wrote by hand are applied if their meaning doesn't depend on who sent them:
# a turn begun or canceled in an open session, a canceled request, an option that was set. Sessions
# opened, closed or deleted by hand are ignored, since the client knows only half of their state.
_Option = SetModeParams | SetModelParams | SetConfigOptionParams


def _requested_by_hand(state: State, event: Requested) -> list[Change]:
    """Apply a prompt if no turn is running, or a set option; of other requests record only the id."""
    state.peer.hand_ids.add(event.id)
    session = _open_session(state, event)
    taken = isinstance(event.params, PromptParams | _Option)
    if session is None or not taken or _is_in_use(state, event):
        return []
    if isinstance(event.params, PromptParams) and session.turn is not None:
        return []
    return on_requested(state, event)


def _open_session(state: State, event: Requested | Notified) -> Session | None:
    session = state.sessions.get(getattr(event.params, "session_id", ""))
    return session if session is not None and session.opened else None


def _is_in_use(state: State, event: Requested) -> bool:
    """Return whether one of our pending requests has the same id: it gets the first response."""
    return any(call.id == event.id for call in state.calls.values())


def _answered_by_hand(state: State, event: Responded) -> list[Change]:
    """Apply the response to a request that was applied; an error only ends the turn that it began."""
    waited = state.calls.pop(event.request.number, None) is not None
    state.cancelled_calls.pop(event.request.number, None)
    if not waited:
        return []
    params = event.request.params
    if isinstance(params, PromptParams):
        return [ScreenChanged(), *turns.on_responded(state.session(params.session_id), event)]
    return [ScreenChanged(), *calls.apply_result(state, event)] if event.result is not None else []


def _notified_by_hand(state: State, event: Notified) -> list[Change]:
    """Apply the cancellation of a running turn or request."""
    if isinstance(event.params, SessionParams) and _open_session(state, event) is None:
        return []
    return turns.on_client_notified(state, event)
