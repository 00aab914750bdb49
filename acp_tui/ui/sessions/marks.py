"""What goes on in a session, as a sign and a word."""

from acp_tui.session.entries import TurnEndEntry
from acp_tui.session.state import Session, State

RECENT = 20
"""How many of the last entries are looked through for the end of a turn."""

Mark = tuple[str, str, str]
"""Sign, word, style."""


def mark(state: State, session: Session, unread: bool, spinner: str) -> Mark:
    """`spinner` is how the sign of work looks now."""
    asked = any(one.session_id == session.session_id for one in state.elicitations)
    if session.permissions or asked:
        return "◆", "waiting for you", "bold $warning"
    if session.loading is not None:
        return spinner, "loading", "$text-muted"
    if session.turn is not None:
        return spinner, "working", "$primary"
    if session.lost:
        return "✖", "lost", "$error"
    if _failed(session):
        return "✖", "failed", "$error"
    return ("●", "done", "$success") if unread else ("○", "ready", "$text-muted")


def works(session: Session) -> bool:
    """Whether its sign moves."""
    return session.turn is not None or session.loading is not None


def name(session: Session) -> str:
    """The session's name for people."""
    return session.title or session.session_id[:8]


def _failed(session: Session) -> bool:
    for entry in reversed(session.entries[-RECENT:]):
        if isinstance(entry, TurnEndEntry):
            return entry.error is not None or entry.lost is not None
    return False
