"""Parts of a session that can be stopped individually: a tool call, a terminal, or a subagent."""

from typing import Literal

from acp_tui.protocol.content import TerminalRef
from acp_tui.state.commands import Cancel, CancelTerminal, CancelToolCall
from acp_tui.state.entries import Entry, SubagentEntry, TerminalEntry, ToolCallEntry
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.state.subagents import is_at_work

ASKED: Literal["asked"] = "asked"
"""The entry was asked to stop and hasn't stopped yet."""
Stop = CancelToolCall | CancelTerminal | Cancel


def command_that_stops(
    state: State, session: Session, entry: Entry
) -> Stop | Literal["asked"] | None:
    """Return the command that stops an entry, or the first terminal or subagent in it; None if it
    can't be stopped.
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
    for child in running_subagents(state, entry):
        if child.subagent is not None and child.subagent.canceled is not None:
            waits = True
        elif child.subagent is not None and child.subagent.can_cancel:
            return Cancel(child.session_id)
    return ASKED if waits else None


def running_subagents(state: State, entry: Entry) -> list[Session]:
    """Return the subagents of an entry that are at work."""
    ids: list[str] = []
    if isinstance(entry, SubagentEntry):
        ids = [entry.session_id]
    elif isinstance(entry, ToolCallEntry):
        ids = sorted(entry.linked_sessions)
    children = [state.sessions[id] for id in ids if id in state.sessions]
    return [one for one in children if is_at_work(state, one)]


def _terminals(entry: Entry) -> list[str]:
    if isinstance(entry, TerminalEntry):
        return [entry.terminal_id]
    content = entry.content if isinstance(entry, ToolCallEntry) else []
    return [item.terminal_id for item in content if isinstance(item, TerminalRef)]
