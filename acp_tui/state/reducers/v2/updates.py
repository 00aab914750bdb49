"""`session/update` of version 2: every kind, applied to its session."""

from acp_tui.protocol import updates as v1
from acp_tui.protocol.updates import SessionNotification, UnknownUpdate
from acp_tui.protocol.v2.updates import (
    Message,
    ReplayComplete,
    StateUpdate,
    TerminalOutputChunk,
    TerminalUpdate,
    ToolCallContentChunk,
    ToolCallUpdateV2,
    UpdateSessionNotification,
)
from acp_tui.state.changes import Change
from acp_tui.state.reducers import updates
from acp_tui.state.reducers.v2 import activity, messages, terminals, tool_calls
from acp_tui.state.state import Session, State


def apply_update(
    state: State, session: Session, at: float, params: SessionNotification
) -> list[Change]:
    """Apply an update; a kind that is unchanged from version 1 is applied as there."""
    assert isinstance(params, UpdateSessionNotification)
    update = params.update
    match update:
        case Message() | v1.Chunk():
            return messages.update_message(session, at, update)
        case StateUpdate():
            return activity.update_activity(session, at, update)
        case ToolCallUpdateV2() | ToolCallContentChunk():
            return tool_calls.update_tool_call(session, at, update)
        case TerminalUpdate() | TerminalOutputChunk():
            return terminals.update_terminal(state, session, at, update)
        case ReplayComplete():
            return []  # the answer to the resume follows, and it opens the session
    assert not isinstance(update, UnknownUpdate)
    return updates.updated(state, session, at, update)
