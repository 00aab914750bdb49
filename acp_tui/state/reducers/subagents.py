"""Sessions that the agent opens for subagents, and messages between sessions."""

from collections.abc import Iterable

from acp_tui.protocol.content import ContentBlock, TextContent
from acp_tui.protocol.updates import (
    SessionMessage,
    SessionMessageChunk,
    SubagentState,
    SubagentUpdate,
)
from acp_tui.state.changes import Change, EntryAdded, EntryChanged, ScreenChanged, TurnChanged
from acp_tui.state.entries import SubagentEntry
from acp_tui.state.reducers import notices
from acp_tui.state.reducers.transcript import add_entry
from acp_tui.state.session import Session, Subagent
from acp_tui.state.state import State
from acp_tui.state.subagents import descendants_of, is_at_work, name_of, root_of


def update_subagent(
    state: State,
    session: Session,
    at: float,
    update: SubagentUpdate | SessionMessage | SessionMessageChunk,
) -> list[Change]:
    """Apply an update about a subagent, or a message between sessions."""
    match update:
        case SubagentUpdate():
            return _updated(state, session, at, update)
        case SessionMessage():
            return _message(state, session, at, update)
    return _chunk(session, at, update)


def _updated(state: State, parent: Session, at: float, update: SubagentUpdate) -> list[Change]:
    """Add a subagent's session, or update it.

    It gets its parent's folder: a folder that the agent names for it gives it no access to files.
    """
    child = attach_subagent(state, parent, at, update)
    if child is None:
        return []
    if child.session_id in parent.indexes.subagents:
        turn = TurnChanged(child.session_id)  # its work may have begun or ended
        return [*_lines_of(parent, child.session_id), turn, ScreenChanged()]
    parent.indexes.subagents[child.session_id] = len(parent.entries)
    entry = SubagentEntry(at, child.session_id, embedded=_is_linked(parent, child.session_id))
    return [*add_entry(parent, entry), ScreenChanged()]


def attach_subagent(
    state: State, parent: Session, at: float, update: SubagentUpdate
) -> Session | None:
    """Apply an update about a subagent; return its session, or None if it isn't a subagent's.

    The user's own sessions never become subagents, and a subagent's parent never changes.
    """
    child = state.session(update.session_id)
    is_new = child.subagent is None
    if child.subagent is None:
        if (
            child.opened
            or child.opening.loading is not None
            or root_of(state, parent.session_id) == child.session_id
        ):
            return None
        child.subagent = Subagent(parent.session_id)
    elif child.subagent.parent != parent.session_id:
        return None
    child.opened, child.cwd = parent.opened, parent.cwd
    child.closed = False
    if is_new and child.opened and child.indexes.subagents:
        open_subagents(state, child)  # its own subagents may have been announced before it
    about, given = child.subagent, update.model_fields_set
    if "title" in given:
        child.title = update.title
    if "description" in given:
        about.description = update.description
    if "state" in given:
        report_state(about, at, update.state, replayed=is_replayed(state, parent))
    if "capabilities" in given:
        about.can_cancel = (update.capabilities or {}).get("cancel") is not None
    return child


def is_replayed(state: State, session: Session) -> bool:
    """Return whether a session, or the root session of a subagent, is being loaded."""
    return state.session(root_of(state, session.session_id)).opening.loading is not None


def report_state(
    about: Subagent, at: float, reported: SubagentState | None, *, replayed: bool = False
) -> None:
    """Replace a subagent's state. None clears it, but doesn't end its work."""
    about.state = reported.state if reported is not None else None
    about.stop_reason = reported.stop_reason if reported is not None else None
    about.error = reported.error.message if reported is not None and reported.error else None
    if reported is None:
        return
    about.usage = reported.usage or about.usage
    if reported.state == "idle":
        about.canceled = None
        if about.ended is None:
            about.ended, about.timed = at, about.timed and not replayed
    elif about.began is None or about.ended is not None:
        about.began, about.ended, about.timed = at, None, not replayed


def hide_replays(state: State, session_id: str) -> None:
    """Hide what is replayed for the subagents of a reopened session: it is already on screen."""
    for child in descendants_of(state, session_id):
        if child.entries:
            child.opening.replay = Session(child.session_id)


