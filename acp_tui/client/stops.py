"""Asks the agent to stop one tool call or terminal (version 2)."""

from acp_tui.client.core import Core
from acp_tui.state.commands import CancelTerminal, CancelToolCall


class Stops:
    """Asks the agent to stop one tool call or terminal (version 2); nothing is sent for what doesn't offer
    it now.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        core.register({CancelToolCall: self._tool_call, CancelTerminal: self._terminal})

    def _tool_call(self, command: CancelToolCall) -> None:
        session = self._core.state.sessions.get(command.session_id)
        call = session.tool_call(command.tool_call_id) if session is not None else None
        if call is None or not call.can_cancel or call.asked_to_stop:
            return
        from acp_tui.protocol.v2.requests import CancelToolCallParams  # only where it is spoken

        params = CancelToolCallParams(
            session_id=command.session_id, tool_call_id=command.tool_call_id
        )
        self._core.request("tool_call/cancel", params)

    def _terminal(self, command: CancelTerminal) -> None:
        terminal = self._core.state.terminals.get(command.terminal_id)
        if terminal is None or not terminal.can_cancel or terminal.asked_to_stop:
            return
        from acp_tui.protocol.v2.requests import CancelTerminalParams  # only where it is spoken

        params = CancelTerminalParams(session_id=terminal.session_id, terminal_id=terminal.named)
        self._core.request("terminal/cancel", params)
