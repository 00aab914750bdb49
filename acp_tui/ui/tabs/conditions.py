"""Conditions of agents and sessions that screens and keys distinguish, and the waiting times of our
requests.
"""

from acp_tui.config.limits import Limits
from acp_tui.formatting import running_duration
from acp_tui.protocol.process_events import Disconnected
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.peer import Peer, Phase
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.text import clean_line

OPENINGS = (
    *("session/new", "session/load", "session/resume", "session/fork", "session/list"),
    "session/options",
)
"""Requests to an agent that precede a session."""
IN_ITS_TAB = (
    "session/load",
    "session/resume",
    "session/set_mode",
    "session/set_model",
    "session/set_config_option",
    "_session/steering",
)
"""Requests that only the tab of their session shows, if it has one; all others are shown
everywhere.
"""
CANCEL_PATIENCE = 3.0
"""Seconds that an agent gets to end a canceled turn before a restart is offered."""
TROUBLED = (Phase.FAILED, Phase.EXITED, Phase.NO_SESSION)
"""The phases of an agent that can't be used."""


def unanswered_requests(state: State, session: Session | None) -> list[Requested]:
    """Return the requests that the agent hasn't answered, without those that another tab shows;
    oldest first, canceled ones last.

    A prompt isn't among them: it is the turn.
    """
    found = []
    for call in state.calls.values():
        asker = state.sessions.get(getattr(call.params, "session_id", ""), session)
        is_elsewhere = asker is not session and call.method in IN_ITS_TAB
        if call.method != "session/prompt" and not is_elsewhere:
            found.append(call)
    return sorted(found, key=lambda call: call.number in state.cancelled_calls)


def opening_request(state: State) -> str:
    """Return the method of the request that opens a session."""
    methods = [call.method for call in state.calls.values() if call.method in OPENINGS]
    return methods[-1] if methods else "session/new"


def waiting_for(state: State, method: str, limits: Limits, now: float) -> str:
    """Return how long the newest request of a method has waited, and its limit: `initialize 12s of
    1m 00s`.
    """
    calls = [call for call in state.calls.values() if call.method == method]
    return request_clock(state, calls[-1], limits, now) if calls else method


def request_clock(state: State, call: Requested, limits: Limits, now: float) -> str:
    """Return how long a request has waited, and its limit; for a canceled one, how long ago it was
    canceled.
    """
    cancelled = state.cancelled_calls.get(call.number)
    if cancelled is not None:
        return f"{call.method}, canceled {running_duration(now - cancelled)} ago"
    limit = limits.of(call.call)
    words = f"{call.method} {running_duration(now - call.at)}"
    return words if limit is None else f"{words} of {running_duration(limit)}"


def silent_seconds(state: State, session: Session | None, now: float) -> float:
    """Return the seconds since the agent's last frame in a turn; 0 while it waits for the user."""
    turn = session.turn if session is not None else None
    if session is None or turn is None or state.has_open_question(session.session_id):
        return 0.0
    return now - max(turn.started, state.last_received or 0.0)


def is_ready(peer: Peer, session: Session | None) -> bool:
    """Return whether a prompt would be sent at once, unless a turn is running."""
    return peer.phase is Phase.CONNECTED and not has_none_open(session)


def has_none_open(session: Session | None) -> bool:
    """Return whether there is no open session, or it was lost."""
    return session is None or not session.opened or session.lost


def chooses_session(state: State) -> bool:
    """Return whether the user has to choose which session to open."""
    return state.catalogue.requested and not opens_session(state)


def missing_choice(state: State) -> str:
    """Return what the user has to choose before a session is opened; "" for nothing."""
    if chooses_session(state):
        return "a session"
    is_offered = state.catalogue.offer is not None and not state.sessions
    return "the options of the session" if is_offered and not opens_session(state) else ""


def is_left_lost(state: State, session: Session | None) -> bool:
    """Return whether a session was lost with its process, and the agent isn't being asked to open
    one.
    """
    is_there = state.peer.phase is Phase.CONNECTED
    return session is not None and session.lost and is_there and not opens_session(state)


def opens_session(state: State) -> bool:
    """Return whether a request that opens a session is pending."""
    return any(call.method in OPENINGS for call in state.calls.values())


def is_working(session: Session | None) -> bool:
    """Return whether there is work that can be canceled: a turn, or the agent's own."""
    if session is None or session.turn is None:
        return session is not None and session.reported.active is not None
    return session.turn.cancelled is None


def is_overdue(session: Session | None, now: float) -> bool:
    """Return whether the agent is late in ending a canceled turn."""
    turn = session.turn if session is not None else None
    return (
        turn is not None
        and turn.cancelled is not None
        and (now - turn.cancelled >= CANCEL_PATIENCE)
    )


def is_stuck(peer: Peer, session: Session | None, now: float) -> bool:
    """Return whether only a restart helps: the agent doesn't end a turn, or doesn't read its input."""
    return peer.stalled is not None or is_overdue(session, now)


def exit_words(peer: Peer) -> str:
    """Return how the agent's process ended, as text."""
    ended = peer.process.exit
    if ended is None:
        return "not running"
    return clean_line(ended.words if isinstance(ended, Disconnected) else ended.how)
