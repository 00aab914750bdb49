"""Terminals that the agent runs itself and shows in the `_meta` of its tool calls.

Not in ACP, but some agents send `terminal_info`, chunks of `terminal_output` (or
`terminal_output_delta`) and `terminal_exit`, along with `terminal` content with the same id.
"""

from typing import Any

from acp_tui.protocol.updates import ToolCallUpdate
from acp_tui.state.changes import Change, TerminalChanged
from acp_tui.state.reducers.terminals import append_output
from acp_tui.state.state import Session, State, Terminal


def update_agent_terminal(
    state: State, session: Session, at: float, update: ToolCallUpdate
) -> list[Change]:
    """Apply the terminal fields in the `_meta` of a tool call."""
    meta = update.meta or {}
    begins = _part(meta, "terminal_info")
    prints = _part(meta, "terminal_output_delta") or _part(meta, "terminal_output")
    ends = _part(meta, "terminal_exit")
    if begins is None and prints is None and ends is None:
        return []
    terminal_id = _terminal_id(begins or prints or ends or {}, update.tool_call_id)
    terminal = state.terminals.get(terminal_id)
    if terminal is not None and not (
        terminal.display and terminal.session_id == session.session_id
    ):
        return []  # an ACP terminal of ours: the agent must not forge its output
    if terminal is None or begins is not None:
        terminal = _begun(state, session, at, terminal_id, begins or {})
    terminal.command = _command(session, update.tool_call_id)
    data = prints.get("data") if prints is not None else None
    if isinstance(data, str):
        append_output(terminal, data.encode("utf-8", "replace"))
    if ends is not None:
        code, signal = ends.get("exit_code"), ends.get("signal")
        terminal.exit_code = code if isinstance(code, int) else None
        terminal.signal = signal if isinstance(signal, str) else None
        terminal.ended = at
    return [TerminalChanged(terminal_id)]


def _part(meta: dict[str, Any], name: str) -> dict[str, Any] | None:
    part = meta.get(name)
    return part if isinstance(part, dict) else None


def _terminal_id(part: dict[str, Any], tool_call_id: str) -> str:
    named = part.get("terminal_id")
    return named if isinstance(named, str) else tool_call_id


def _begun(
    state: State, session: Session, at: float, terminal_id: str, info: dict[str, Any]
) -> Terminal:
    cwd = info.get("cwd")
    place = cwd if isinstance(cwd, str) else None
    terminal = Terminal(terminal_id, session.session_id, "", [], place, at, display=True)
    state.terminals[terminal_id] = terminal
    return terminal


def _command(session: Session, tool_call_id: str) -> str:
    """Return the command in the tool call's raw input, or "": its title may describe the command in
    other words.
    """
    entry = session.tool_call(tool_call_id)
    assert entry is not None  # the update was applied first
    given = entry.raw_input.get("command") if isinstance(entry.raw_input, dict) else None
    return given if isinstance(given, str) else ""
