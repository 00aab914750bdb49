"""Tool calls of version 2, permission requests about them, and the agent's own terminals.

Null clears a field, a missing one is unchanged, chunks are appended.
"""

from binascii import a2b_base64
from typing import Any, cast, get_args

from acp_tui.protocol.content import ShownContent, TerminalRef
from acp_tui.protocol.v2.requests import (
    CancelTerminalParams,
    CancelToolCallParams,
    RequestPermissionRequest,
    ToolCallSubject,
)
from acp_tui.protocol.v2.updates import (
    TerminalExitStatusV2,
    TerminalOutputChunk,
    TerminalUpdate,
    ToolCallContentChunk,
    ToolCallUpdateV2,
)
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.changes import Change, EntryChanged, TerminalChanged
from acp_tui.state.entries import Status, TerminalEntry, ToolCallEntry, known_kind
from acp_tui.state.open_questions import Permission
from acp_tui.state.reducers import permissions
from acp_tui.state.reducers.subagents import embed_subagents
from acp_tui.state.reducers.terminals import append_output
from acp_tui.state.reducers.tool_calls import begin_tool_call, embed_terminal
from acp_tui.state.reducers.transcript import add_entry
from acp_tui.state.session import Session
from acp_tui.state.state import State, Terminal, terminal_key


def update_terminal(
    state: State, session: Session, at: float, update: TerminalUpdate | TerminalOutputChunk
) -> list[Change]:
    """Apply a change of a terminal, or its output: null clears, a missing field is unchanged."""
    key = terminal_key(session.session_id, update.terminal_id)
    terminal = state.terminals.get(key)
    changes: list[Change] = []
    if terminal is None:
        terminal = Terminal(key, session.session_id, "", [], None, at, display=True)
        terminal.named = update.terminal_id
        state.terminals[key] = terminal
    if key not in session.indexes.terminals:
        changes = _show_terminal(session, at, key)
    if isinstance(update, TerminalOutputChunk):
        append_output(terminal, a2b_base64(update.data))
    else:
        _patch_terminal(terminal, at, update)
    return [*changes, TerminalChanged(key)]


def _show_terminal(session: Session, at: float, key: str) -> list[Change]:
    """Add an entry for a terminal; it is hidden if a tool call embeds the terminal."""
    session.indexes.terminals[key] = len(session.entries)
    shown = any(
        isinstance(entry, ToolCallEntry) and entry.shows_terminal(key) for entry in session.entries
    )
    return add_entry(session, TerminalEntry(at, key, embedded=shown))


def _patch_terminal(terminal: Terminal, at: float, update: TerminalUpdate) -> None:
    given = update.model_fields_set
    if "command" in given:
        terminal.command = update.command or ""
    if "cwd" in given:
        terminal.cwd = update.cwd
    if "size" in given:
        terminal.size = (update.size.cols, update.size.rows) if update.size is not None else None
    if "output" in given:
        _replace_output(
            terminal, a2b_base64(update.output.data) if update.output is not None else b""
        )
    if "capabilities" in given:
        controls = update.capabilities
        terminal.can_cancel = controls is not None and controls.cancel is not None
    if "exit_status" in given:
        _exit(terminal, at, update.exit_status)
    if terminal.ended is not None:
        terminal.can_cancel = terminal.stop_requested = False


def _replace_output(terminal: Terminal, data: bytes) -> None:
    """Replace a terminal's whole output."""
    terminal.parts.clear()
    terminal.stored_bytes = terminal.dropped = 0
    terminal.version += 1
    if data:
        append_output(terminal, data)


def _exit(terminal: Terminal, at: float, status: TerminalExitStatusV2 | None) -> None:
    terminal.exit_code = status.exit_code if status is not None else None
    terminal.signal = status.signal if status is not None else None
    terminal.ended = at if status is not None else None


def note_stop(state: State, request: Requested, *, asked: bool) -> list[Change]:
    """Record that a tool call or terminal was asked to stop, or that the agent refused."""
    params = request.params
    if isinstance(params, CancelToolCallParams):
        session = state.session(params.session_id)
        call = session.tool_call(params.tool_call_id)
        if call is None or call.finished:
            return []
        call.stop_requested = asked
        return [EntryChanged(session.session_id, session.indexes.tool_calls[params.tool_call_id])]
    assert isinstance(params, CancelTerminalParams)
    key = terminal_key(params.session_id, params.terminal_id)
    terminal = state.terminals.get(key)
    if terminal is None or terminal.ended is not None:
        return []
    terminal.stop_requested = asked
    return [TerminalChanged(key)]


