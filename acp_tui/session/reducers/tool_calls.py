"""Tool calls: created by their first mention, patched by every update (ACP: Tool Calls)."""

from acp_tui.protocol.content import TerminalRef
from acp_tui.protocol.updates import ToolCall, ToolCallUpdate
from acp_tui.session.changes import Change, EntryChanged
from acp_tui.session.entries import TerminalEntry, ToolCallEntry
from acp_tui.session.reducers.turns import add_entry
from acp_tui.session.state import Session

LOOKED_AT = 100
"""How many entries are looked at for the only tool call that runs."""


def update(session: Session, at: float, update: ToolCallUpdate) -> list[Change]:
    """Take a `tool_call` or `tool_call_update`; a new id makes a new tool call."""
    index = session.tool_calls.get(update.tool_call_id)
    if index is None:
        index = len(session.entries)
        session.tool_calls[update.tool_call_id] = index
        entry = ToolCallEntry(update.tool_call_id, at)
        changes = add_entry(session, entry)
    else:
        known = session.entries[index]
        assert isinstance(known, ToolCallEntry)
        entry = known
        changes = [EntryChanged(session.session_id, index)]
    entry.heard = at
    entry.announced = entry.announced or isinstance(update, ToolCall)
    _patch(entry, at, update)
    return [*changes, *embed(session, entry)]


def _patch(entry: ToolCallEntry, at: float, update: ToolCallUpdate) -> None:
    """Overwrite what the update gives; missing and null both leave a field as it was."""
    for name in ("title", "name", "kind", "content", "locations", "raw_input", "raw_output"):
        value = getattr(update, name)
        if value is not None:
            setattr(entry, name, value)
    if update.status is not None and not _revives(entry, update):
        entry.status = update.status
        entry.ended = at if entry.finished else None


def _revives(entry: ToolCallEntry, update: ToolCallUpdate) -> bool:
    """Whether a late word of progress is about a call that was cancelled."""
    late = update.status in ("pending", "in_progress") and not isinstance(update, ToolCall)
    return late and entry.status == "cancelled"


def embed(session: Session, entry: ToolCallEntry) -> list[Change]:
    """A terminal that a tool call shows is no longer shown on its own."""
    shown = {item.terminal_id for item in entry.content if isinstance(item, TerminalRef)}
    changes: list[Change] = []
    for terminal_id in shown & session.terminals.keys():
        index = session.terminals[terminal_id]
        own = session.entries[index]
        if isinstance(own, TerminalEntry) and not own.embedded:
            own.embedded = True
            changes.append(EntryChanged(session.session_id, index))
    return changes


def hold(session: Session, tool_call_id: str | None, at: float) -> str | None:
    """Make a tool call wait for the person, and return its id. A question that names
    none holds the only one that runs, if so.
    """
    if tool_call_id is not None:
        held = session.tool_call(tool_call_id)
    else:
        last = session.entries[-LOOKED_AT:]
        running = [one for one in last if isinstance(one, ToolCallEntry) and not one.finished]
        held = running[0] if len(running) == 1 else None
    if held is None:
        return None
    held.ask(at)
    return held.tool_call_id


def let_go(session: Session, held: str | None, at: float) -> None:
    """Let a tool call continue that waited for the person."""
    entry = session.tool_call(held) if held is not None else None
    if entry is not None and entry.questions:  # otherwise a load has replaced it
        entry.settle(at)


def changed(session: Session, held: str | None) -> list[Change]:
    """Return the change of the tool call that waits for the answer to a question."""
    index = session.tool_calls.get(held) if held is not None else None
    return [] if index is None else [EntryChanged(session.session_id, index)]
