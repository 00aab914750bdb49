"""Tool calls: created by their first mention, patched by every update (ACP: Tool Calls)."""

from acp_tui.protocol.content import TerminalRef
from acp_tui.protocol.updates import ToolCall, ToolCallUpdate
from acp_tui.state.changes import Change, EntryChanged
from acp_tui.state.entries import CallKey, TerminalEntry, ToolCallEntry
from acp_tui.state.reducers.subagents import embed_subagents
from acp_tui.state.reducers.transcript import add_entry
from acp_tui.state.session import Session

SEARCHED_ENTRIES = 100
"""Newest entries that are searched for the only running tool call."""


def update_tool_call(session: Session, at: float, update: ToolCallUpdate) -> list[Change]:
    """Apply a `tool_call` or `tool_call_update`.

    An unknown id creates a tool call; so does a `tool_call` with the id of a finished one.
    """
    entry = session.tool_call(update.tool_call_id)
    if entry is None or (isinstance(update, ToolCall) and _is_over(session, entry, update)):
        entry, changes = begin_tool_call(session, at, update.tool_call_id)
    else:
        changes = [
            EntryChanged(session.session_id, session.indexes.tool_calls[update.tool_call_id])
        ]
    linked = entry.linked_sessions
    entry.updated_at = at
    entry.announced = entry.announced or isinstance(update, ToolCall)
    _patch(entry, at, update)
    if entry.consent.allowed:
        _compare_allowed(entry)
    changed = linked ^ entry.linked_sessions
    return [*changes, *embed_terminal(session, entry), *embed_subagents(session, changed)]


def apply_requested_call(session: Session, at: float, asked: ToolCallUpdate) -> list[Change]:
    """Apply the tool call in a permission request.

    A finished call needs no permission, so its id must be that of a new call, which may not have
    been announced.
    """
    known = session.tool_call(asked.tool_call_id)
    is_new = known is not None and _needs_no_permission(session, known)
    begun = begin_tool_call(session, at, asked.tool_call_id)[1] if is_new else []
    return [*begun, *update_tool_call(session, at, asked)]


def begin_tool_call(
    session: Session, at: float, tool_call_id: str
) -> tuple[ToolCallEntry, list[Change]]:
    """Add a tool call; the previous one with this id can still be found by its key."""
    before = session.tool_call(tool_call_id)
    if before is not None:
        session.indexes.earlier_calls[before.key] = session.indexes.tool_calls[tool_call_id]
    session.indexes.tool_calls[tool_call_id] = len(session.entries)
    entry = ToolCallEntry(tool_call_id, at, use=0 if before is None else before.use + 1)
    return entry, add_entry(session, entry)


def _is_over(session: Session, entry: ToolCallEntry, announced: ToolCall) -> bool:
    """Return whether an announcement must be about a new call, not the known one with its id.

    An agent that announces a finished call again in its turn, with the same fields, only repeats
    itself.
    """
    if _is_of_earlier_turn(session, entry):
        return True
    return entry.finished and not _repeats(entry, announced)


def _needs_no_permission(session: Session, entry: ToolCallEntry) -> bool:
    """Return whether a request must be about a new call, not the known one with its id.

    A call that was announced, but neither allowed nor finished when its turn ended, may be asked
    about until the next turn begins.
    """
    if not _is_of_earlier_turn(session, entry):
        return entry.finished
    return entry.decided or session.turn is not None


def _is_of_earlier_turn(session: Session, entry: ToolCallEntry) -> bool:
    return session.indexes.tool_calls[entry.tool_call_id] < session.turn_index


_PATCHED = ("title", "name", "kind", "content", "locations", "raw_input", "raw_output")


def _repeats(entry: ToolCallEntry, announced: ToolCall) -> bool:
    given = [name for name in _PATCHED if getattr(announced, name) is not None]
    known = [getattr(entry, name) for name in given]
    told = [getattr(announced, name) for name in given]
    return announced.status == entry.status and known == told


def _patch(entry: ToolCallEntry, at: float, update: ToolCallUpdate) -> None:
    """Overwrite the fields that the update has; missing and null both leave a field unchanged."""
    for name in _PATCHED:
        value = getattr(update, name)
        if value is not None:
            setattr(entry, name, value)
    if update.status is not None and not _revives(entry, update):
        entry.status = update.status
        entry.ended = at if entry.finished else None


def _compare_allowed(entry: ToolCallEntry) -> None:
    """Record how an agent changes an allowed call: the answer covered only what was in view."""
    from acp_tui.state.subject_parts import changed_since_allowed  # few calls are asked about

    for at, allowed in entry.consent.allowed.items():
        changed = changed_since_allowed(allowed, entry)
        if changed:
            entry.consent.changed_since[at] = changed


def _revives(entry: ToolCallEntry, update: ToolCallUpdate) -> bool:
    """Return whether this is a late progress update of a canceled call."""
    late = update.status in ("pending", "in_progress") and not isinstance(update, ToolCall)
    return late and entry.status == "cancelled"


def embed_terminal(session: Session, entry: ToolCallEntry) -> list[Change]:
    """Stop showing terminals separately once a tool call embeds them."""
    shown = {item.terminal_id for item in entry.content if isinstance(item, TerminalRef)}
    changes: list[Change] = []
    for terminal_id in shown & session.indexes.terminals.keys():
        index = session.indexes.terminals[terminal_id]
        own = session.entries[index]
        if isinstance(own, TerminalEntry) and not own.embedded:
            own.embedded = True
            changes.append(EntryChanged(session.session_id, index))
    return changes


def mark_call_waiting(session: Session, call: CallKey | None, at: float) -> CallKey | None:
    """Mark a tool call as waiting for the user, and return its key.

    A question that names no call is assigned to the running one, if there is exactly one.
    """
    if call is not None:
        held = session.call_of(call)
    else:
        last = session.entries[-SEARCHED_ENTRIES:]
        running = [one for one in last if isinstance(one, ToolCallEntry) and not one.finished]
        held = running[0] if len(running) == 1 else None
    if held is None:
        return None
    held.consent.waiting.add_question(at)
    return held.key


def resume_call(session: Session, held: CallKey | None, at: float) -> None:
    """Resume a tool call after its question was answered."""
    entry = session.call_of(held)
    if entry is not None and entry.consent.waiting.questions:  # false after a load
        entry.consent.waiting.remove_question(at if entry.ended is None else min(at, entry.ended))


def waiting_call_changed(session: Session, held: CallKey | None) -> list[Change]:
    """Return the change of the tool call that waits for an answer."""
    index = session.call_index(held)
    return [] if index is None else [EntryChanged(session.session_id, index)]
