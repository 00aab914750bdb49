"""`session/update` of version 2: applies every kind, including the state that the agent reports."""

from acp_tui.protocol import updates as v1
from acp_tui.protocol.json_parts import text_at
from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.updates import SessionNotification, UnknownUpdate
from acp_tui.protocol.v2.updates import (
    BackgroundSubagent,
    BackgroundTerminal,
    BackgroundToolCall,
    BackgroundWork,
    Message,
    ReplayComplete,
    StateUpdate,
    TerminalOutputChunk,
    TerminalUpdate,
    ToolCallContentChunk,
    ToolCallUpdateV2,
    UpdateSessionNotification,
)
from acp_tui.state.changes import Change, ScreenChanged, TurnChanged
from acp_tui.state.entries import TurnEndEntry
from acp_tui.state.reducers import air, transcript, turns, updates
from acp_tui.state.reducers.subagents import is_replayed, report_state
from acp_tui.state.reducers.v2 import messages, tool_calls
from acp_tui.state.session import Background, Session, Turn
from acp_tui.state.state import State

IDLE = "idle"
UNKNOWN = "unknown"


def update_activity(state: State, session: Session, at: float, update: StateUpdate) -> list[Change]:
    """Apply a snapshot of the session's state; applying the same one again changes nothing."""
    session.reported.activity = update.state
    if session.subagent is not None:  # the agent should also report it to the parent
        report_state(session.subagent, at, update, replayed=is_replayed(state, session))
    given = update.background
    session.reported.background = None if given is None else [_background(one) for one in given]
    changes: list[Change] = [ScreenChanged(), TurnChanged(session.session_id)]
    if update.state == IDLE:
        return [*changes, *_idle(session, at, update)]
    if session.turn is not None:
        session.turn.seen_running = True
    elif session.reported.active is None and update.state != UNKNOWN:
        session.reported.active = at
    return changes


def _idle(session: Session, at: float, update: StateUpdate) -> list[Change]:
    """End the turn, or the work without a prompt."""
    turn, began = session.turn, session.reported.active
    error, told = _error(update), session.reported.stop_reason
    session.reported.stop_reason = update.stop_reason or told
    if turn is not None and _is_over(session, turn, update.stop_reason, told):
        turns.note_model_tokens(session, update)
        failure, failed = air.note_failed_turn(session, at, update)
        ended = turns.end_turn(
            session,
            at,
            stop_reason=update.stop_reason,
            error=error,
            usage=update.usage,
            failure=failure,
        )
        return [*failed, *ended]
    session.reported.active = None
    if turn is not None or began is None:
        return []
    turns.note_model_tokens(session, update)
    end = TurnEndEntry(at, began, update.stop_reason, error, usage=update.usage, ended=at)
    return transcript.add_entry(session, end)


def _is_over(
    session: Session, turn: Turn, stop_reason: str | None, earlier_reason: str | None
) -> bool:
    """Return whether this turn has ended: a snapshot may still describe the previous turn.

    For an agent that never reports `running`, a turn ends with a stop reason. If that is the same
    as last time, it only counts after some output in this turn, since snapshots "may carry the last
    stop reason" (session/update, idle).
    """
    if turn.seen_running or not turn.accepted or stop_reason is None:
        return turn.seen_running
    return stop_reason != earlier_reason or session.entries[-1] is not turn.prompt


def _error(update: StateUpdate) -> Error | None:
    told = update.error if update.stop_reason == "error" else None
    return Error(told.code, told.message, told.data) if told is not None else None


def _background(work: BackgroundWork) -> Background:
    match work:
        case BackgroundTerminal(terminal_id=id):
            return Background("terminal", id)
        case BackgroundToolCall(tool_call_id=id):
            return Background("tool_call", id)
        case BackgroundSubagent(session_id=id):
            return Background("subagent", id)
    return Background(
        work.type, name=text_at(work.wire(), "description")
    )  # claude's tasks have a description


def apply_update(
    state: State, session: Session, at: float, params: SessionNotification
) -> list[Change]:
    """Apply an update; kinds that version 2 hasn't changed are applied as in version 1."""
    assert isinstance(params, UpdateSessionNotification)
    update = params.update
    match update:
        case Message() | v1.Chunk():
            return messages.update_message(session, at, update)
        case StateUpdate():
            return update_activity(state, session, at, update)
        case ToolCallUpdateV2() | ToolCallContentChunk():
            return tool_calls.update_tool_call(session, at, update)
        case TerminalUpdate() | TerminalOutputChunk():
            return tool_calls.update_terminal(state, session, at, update)
        case ReplayComplete():
            return []  # the response to the resume follows, and opens the session
    assert not isinstance(update, UnknownUpdate)
    return updates.apply_known_update(state, session, at, update)
