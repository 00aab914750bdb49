"""The client's terminals (ACP: Terminals)."""

from acp_tui.protocol.events import (
    OutputOmitted,
    OwnCommandRan,
    Responded,
    TerminalExited,
    TerminalOutput,
)
from acp_tui.protocol.requests import (
    CreateTerminalParams,
    CreateTerminalResult,
)
from acp_tui.state.changes import Change, TerminalChanged
from acp_tui.state.entries import TerminalEntry
from acp_tui.state.reducers.turns import add_entry
from acp_tui.state.state import State, Terminal

KEPT_OUTPUT_BYTES = 1024 * 1024
"""Bytes of a terminal's output that the state stores for the screen."""


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
    session.terminals[terminal_id] = len(session.entries)
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
    """Apply a terminal's output, omission or exit."""
    terminal = state.terminals.get(event.terminal_id)
    if terminal is None:
        return []
    if isinstance(event, TerminalOutput):
        append_output(terminal, event.data)
    elif isinstance(event, OutputOmitted):
        terminal.dropped += terminal.held + event.size
        terminal.held = 0
        terminal.parts.clear()  # only the end is stored: a gap in the middle would mislead
    else:
        terminal.exit_code, terminal.signal = event.exit_code, event.signal
        terminal.ended = event.at
    return [TerminalChanged(event.terminal_id)]


def append_output(terminal: Terminal, data: bytes) -> None:
    """Append output; drop the oldest over the limit."""
    terminal.parts.append(data)
    terminal.held += len(data)
    while terminal.held > KEPT_OUTPUT_BYTES and len(terminal.parts) > 1:
        dropped = len(terminal.parts.popleft())
        terminal.held -= dropped
        terminal.dropped += dropped
