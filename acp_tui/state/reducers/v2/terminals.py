"""Terminals that the agent runs and the client only shows."""

from binascii import a2b_base64

from acp_tui.protocol.events import Requested
from acp_tui.protocol.v2.requests import CancelTerminalParams, CancelToolCallParams
from acp_tui.protocol.v2.updates import TerminalExitStatusV2, TerminalOutputChunk, TerminalUpdate
from acp_tui.state.changes import Change, EntryChanged, TerminalChanged
from acp_tui.state.entries import TerminalEntry, ToolCallEntry
from acp_tui.state.reducers.terminals import append_output
from acp_tui.state.reducers.turns import add_entry
from acp_tui.state.state import Session, State, Terminal, terminal_key


def key_of(session: Session, terminal_id: str) -> str:
    """Return a terminal's key, unique among all sessions."""
    return terminal_key(session.session_id, terminal_id)


def update_terminal(
    state: State, session: Session, at: float, update: TerminalUpdate | TerminalOutputChunk
) -> list[Change]:
    """Apply output, or a change of a terminal: null clears a field, a missing one is unchanged."""
    key = key_of(session, update.terminal_id)
    terminal = state.terminals.get(key)
    changes: list[Change] = []
    if terminal is None:
        terminal = Terminal(key, session.session_id, "", [], None, at, display=True)
        terminal.named = update.terminal_id
        state.terminals[key] = terminal
    if key not in session.terminals:
        changes = _begun(session, at, key)
    if isinstance(update, TerminalOutputChunk):
        append_output(terminal, a2b_base64(update.data))
    else:
        _patch(terminal, at, update)
    return [*changes, TerminalChanged(key)]


def _begun(session: Session, at: float, key: str) -> list[Change]:
    """Add an entry for a terminal, hidden if a tool call shows it."""
    session.terminals[key] = len(session.entries)
    shown = any(
        isinstance(entry, ToolCallEntry) and entry.shows_terminal(key) for entry in session.entries
    )
    return add_entry(session, TerminalEntry(at, key, embedded=shown))


def _patch(terminal: Terminal, at: float, update: TerminalUpdate) -> None:
    given = update.model_fields_set
    if "command" in given:
        terminal.command = update.command or ""
    if "cwd" in given:
        terminal.cwd = update.cwd
    if "size" in given:
        terminal.size = (update.size.cols, update.size.rows) if update.size is not None else None
    if "output" in given:
        _replace(terminal, a2b_base64(update.output.data) if update.output is not None else b"")
    if "capabilities" in given:
        controls = update.capabilities
        terminal.can_cancel = controls is not None and controls.cancel is not None
    if "exit_status" in given:
        _exit(terminal, at, update.exit_status)
    if terminal.ended is not None:
        terminal.can_cancel = terminal.asked_to_stop = False


def _replace(terminal: Terminal, data: bytes) -> None:
    """Replace all of a terminal's output."""
    terminal.parts.clear()
    terminal.held = terminal.dropped = 0
    terminal.version += 1
    if data:
        append_output(terminal, data)


def _exit(terminal: Terminal, at: float, status: TerminalExitStatusV2 | None) -> None:
    terminal.exit_code = status.exit_code if status is not None else None
    terminal.signal = status.signal if status is not None else None
    terminal.ended = at if status is not None else None


def note_stop(state: State, request: Requested, *, asked: bool) -> list[Change]:
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
