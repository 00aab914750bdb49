"""Terminals: the client's (ACP: Terminals), and those that agents show in tool calls' `_meta`."""

from typing import Any

from acp_tui.protocol.json_parts import text_or_none_at
from acp_tui.protocol.process_events import (
    OutputOmitted,
    OwnCommandRan,
    TerminalExited,
    TerminalOutput,
)
from acp_tui.protocol.requests import CreateTerminalParams, CreateTerminalResult
from acp_tui.protocol.updates import ToolCallUpdate
from acp_tui.protocol.wire_events import Responded
from acp_tui.state.changes import Change, TerminalChanged
from acp_tui.state.entries import TerminalEntry
from acp_tui.state.reducers.transcript import add_entry
from acp_tui.state.session import Session
from acp_tui.state.state import State, Terminal

KEPT_OUTPUT_BYTES = 1024 * 1024
"""Most bytes of a terminal's output that the state stores for the screen."""


def on_responded(state: State, event: Responded) -> list[Change]:
    """Add a terminal that the client created for the agent."""
    params = event.request.params
    if isinstance(params, CreateTerminalParams) and isinstance(event.result, CreateTerminalResult):
        return _created(state, event, params, event.result.terminal_id)
    return []


def _created(
    state: State, event: Responded, params: CreateTerminalParams, terminal_id: str
) -> list[Change]:
    session = state.session(params.session_id)
    state.terminals[terminal_id] = Terminal(
        terminal_id, params.session_id, params.command, params.args, params.cwd, event.at
    )
    session.indexes.terminals[terminal_id] = len(session.entries)
    return [
        *add_entry(session, TerminalEntry(event.at, terminal_id)),
        TerminalChanged(terminal_id),
    ]


def add_own_command(state: State, event: OwnCommandRan) -> list[Change]:
    """Add a command that the user ran, with its output, to a session's transcript."""
    session = state.session(event.session_id)
    terminal = Terminal(
        event.terminal_id,
        event.session_id,
        event.command,
        [],
        event.cwd,
        event.at,
        by_person=True,
    )
    append_output(terminal, event.data)
    terminal.dropped, terminal.ended = event.dropped, event.at
    if event.code < 0:
        terminal.signal = f"signal {-event.code}"
    else:
        terminal.exit_code = event.code
    state.terminals[event.terminal_id] = terminal
    entry = TerminalEntry(event.at, event.terminal_id, ended=event.at)
    return [*add_entry(session, entry), TerminalChanged(event.terminal_id)]


def apply_terminal_event(
    state: State, event: TerminalOutput | OutputOmitted | TerminalExited
) -> list[Change]:
    """Apply a terminal's output, omitted output, or exit."""
    terminal = state.terminals.get(event.terminal_id)
    if terminal is None:
        return []
    if isinstance(event, TerminalOutput):
        append_output(terminal, event.data)
    elif isinstance(event, OutputOmitted):
        terminal.dropped += terminal.stored_bytes + event.size
        terminal.stored_bytes = 0
        terminal.parts.clear()  # only the end is stored: a gap in the middle would mislead
    else:
        terminal.exit_code, terminal.signal = event.exit_code, event.signal
        terminal.ended = event.at
    return [TerminalChanged(event.terminal_id)]


def append_output(terminal: Terminal, data: bytes) -> None:
    """Append output; drop the oldest output over the limit."""
    terminal.parts.append(data)
    terminal.stored_bytes += len(data)
    while terminal.stored_bytes > KEPT_OUTPUT_BYTES and len(terminal.parts) > 1:
        dropped = len(terminal.parts.popleft())
        terminal.stored_bytes -= dropped
        terminal.dropped += dropped


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
        return []  # a terminal of the client's: the agent must not forge its output
    if terminal is None or begins is not None:
        terminal = _start_terminal(state, session, at, terminal_id, begins or {})
    terminal.command = _command(session, update.tool_call_id)
    data = prints.get("data") if prints is not None else None
    if isinstance(data, str):
        append_output(terminal, data.encode("utf-8", "replace"))
    if ends is not None:
        code = ends.get("exit_code")
        terminal.exit_code = code if isinstance(code, int) else None
        terminal.signal = text_or_none_at(ends, "signal")
        terminal.ended = at
    return [TerminalChanged(terminal_id)]


def _part(meta: dict[str, Any], name: str) -> dict[str, Any] | None:
    part = meta.get(name)
    return part if isinstance(part, dict) else None


def _terminal_id(part: dict[str, Any], tool_call_id: str) -> str:
    named = text_or_none_at(part, "terminal_id")
    return tool_call_id if named is None else named


def _start_terminal(
    state: State, session: Session, at: float, terminal_id: str, info: dict[str, Any]
) -> Terminal:
    place = text_or_none_at(info, "cwd")
    terminal = Terminal(terminal_id, session.session_id, "", [], place, at, display=True)
    state.terminals[terminal_id] = terminal
    return terminal


def _command(session: Session, tool_call_id: str) -> str:
    """Return the command in the tool call's raw input, or ""; its title may only paraphrase it."""
    entry = session.tool_call(tool_call_id)
    assert entry is not None  # the caller has applied the update before
    given = entry.raw_input.get("command") if isinstance(entry.raw_input, dict) else None
    return given if isinstance(given, str) else ""
