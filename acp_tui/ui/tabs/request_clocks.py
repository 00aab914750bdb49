"""How long our requests to the agent have been waiting, in words."""

from acp_tui.config.limits import Limits
from acp_tui.formatting import running_duration
from acp_tui.protocol.events import Requested
from acp_tui.state.state import Session, State

OPENINGS = ("session/new", "session/load", "session/resume", "session/fork", "session/list")
"""Requests to an agent that come before there is a session."""


IN_ITS_TAB = (
    "session/load",
    "session/resume",
    "session/set_mode",
    "session/set_model",
    "session/set_config_option",
    "_session/steering",
)
"""Requests that only the tab of their session shows, if there is one; all others are shown
everywhere.
"""


def asked(state: State, session: Session | None) -> list[Requested]:
    """Return the requests that the agent has not answered, without those that another tab shows:
    the oldest first, and canceled ones last. A prompt is not among them: it is the turn.
    """
    told = [call for call in state.calls.values() if _is_told_here(state, session, call)]
    return sorted(told, key=lambda call: call.number in state.cancelled_calls)


def _is_told_here(state: State, session: Session | None, call: Requested) -> bool:
    other = state.sessions.get(getattr(call.params, "session_id", ""), session)
    elsewhere = other is not session and call.method in IN_ITS_TAB
    return call.method != "session/prompt" and not elsewhere


def opening(state: State) -> str:
    """Return the request that will open a session."""
    methods = [call.method for call in state.calls.values() if call.method in OPENINGS]
    return methods[-1] if methods else "session/new"


def waiting_for(state: State, method: str, limits: Limits, now: float) -> str:
    """Return how long an answer has been waited for, and how long it will be: `initialize 12s of 1m
    00s`.
    """
    calls = [call for call in state.calls.values() if call.method == method]
    return clock(state, calls[-1], limits, now) if calls else method


def clock(state: State, call: Requested, limits: Limits, now: float) -> str:
    """Return the same for one request."""
    cancelled = state.cancelled_calls.get(call.number)
    if cancelled is not None:
        return f"{call.method}, canceled {running_duration(now - cancelled)} ago"
    limit = limits.of(call.call)
    words = f"{call.method} {running_duration(now - call.at)}"
    return words if limit is None else f"{words} of {running_duration(limit)}"


def silence(state: State, session: Session | None, now: float) -> float:
    """Return for how many seconds nothing has come in a turn; 0 while the agent waits for the
    person.
    """
    turn = session.turn if session is not None else None
    if session is None or turn is None or state.asks(session.session_id):
        return 0.0
    return now - max(turn.started, state.heard or 0.0)
