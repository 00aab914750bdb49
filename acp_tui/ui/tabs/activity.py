"""Describes the activity of an agent or a session, for the beginning of the status line."""

from acp_tui.config.limits import Limits
from acp_tui.formatting import running_duration, spinner_at
from acp_tui.state.peer import Phase
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.state.subagents import SubagentCondition, condition_of, working_since
from acp_tui.text import clean_line
from acp_tui.ui.keys import key_name
from acp_tui.ui.tabs.conditions import (
    exit_words,
    has_none_open,
    is_left_lost,
    missing_choice,
    opening_request,
    unanswered_requests,
    waiting_for,
)
from acp_tui.ui.tabs.status import StatusPart
from acp_tui.ui.toolkit.shortened import crop_text

_READY = "ready"
_WAITING = "waiting for you"
_LOST = "lost"
_NEEDS_ACTION = "needs an action from you"
_RECORDED = {
    _READY: "idle",
    _WAITING: "a question waits",
    "choose a session": "a session is chosen",
    "choose the options of the session": "its options are chosen",
    _NEEDS_ACTION: "needed an action",
    _LOST: _LOST,
}
"""The words in a replay for what waits for the user in a live session."""
_STATES = {None: "working", "idle": "working", "running": "working", "unknown": "working?"}


def describe_activity(
    state: State,
    session: Session | None,
    limits: Limits,
    now: float,
    since: float,
    *,
    is_recorded: bool = False,
) -> StatusPart:
    """Describe the activity of the agent or the session in a few words, without its troubles.

    `since` is when the agent's start began. If `is_recorded`, nothing is described as waiting for
    the user.
    """
    icon, words, style = _describe_phase(state, session, limits, now, since)
    if is_recorded:
        words = _RECORDED.get(words.split(":")[0], words)
    return StatusPart((f"{icon} {words}",), style, 100)


def shows_clock(state: State, session: Session | None) -> bool:
    """Return whether the activity has a running clock."""
    if session is not None and state.has_open_question(session.session_id):
        return False
    if state.peer.phase is Phase.CONNECTED:
        if session is None:
            return not missing_choice(state)
        works = working_since(state, session) is not None
        return has_none_open(session) or works or bool(unanswered_requests(state, session))
    return state.peer.phase in (Phase.STARTING, Phase.INITIALIZING)


def _describe_phase(
    state: State, session: Session | None, limits: Limits, now: float, since: float
) -> tuple[str, str, str]:
    spinner = spinner_at(now)
    match state.peer.phase:
        case Phase.STARTING:
            return spinner, f"starting agent {running_duration(now - since)}", "$text-muted"
        case Phase.INITIALIZING:
            return spinner, waiting_for(state, "initialize", limits, now), "$text-muted"
        case Phase.SIGN_IN:
            return "◆", "sign-in needed", "bold $warning"
        case Phase.FAILED:
            return "✗", "can't be used", "bold $error"
        case Phase.EXITED:
            asked = state.peer.process.exit is not None and state.peer.process.exit.asked
            words = exit_words(state.peer) if asked else "not running"
            return "✗", words, "bold $error"
        case Phase.NO_SESSION:
            return "✗", "no session", "bold $error"
    if session is None and (what := missing_choice(state)):
        return "◆", f"choose {what}", "bold $warning"
    if is_left_lost(state, session):
        return "✗", f"{_LOST}: {key_name('ctrl+t')} begins a new session", "bold $error"
    if has_none_open(session):
        return spinner, waiting_for(state, opening_request(state), limits, now), "$text-muted"
    assert session is not None
    return _describe_turn(state, session, spinner, now)


def _describe_turn(
    state: State, session: Session, spinner: str, now: float
) -> tuple[str, str, str]:
    if state.has_open_question(session.session_id):
        return "◆", _WAITING, "bold $warning"
    turn = session.turn
    if turn is not None and turn.cancelled is not None:
        return spinner, f"canceling {running_duration(now - turn.cancelled)}", "$warning"
    if session.reported.activity == "requires_action":
        return "◆", _NEEDS_ACTION, "bold $warning"
    if turn is not None:
        words = f"{_working_word(session)} {running_duration(turn.worked(now))}"
        return spinner, words, "bold $primary"
    if session.reported.active is not None:
        words = (
            f"{_working_word(session)} by itself {running_duration(now - session.reported.active)}"
        )
        return spinner, words, "bold $primary"
    if session.subagent is not None:
        return _describe_subagent(state, session, spinner, now)
    if session.reported.activity == "unknown":
        return "◌", "unknown activity", "$warning"
    return "○", _READY, "$success"


def _describe_subagent(
    state: State, child: Session, spinner: str, now: float
) -> tuple[str, str, str]:
    """Return the sign, words and style for a subagent's condition in its own tab."""
    condition = condition_of(state, child)
    began = working_since(state, child)
    if condition is SubagentCondition.NEEDS_ACTION:
        return "◆", _NEEDS_ACTION, "bold $warning"
    if began is not None:
        return spinner, f"{condition} {running_duration(now - began)}", "bold $primary"
    failed = condition in (SubagentCondition.FAILED, SubagentCondition.LOST)
    return ("✗", condition, "bold $error") if failed else ("○", condition, "$text-muted")


def _working_word(session: Session) -> str:
    """Return the word for a working session: the agent's own, unless that is a common one."""
    reported = session.reported.activity
    return _STATES.get(reported) or f"busy: {crop_text(clean_line(reported or ''), 30)}"
