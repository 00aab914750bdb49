"""Sessions that the agent opens for subagents, and messages between sessions (unstable)."""

from acp_tui.protocol.content import ContentBlock, TextContent
from acp_tui.protocol.updates import SessionMessage, SessionMessageChunk, SubagentUpdate
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.reducers import notices
from acp_tui.state.state import Session, State, Subagent

STATES = {"running": "working", "requires_action": "waits for an action", "idle": "ready"}


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
    """Add an announced subagent, or update it.

    It is given its parent's folder: a folder that it claims gives it no right to files.
    """
    child = state.session(update.session_id)
    if child.subagent is None:
        if child.opened:
            return []  # a session of the person's own
        child.subagent = Subagent(parent.session_id)
    child.opened, child.cwd = parent.opened, parent.cwd
    about, given = child.subagent, update.model_fields_set
    if "title" in given:
        child.title = update.title
    if "description" in given:
        about.description = update.description
    if "state" in given:
        about.state = update.state.state if update.state is not None else None
    if "capabilities" in given:
        about.can_cancel = (update.capabilities or {}).get("cancel") is not None
    name = child.title or child.session_id
    title = f"Subagent {name}: {STATES.get(about.state or '', 'not known what it does')}"
    changes = notices.put_notice(
        parent, at, f"subagent {child.session_id}", title, about.description
    )
    return [*changes, ScreenChanged()]


def _message(state: State, session: Session, at: float, update: SessionMessage) -> list[Change]:
    """Add a message from one session to another, or update its sender and recipient."""
    given = update.model_fields_set
    key = f"message {update.message_id}"
    content = None
    if "content" in given:
        content = "".join(map(_words, update.content or []))
    elif key in session.notices:
        content = notices.find_notice(session, key).description
    sender, recipient = (
        _name(state, one) for one in (update.sender_session_id, update.recipient_session_id)
    )
    title = f"Message from {sender} to {recipient}"
    if key in session.notices and not given & {"sender_session_id", "recipient_session_id"}:
        title = notices.find_notice(session, key).title
    return notices.put_notice(session, at, key, title, content)


def _chunk(session: Session, at: float, update: SessionMessageChunk) -> list[Change]:
    """Append a chunk to a message between sessions."""
    key = f"message {update.message_id}"
    if key not in session.notices:
        return notices.put_notice(
            session, at, key, "Message between sessions", _words(update.content)
        )
    notice = notices.find_notice(session, key)
    return notices.put_notice(
        session, at, key, notice.title, (notice.description or "") + _words(update.content)
    )


def _name(state: State, session_id: str | None) -> str:
    session = state.sessions.get(session_id or "")
    return (session and session.title) or session_id or "?"


def _words(block: ContentBlock) -> str:
    return block.text if isinstance(block, TextContent) else f"[{block.type}]"