def end_replays(state: State, session_id: str) -> None:
    """Stop hiding updates of a session's subagents: the session was opened, or opening it failed."""
    for child in descendants_of(state, session_id):
        child.opening.replay = None


def open_subagents(state: State, parent: Session) -> None:
    """Open the subagents of a session that was just opened: they were announced during its load."""
    for child in descendants_of(state, parent.session_id):
        if not child.closed:
            child.opened, child.cwd = True, parent.cwd


def close_subagents(state: State, session_id: str, at: float) -> None:
    """Close the subagents of a closed session: their work ends with it."""
    for child in descendants_of(state, session_id):
        if is_at_work(state, child) and child.subagent is not None:
            report_state(child.subagent, at, SubagentState(state="idle", stop_reason="closed"))
        child.opened, child.closed = False, True


def lines_changed(state: State, changes: Iterable[Change]) -> list[Change]:
    """Return the changes of the lines that show changed subagents in their parents."""
    changed = {
        change.session_id
        for change in changes
        if isinstance(change, EntryAdded | EntryChanged | TurnChanged)
    }
    found: list[Change] = []
    for session_id in changed:
        child = state.sessions.get(session_id)
        parent = state.sessions.get(child.subagent.parent) if child and child.subagent else None
        if parent is not None and session_id in parent.indexes.subagents:
            found += _lines_of(parent, session_id)
    return found


def _lines_of(parent: Session, session_id: str) -> Iterable[Change]:
    yield EntryChanged(parent.session_id, parent.indexes.subagents[session_id])
    for index, call in parent.calls():
        if session_id in call.linked_sessions:
            yield EntryChanged(parent.session_id, index)


def embed_subagents(session: Session, linked: set[str]) -> list[Change]:
    """Show subagents separately unless a tool call links to them, after the links have changed."""
    changes: list[Change] = []
    for session_id in linked & session.indexes.subagents.keys():
        index = session.indexes.subagents[session_id]
        entry, embedded = session.entries[index], _is_linked(session, session_id)
        if isinstance(entry, SubagentEntry) and entry.embedded is not embedded:
            entry.embedded = embedded
            changes.append(EntryChanged(session.session_id, index))
    return changes


def _is_linked(session: Session, session_id: str) -> bool:
    return any(session_id in call.linked_sessions for _, call in session.calls())


def _message(state: State, session: Session, at: float, update: SessionMessage) -> list[Change]:
    """Add a message between sessions, or update its sender, recipient and content."""
    given = update.model_fields_set
    key = f"message {update.message_id}"
    content = None
    if "content" in given:
        content = "".join(map(_words, update.content or []))
    elif key in session.indexes.notices:
        content = notices.find_notice(session, key).description
    sender, recipient = update.sender_session_id, update.recipient_session_id
    title = "Message"
    if sender != session.session_id:
        title += f" from {_participant(state, session, sender)}"
    if recipient != session.session_id:
        title += f" to {_participant(state, session, recipient)}"
    if key in session.indexes.notices and not given & {"sender_session_id", "recipient_session_id"}:
        title = notices.find_notice(session, key).title
    return notices.set_notice(session, at, key, title, content)


def _participant(state: State, session: Session, session_id: str | None) -> str:
    """Return a session's name as seen from another session; a parent may not have a title yet."""
    is_parent = session.subagent is not None and session_id == session.subagent.parent
    title = state.session(session_id).title if is_parent and session_id is not None else None
    return "the parent" if is_parent and not title else name_of(state, session_id)


def _chunk(session: Session, at: float, update: SessionMessageChunk) -> list[Change]:
    """Append a chunk to a message between sessions."""
    key = f"message {update.message_id}"
    if key not in session.indexes.notices:
        return notices.set_notice(
            session, at, key, "Message between sessions", _words(update.content)
        )
    notice = notices.find_notice(session, key)
    return notices.set_notice(
        session, at, key, notice.title, (notice.description or "") + _words(update.content)
    )


def _words(block: ContentBlock) -> str:
    return block.text if isinstance(block, TextContent) else f"[{block.type}]"
