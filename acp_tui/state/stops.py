"""Parts of a session that can be stopped individually: a tool call, or a terminal."""

from typing import Literal

from acp_tui.protocol.content import TerminalRef
from acp_tui.state.commands import CancelTerminal, CancelToolCall
from acp_tui.state.entries import Entry, TerminalEntry, ToolCallEntry
from acp_tui.state.state import Session, State

ASKED: Literal["asked"] = "asked"
"""The entry was asked to stop and hasn't stopped yet."""
Stop = CancelToolCall | CancelTerminal


def stopping(state: State, session: Session, entry: Entry) -> Stop | Literal["asked"] | None:
    """Return the command that stops an entry, or the first terminal in it; None if it can't be
    stopped.
    """
    if isinstance(entry, ToolCallEntry) and entry.asked_to_stop:
        return ASKED
    if isinstance(entry, ToolCallEntry) and entry.can_cancel:
        return CancelToolCall(session.session_id, entry.tool_call_id)
    terminals = [state.terminals[id] for id in _terminals(entry) if id in state.terminals]
    waits = any(one.asked_to_stop for one in terminals)
    for terminal in terminals:
        if terminal.can_cancel and not terminal.asked_to_stop:
            return CancelTerminal(session.session_id, terminal.terminal_id)
    return ASKED if waits else None


def _terminals(entry: Entry) -> list[str]:
    if isinstance(entry, TerminalEntry):
        return [entry.terminal_id]
    content = entry.content if isinstance(entry, ToolCallEntry) else []
    return [item.terminal_id for item in content if isinstance(item, TerminalRef)]