_CLEARED: dict[str, Any] = {"title": "", "name": None, "raw_input": None, "raw_output": None}
"""Fields that are stored as received, with the value that null sets."""
_STATUSES = get_args(Status)


def update_tool_call(
    session: Session, at: float, update: ToolCallUpdateV2 | ToolCallContentChunk
) -> list[Change]:
    """Patch a tool call, or append to its content; an unknown id creates one."""
    entry = session.tool_call(update.tool_call_id)
    if entry is None:
        entry, changes = begin_tool_call(session, at, update.tool_call_id)
    else:
        changes = [
            EntryChanged(session.session_id, session.indexes.tool_calls[update.tool_call_id])
        ]
    linked = entry.linked_sessions
    entry.announced = True
    entry.updated_at = at
    if isinstance(update, ToolCallContentChunk):
        entry.content = [*entry.content, *_shown(session, update.shown)]
    else:
        _patch(session, entry, at, update)
    changed = linked ^ entry.linked_sessions
    return [*changes, *embed_terminal(session, entry), *embed_subagents(session, changed)]


def apply_requested_call(session: Session, at: float, asked: ToolCallUpdateV2) -> list[Change]:
    """Apply the tool call in a permission request.

    A finished call needs no permission, so its id must be that of a new call. A call of an earlier
    turn may still ask: it may run in the background.
    """
    known = session.tool_call(asked.tool_call_id)
    is_new = known is not None and known.finished
    begun = begin_tool_call(session, at, asked.tool_call_id)[1] if is_new else []
    return [*begun, *update_tool_call(session, at, asked)]


def _patch(session: Session, entry: ToolCallEntry, at: float, update: ToolCallUpdateV2) -> None:
    given = update.model_fields_set
    for name in given & _CLEARED.keys():
        value = getattr(update, name)
        setattr(entry, name, _CLEARED[name] if value is None else value)
    if "content" in given:
        entry.content = _shown(session, update.shown or [])
    if "locations" in given:
        entry.locations = list(update.locations or [])
    if "kind" in given:
        entry.kind = known_kind(update.kind)
        _store_new_word(entry, "kind", update.kind, entry.kind)
    if "status" in given:
        entry.status = _status(update.status)
        _store_new_word(entry, "status", update.status, entry.status)
        entry.ended = at if entry.finished else None
    if "capabilities" in given:
        controls = update.capabilities
        entry.can_cancel = controls is not None and controls.cancel is not None
    if entry.finished:
        entry.can_cancel = entry.stop_requested = False


def _status(status: str | None) -> Status:
    """Return a known status; an unknown one counts as in progress."""
    if status is None:
        return "pending"
    return cast("Status", status) if status in _STATUSES else "in_progress"


def _store_new_word(entry: ToolCallEntry, name: str, received: str | None, known: str) -> None:
    """Store the agent's word for a kind or status that is unknown here."""
    entry.new_words.pop(name, None)
    if received is not None and received != known:
        entry.new_words[name] = received


def _shown(session: Session, content: list[ShownContent]) -> list[ShownContent]:
    """Return the content with terminal keys that are unique among all sessions."""
    return [
        one.model_copy(update={"terminal_id": terminal_key(session.session_id, one.terminal_id)})
        if isinstance(one, TerminalRef)
        else one
        for one in content
    ]


def ask_permission(state: State, session: Session, event: Requested) -> list[Change]:
    """Add a permission request; apply its tool call as an update.

    If the request is about a command, later updates of the tool call don't change that.
    """
    params = event.params
    assert isinstance(params, RequestPermissionRequest)
    changes: list[Change] = []
    announced = permissions.announced_call(session, params.tool_call_id)
    if isinstance(params.subject, ToolCallSubject):
        changes = apply_requested_call(session, event.at, params.subject.tool_call)
    named = params.tool_call_id
    call = session.tool_call(named) if named is not None else None
    if params.is_command and call is not None and call.finished:
        call = None  # the id is reused: the command isn't that of the finished call
    is_of_call = announced is not None and call is not None and announced.key == call.key
    told = call.frozen_copy() if call is not None and not params.is_command else None
    question = Permission(
        event.number,
        params.session_id,
        event.at,
        params.options,
        params.asked,
        title=params.title,
        description=params.description or "",
        call=None if call is None else call.key,
        kind_known=params.is_command or isinstance(params.subject, ToolCallSubject),
        described_call=told,
        announced=announced if is_of_call else None,
        terminal=params.terminal_id or "",
    )
    return [*changes, *permissions.ask_question(state, question)]
