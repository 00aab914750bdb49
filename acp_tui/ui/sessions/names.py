"""What a session is called on the screen."""

from acp_tui.session.state import Peer, Session, State
from acp_tui.text import clean_line
from acp_tui.ui.words import in_middle

SHORT_ID = 9


def session_name(state: State, session: Session) -> str:
    """Return the session's title; without one, the two ends of its id."""
    title = clean_line(title_of(state, session.session_id))
    return title or in_middle(clean_line(session.session_id), SHORT_ID)


def title_of(state: State, session_id: str) -> str:
    """Return the title of a session that is open or stored by the agent; an empty text without one."""
    both = (state.sessions.get(session_id), state.catalogue.sessions.get(session_id))
    return next((one.title for one in both if one is not None and one.title), "")


def opens_again(peer: Peer) -> bool:
    """Return whether the agent can reopen a stored session."""
    return peer.offers("session/load") or peer.offers("session/resume")
