"""What a session is called on the screen."""

from acp_tui.session.state import Session
from acp_tui.text import clean_line
from acp_tui.ui.words import cropped

SHORT_ID = 9


def session_name(session: Session) -> str:
    """The session's title; without one the beginning of its id."""
    return clean_line(session.title or "") or cropped(clean_line(session.session_id), SHORT_ID)
