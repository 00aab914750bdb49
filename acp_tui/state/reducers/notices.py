"""The client's own notices, in a session's transcript or outside all sessions."""

from acp_tui.protocol.events import ClientNotice, LimitReached, OwnFault
from acp_tui.protocol.file_events import UnapprovedChange
from acp_tui.state.changes import Change, EntryChanged, NoticeAdded, ScreenChanged
from acp_tui.state.entries import NoticeEntry
from acp_tui.state.modes import no_approval_words, unasked_choice
from acp_tui.state.reducers.transcript import add_entry
from acp_tui.state.session import Session
from acp_tui.state.state import State


def apply_notice(
    state: State, event: ClientNotice | OwnFault | LimitReached | UnapprovedChange
) -> list[Change]:
    """Apply an event that notifies the user."""
    if isinstance(event, OwnFault):
        return _own_fault(state, event)
    if isinstance(event, LimitReached):
        return _limit_reached(state, event)
    if isinstance(event, UnapprovedChange):
        title = "Changed without permission"
        return notify_person(state, event.at, event.session_id, "warning", title, event.words)
    return notify_person(
        state, event.at, event.session_id, event.severity, event.title, event.description
    )


def notify_person(
    state: State,
    at: float,
    session_id: str | None,
    severity: str,
    title: str,
    description: str | None = None,
) -> list[Change]:
    """Notify the user; if no session is open, an error is also stored as the agent's trouble."""
    notice = NoticeEntry(at, severity, title, description, ours=True, ended=at)
    if session_id is not None:
        return add_entry(state.session(session_id), notice)
    state.notices.append(notice)
    changes: list[Change] = [NoticeAdded(len(state.notices) - 1)]
    if severity == "error" and not state.open_sessions():
        state.peer.trouble = title if description is None else f"{title}: {description}"
        changes.append(ScreenChanged())
    return changes


def _own_fault(state: State, event: OwnFault) -> list[Change]:
    """Report a bug of acp-tui in its session; it is never stored as the agent's trouble."""
    title = f"A bug in acp-tui, in {event.doing}"
    words = f"{event.error}\nPlease report it; a recording holds its traceback, as OwnFault."
    session = state.sessions.get(event.session_id or "")
    if session is not None and session.opened:
        return add_entry(
            session, NoticeEntry(event.at, "error", title, words, ours=True, ended=event.at)
        )
    return notify_person(state, event.at, None, "warning", title, words)


def _limit_reached(state: State, event: LimitReached) -> list[Change]:
    session = state.session(event.session_id)
    turn = session.turn
    if turn is None:
        session.refused = event.why
        return notify_person(state, event.at, event.session_id, "error", "Not sent", event.why)
    turn.over_limit = event.why
    return notify_person(state, event.at, event.session_id, "warning", "Turn canceled", event.why)


def canceled_severity(state: State) -> str:
    """Return the severity of a canceled request: an error if there is no session yet, as opening
    one has to be started again.
    """
    stuck = not state.open_sessions() and not state.catalogue.requested
    return "error" if stuck else "info"


def set_notice(
    session: Session,
    at: float,
    key: str,
    title: str,
    description: str | None,
    severity: str = "info",
    *,
    ours: bool = True,
) -> list[Change]:
    """Add a notice to the transcript, or replace the one with the same key."""
    if key not in session.indexes.notices:
        session.indexes.notices[key] = len(session.entries)
        return add_entry(
            session, NoticeEntry(at, severity, title, description, ours=ours, ended=at)
        )
    notice = find_notice(session, key)
    notice.severity, notice.title, notice.description = severity, title, description
    notice.ours = ours
    return [EntryChanged(session.session_id, session.indexes.notices[key])]


def find_notice(session: Session, key: str) -> NoticeEntry:
    """Return the notice with this key."""
    notice = session.entries[session.indexes.notices[key]]
    assert isinstance(notice, NoticeEntry)
    return notice


def announce_mode(session: Session, at: float) -> list[Change]:
    """Add a notice when a session enters a mode, or an option is set, that skips approval."""
    unasked = unasked_choice(session)
    before, session.config.unasked_mode = (
        session.config.unasked_mode,
        unasked.id if unasked else None,
    )
    if unasked is None or unasked.id == before:
        return []
    title = no_approval_words(session, unasked)
    said = f"The agent says of it: {unasked.description}" if unasked.description else None
    notice = NoticeEntry(at, "warning", title, said, ours=True, ended=at, mode=unasked.id)
    return add_entry(session, notice)
