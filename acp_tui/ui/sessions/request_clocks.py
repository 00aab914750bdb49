"""The clocks of what we asked of the agent, in words."""

from acp_tui.config.limits import Limits
from acp_tui.formatting import running_duration
from acp_tui.protocol.events import Requested
from acp_tui.session.state import Session, State

OPENINGS = ("session/new", "session/load", "session/resume", "session/fork", "session/list")
"""What is asked of an agent before there is a session."""


IN_ITS_TAB = (
    "session/load",
    "session/resume",
    "session/set_mode",
    "session/set_model",
    "session/set_config_option",
    "_session/steering",
)
"""What the tab of its session alone shows, if there is one; the rest is asked from anywhere."""


def asked(state: State, session: Session | None) -> list[Requested]:
    """What the agent owes an answer, but for that of which another tab tells: the oldest first, and
    what was taken back last. A prompt is not in it: that is the turn.
    """
    told = [call for call in state.calls.values() if _is_told_here(state, session, call)]
    return sorted(told, key=lambda call: call.number in state.cancelled_calls)


def _is_told_here(state: State, session: Session | None, call: Requested) -> bool:
    other = state.sessions.get(getattr(call.params, "session_id", ""), session)
    elsewhere = other is not session and call.method in IN_ITS_TAB
    return call.method != "session/prompt" and not elsewhere


def opening(state: State) -> str:
    """The request that will open a session."""
    methods = [call.method for call in state.calls.values() if call.method in OPENINGS]
    return methods[-1] if methods else "session/new"


def waiting_for(state: State, method: str, limits: Limits, now: float) -> str:
    """`initialize 12s of 1m 00s`: how long it has been waited for, and how long it will be."""
    calls = [call for call in state.calls.values() if call.method == method]
    return clock(state, calls[-1], limits, now) if calls else method


def clock(state: State, call: Requested, limits: Limits, now: float) -> str:
    """The same for one request."""
    cancelled = state.cancelled_calls.get(call.number)
    if cancelled is not None:
        return f"{call.method}, cancelled {running_duration(now - cancelled)} ago"
    limit = limits.of(call.method)
    words = f"{call.method} {running_duration(now - call.at)}"
    return words if limit is None else f"{words} of {running_duration(limit)}"


def silence(state: State, session: Session | None, now: float) -> float:
    """For how many seconds nothing has come in a turn; 0 while the agent waits for the person."""
    turn = session.turn if session is not None else None
    if session is None or turn is None or state.asks(session.session_id):
        return 0.0
    return now - max(turn.started, state.heard or 0.0)
