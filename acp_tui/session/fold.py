"""The fold: an event and the state it meets give the next state and what moved.

`replay(events)` gives the same state as the live connection had: events are the only input.
"""

from collections.abc import Iterable

from acp_tui.protocol.events import (
    Abandoned,
    AccessAnswered,
    AccessAsked,
    BackupDropped,
    ClientNotice,
    EditCompared,
    EditLooked,
    Event,
    FilesChanged,
    FileWritten,
    Notified,
    OutputOmitted,
    OwnFault,
    Requested,
    Responded,
    Ruled,
    RulesChanged,
    SignedIn,
    Stray,
    TerminalExited,
    TerminalOutput,
    TimedOut,
    UndoRefused,
    Unreadable,
    WriteUndone,
)
from acp_tui.protocol.frames import Direction
from acp_tui.session import authentication, edit_facts, elicitations, notices, timeouts
from acp_tui.session.changes import Change
from acp_tui.session.reducers import (
    file_writes,
    permissions,
    process,
    rules,
    terminals,
    turns,
    updates,
)
from acp_tui.session.reducers.calls import on_requested, on_responded
from acp_tui.session.state import State


def replay(events: Iterable[Event]) -> State:
    """The state after all these events."""
    state = State()
    for event in events:
        apply(state, event)
    return state


def apply(state: State, event: Event) -> list[Change]:
    """Take one event into the state; tell what moved."""
    if _from_agent(event):
        state.heard = event.at
    return _apply(state, event)


def _apply(state: State, event: Event) -> list[Change]:
    match event:
        case Notified(direction=Direction.IN, method="elicitation/complete"):
            return elicitations.on_completed(state, event)
        case Notified(direction=Direction.IN):
            return updates.on_notified(state, event)
        case Notified():
            return turns.on_client_notified(state, event)
        case Requested(direction=Direction.IN):
            return [
                *permissions.on_requested(state, event),
                *elicitations.on_requested(state, event),
            ]
        case Requested():
            return on_requested(state, event)
        case Responded(direction=Direction.IN):
            return on_responded(state, event)
        case Responded():
            return [
                *permissions.on_responded(state, event),
                *elicitations.on_responded(state, event),
                *terminals.on_responded(state, event),
            ]
        case Unreadable() | Stray():
            return []  # what is wrong on the wire is found in the log
        case TerminalOutput() | OutputOmitted() | TerminalExited():
            return terminals.apply(state, event)
        case AccessAsked() | AccessAnswered() | FilesChanged() | EditLooked() | EditCompared():
            return _asked(state, event)
        case FileWritten() | WriteUndone() | UndoRefused() | BackupDropped():
            return file_writes.apply(state, event)
        case RulesChanged() | Ruled():
            return rules.apply(state, event)
        case ClientNotice() | OwnFault():
            return notices.happened(state, event)
        case SignedIn():
            return authentication.program_ended(state, event)
        case TimedOut() | Abandoned():
            return timeouts.ended(state, event)
    return process.apply(state, event)


def _asked(
    state: State, event: AccessAsked | AccessAnswered | FilesChanged | EditLooked | EditCompared
) -> list[Change]:
    """What belongs to a question about files."""
    if isinstance(event, EditLooked | EditCompared):
        return edit_facts.apply(state, event)
    return permissions.on_access(state, event)


def _from_agent(event: Event) -> bool:
    """Whether the agent spoke, or got an answer, which it may have waited for."""
    if isinstance(event, Responded):
        return True
    wire = (Notified, Requested, Stray, Unreadable)
    return isinstance(event, wire) and event.direction is Direction.IN
