"""Appends entries to the transcript, redraws turn ends, and marks tool calls as canceled."""

from acp_tui.protocol.file_events import TurnCompared
from acp_tui.state.changes import Change, EntryAdded, EntryChanged
from acp_tui.state.entries import Entry, ToolCallEntry, TurnEndEntry
from acp_tui.state.session import Session
from acp_tui.state.state import State


def add_entry(session: Session, entry: Entry) -> list[Change]:
    """Append an entry, which ends the previous one unless that is a tool call."""
    changes: list[Change] = []
    index = len(session.entries)
    if session.entries and not isinstance(session.entries[-1], ToolCallEntry):
        last = session.entries[-1]
        if last.ended is None:
            last.ended = entry.at
            changes.append(EntryChanged(session.session_id, index - 1))
    session.entries.append(entry)
    return [*changes, EntryAdded(session.session_id, index)]


def redraw_lost_turns(session: Session, at: float) -> list[Change]:
    """Return the changes that redraw turns lost at this time: after the restart, only the
    transcript explains the loss.
    """
    return [
        EntryChanged(session.session_id, index)
        for index, entry in enumerate(session.entries)
        if isinstance(entry, TurnEndEntry) and entry.at == at
    ]


def apply_folder_comparison(state: State, event: TurnCompared) -> list[Change]:
    """Show the result of comparing the session's folder at the end of the last turn."""
    session = state.session(event.session_id)
    for index in reversed(range(len(session.entries))):
        entry = session.entries[index]
        if isinstance(entry, TurnEndEntry):
            entry.compared = event
            return [EntryChanged(session.session_id, index)]
    return []


def redraw_turn_end(session: Session, at: float, *, undone: bool = False) -> list[Change]:
    """Redraw the end of the turn in which a file changed at this time: it counts the changes.

    If a change was `undone`, the comparison of the folder is outdated, and removed.
    """
    for index in reversed(range(len(session.entries))):
        entry = session.entries[index]
        if isinstance(entry, TurnEndEntry) and entry.started <= at:
            if at > entry.at:
                return []
            if undone:
                entry.compared = None
            return [EntryChanged(session.session_id, index)]
    return []


def cancel_tool_calls(session: Session, at: float, since: float | None = None) -> list[Change]:
    """Mark unfinished tool calls as canceled.

    With `since`, only calls that were updated since then. Background calls aren't canceled with the
    turn.
    """
    changes: list[Change] = []
    in_background = {one.id for one in session.reported.background or [] if one.kind == "tool_call"}
    for index, entry in session.calls():
        if entry.finished or entry.tool_call_id in in_background:
            continue
        if since is None or entry.updated_at >= since:
            entry.status = "cancelled"
            entry.ended = at
            entry.can_cancel = entry.stop_requested = False
            changes.append(EntryChanged(session.session_id, index))
    return changes
