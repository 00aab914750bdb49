"""Tool calls and terminals that the user asked to stop individually."""

from acp_tui.protocol.events import Requested
from acp_tui.protocol.v2.requests import CancelTerminalParams, CancelToolCallParams
from acp_tui.state.changes import Change, EntryChanged, TerminalChanged
from acp_tui.state.reducers.v2.terminals import key_of
from acp_tui.state.state import State


def note(state: State, request: Requested, *, asked: bool) -> list[Change]:
    """Record that something was asked to stop, or that the agent refused."""
    params = request.params
    if isinstance(params, CancelToolCallParams):
        session = state.session(params.session_id)
        call = session.tool_call(params.tool_call_id)
        if call is None or call.finished:
            return []
        call.asked_to_stop = asked
        return [EntryChanged(session.session_id, session.tool_calls[params.tool_call_id])]
    assert isinstance(params, CancelTerminalParams)
    key = key_of(state.session(params.session_id), params.terminal_id)
    terminal = state.terminals.get(key)
    if terminal is None or terminal.ended is not None:
        return []
    terminal.asked_to_stop = asked
    return [TerminalChanged(key)]
