"""Conditions that agents and sessions are in, as the screen and its keys distinguish them."""

from acp_tui.protocol.events import Disconnected
from acp_tui.state.state import Peer, Phase, Session, State
from acp_tui.text import clean_line
from acp_tui.ui.tabs.request_clocks import OPENINGS

CANCEL_PATIENCE = 3.0
"""Seconds that an agent gets to end a canceled turn before a restart is offered."""


TROUBLED = (Phase.FAILED, Phase.EXITED, Phase.NO_SESSION)
"""How far the connection to an agent is that can't be used."""


def is_ready(peer: Peer, session: Session | None) -> bool:
    """Return whether a prompt is sent at once, unless a turn runs."""
    return peer.phase is Phase.CONNECTED and not has_none_open(session)


def has_none_open(session: Session | None) -> bool:
    """Return whether there is no session yet, or no longer."""
    return session is None or not session.opened or session.lost


def choosing(state: State) -> bool:
    """Return whether the person has to choose which session to open."""
    return state.catalogue.asked and not opens_session(state)


def is_left_lost(state: State, session: Session | None) -> bool:
    """Return whether a session went with its process, and the agent that runs now isn't asked for it."""
    is_there = state.peer.phase is Phase.CONNECTED
    return session is not None and session.lost and is_there and not opens_session(state)


def opens_session(state: State) -> bool:
    """Return whether the agent was asked to open a session and hasn't answered."""
    return any(call.method in OPENINGS for call in state.calls.values())


def is_working(session: Session | None) -> bool:
    """Return whether there is work that can be canceled: a turn, or the agent's own."""
    if session is None or session.turn is None:
        return session is not None and session.active is not None
    return session.turn.cancelled is None


def overdue(session: Session | None, now: float) -> bool:
    """Return whether the agent doesn't end a turn that was canceled."""
    turn = session.turn if session is not None else None
    return (
        turn is not None
        and turn.cancelled is not None
        and (now - turn.cancelled >= CANCEL_PATIENCE)
    )


def is_stuck(peer: Peer, session: Session | None, now: float) -> bool:
    """Return whether only a restart helps: the agent doesn't end a turn, or doesn't read what it is
    sent.
    """
    return peer.stalled is not None or overdue(session, now)


def exit_words(peer: Peer) -> str:
    """Return how the agent's process ended, in words."""
    if peer.exit is None:
        return "not running"
    if isinstance(peer.exit, Disconnected):
        return clean_line(peer.exit.words)
    if peer.exit.signal:
        return f"killed by {clean_line(peer.exit.signal)}"
    return f"exited with code {peer.exit.code}"
