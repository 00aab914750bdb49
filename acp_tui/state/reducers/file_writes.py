"""Files that the agent wrote through the client, and comparisons of files with its tool calls."""

from acp_tui.protocol.content import Diff
from acp_tui.protocol.file_events import (
    BackupDropped,
    EditCompared,
    EditLooked,
    FileWritten,
    UndoRefused,
    WriteUndone,
)
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.entries import EditFacts, ToolCallEntry, diff_key
from acp_tui.state.reducers import tool_calls, transcript
from acp_tui.state.reducers.notices import notify_person
from acp_tui.state.reducers.transcript import redraw_turn_end
from acp_tui.state.session import FileWrite, Session
from acp_tui.state.state import State

TEXTS = 32_000_000
"""Most characters of old and new file texts that a session stores to show its writes."""
CHANGED = "It had changed on disk since the agent last read or wrote it, or since you were asked."
CAN_UNDO = "It can be undone."


def apply_file_write(
    state: State, event: FileWritten | WriteUndone | UndoRefused | BackupDropped
) -> list[Change]:
    """Apply a write, its undo, or the loss of its backup."""
    session = state.session(event.session_id)
    changes: list[Change] = [ScreenChanged()]
    if isinstance(event, FileWritten):
        made = FileWrite(
            event.request,
            event.at,
            event.path,
            event.created,
            event.old_text,
            event.text,
            event.kept,
            by_person=event.by_person,
        )
        session.writes.append(made)
        _bound_texts(session)
        if event.by_person:
            title = f"You took back a part: {event.path}"
            return [*changes, *notify_person(state, event.at, event.session_id, "info", title)]
        return [*changes, *_remark(state, event)]
    write = next((one for one in session.writes if one.number == event.request), None)
    if write is None:
        return []
    if isinstance(event, UndoRefused):
        write.changed = True
        title = f"Not undone: {write.path}"
        return [
            *changes,
            *notify_person(state, event.at, event.session_id, "error", title, event.reason),
        ]
    write.has_backup = False
    if isinstance(event, BackupDropped):
        return changes
    write.undone = True
    changes += redraw_turn_end(session, write.at, undone=True)
    title = f"You undid a write: {write.path}"
    return [*changes, *notify_person(state, event.at, event.session_id, "info", title)]


def write_remark(event: FileWritten) -> str | None:
    """Return a note on a write for the user, or None."""
    told = [CHANGED] if event.changed else []
    if event.remark is not None:
        told.append(event.remark)
    if event.changed and event.kept:
        told.append(CAN_UNDO)
    return " ".join(told) or None


def newest_write(session: Session) -> FileWrite | None:
    """Return the last write that can be undone: of several writes to a file, only the newest can."""
    passed = set[str]()
    for one in reversed(session.writes):
        if one.undone or one.path in passed:
            continue
        if one.has_backup and not one.changed:
            return one
        passed.add(one.path)
    return None


def _bound_texts(session: Session) -> None:
    """Drop the oldest stored texts over the limit."""
    held = 0
    for one in reversed(session.writes):
        held += len(one.old_text or "") + len(one.text or "")
        if held > TEXTS:
            one.old_text = one.text = None


def _remark(state: State, event: FileWritten) -> list[Change]:
    told = write_remark(event)
    if told is None:
        return []
    severity = "warning" if event.changed or not event.kept else "info"
    return notify_person(
        state, event.at, event.session_id, severity, f"Written: {event.path}", told
    )


def apply_comparison(state: State, event: EditLooked | EditCompared) -> list[Change]:
    """Apply a comparison of a file with a tool call, before or after the edit."""
    session = state.session(event.session_id)
    call = session.newest_key(event.tool_call_id)
    if event.use is not None:
        call = event.tool_call_id, event.use
    entry = session.call_of(call)
    if entry is None:
        return []
    facts = entry.edits = entry.edits or EditFacts()
    facts.count += 1
    if isinstance(event, EditCompared):
        facts.compared.append(event)
    else:
        _add_observation(entry, facts, event)
    changes = tool_calls.waiting_call_changed(session, call)
    changes += transcript.redraw_turn_end(session, entry.at if entry.ended is None else entry.ended)
    if any(one.call == call for one in session.permissions):
        changes.append(ScreenChanged())
    return changes


def _add_observation(entry: ToolCallEntry, facts: EditFacts, event: EditLooked) -> None:
    if event.first:
        facts.observations.clear()
    if 0 <= event.item < len(entry.content):
        diff = entry.content[event.item]
        if isinstance(diff, Diff):
            facts.places[diff_key(diff)] = event
    if event.remark or event.derived:
        facts.observations.append(event)
