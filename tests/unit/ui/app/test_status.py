from dataclasses import replace

import pytest
from rich.cells import cell_len

from acp_tui.config.limits import Limits
from acp_tui.protocol.config_options import SessionModel, SessionModelState
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import ProcessExited
from acp_tui.protocol.quota import QuotaWindow
from acp_tui.protocol.setup import SessionParams
from acp_tui.protocol.updates import Cost
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.peer import Peer, ProcessState
from acp_tui.ui.tabs import activity, conditions, status
from tests.unit.ui.app import states


def line(state_and_session: object, width: int = 200, wrong: tuple[int, int] = (0, 0)) -> str:
    state, session = state_and_session  # type: ignore[misc]
    parts = [
        activity.describe_activity(state, session, Limits(), states.NOW, states.NOW - 3),
        *status.status_facts(state, session, Limits(), states.NOW, wrong),
    ]
    return "  ".join(text for text in status.fit_parts(parts, width) if text)


def test_each_phase_has_its_words() -> None:
    assert "starting agent 3s" in line((states.starting(), None))
    assert "initialize 12s" in line((states.initializing(), None))
    assert "session/new" in line((states.connected(), None))
    assert "sign-in needed" in line((states.signing_in(), None))
    assert "✗ can't be used" in line((states.not_found(), None))
    assert "✗ no session" in line((states.without_session(), None))
    assert "○ ready" in line(states.talked())
    assert "working 12s" in line(states.working())
    assert "waiting for you" in line(states.asking())
    assert "✗ not running" in line(states.died())


def test_what_is_asked_of_the_agent_has_a_clock() -> None:
    state, session = states.talked()
    asked = Requested(Direction.OUT, states.NOW - 0.5, 60, 6, "session/list", None)
    state.calls[60] = asked
    assert "session/list" not in line((state, session))
    state.calls[60] = asked._replace(at=states.NOW - 12)
    assert "○ ready  session/list 12s of 1m 00s (Esc)" in line((state, session))
    assert "session/list 12s of 1m 00s" in line((state, session), 50)
    assert activity.shows_clock(state, session)
    state.cancelled_calls[60] = states.NOW - 2
    assert "session/list, canceled 2s ago" in line((state, session))
    assert "(Esc)" not in line((state, session))
    state.calls = {60: asked._replace(at=0.0, method="session/prompt")}
    assert "prompt" not in line((state, session))


@pytest.mark.parametrize(
    ("method", "there", "told"),
    [
        ("session/set_mode", True, False),
        ("session/resume", True, False),
        ("session/resume", False, True),
        ("session/fork", False, True),
        ("session/delete", False, True),
        ("session/close", True, True),
    ],
)
def test_what_is_asked_about_another_session_is_told_where_nothing_else_tells_it(
    method: str, there: bool, told: bool
) -> None:
    state, session = states.talked()
    if there:
        state.session("other")
    params = SessionParams(session_id="other")
    state.calls[60] = Requested(Direction.OUT, states.NOW - 5, 60, 6, method, params)
    assert (f"{method} 5s of" in line((state, session))) == told
    assert bool(conditions.unanswered_requests(state, session)) == told


def test_of_several_requests_that_is_told_which_can_be_taken_back_next() -> None:
    state, session = states.talked()
    for number, method in ((60, "session/list"), (61, "logout")):
        at = states.NOW - 5
        state.calls[number] = Requested(Direction.OUT, at, number, number, method, None)
    assert "session/list 5s of 1m 00s +1 (Esc)" in line((state, session))
    state.cancelled_calls[60] = states.NOW
    assert "logout 5s of 1m 00s +1 (Esc)" in line((state, session))
    state.cancelled_calls[61] = states.NOW
    assert "session/list, canceled 0s ago +1" in line((state, session))


def test_beside_a_turn_that_is_cancelled_the_key_is_free_for_another_request() -> None:
    state, session = states.working()
    assert session.turn is not None
    params = SessionParams(session_id=session.session_id)
    state.calls[60] = Requested(Direction.OUT, states.NOW - 5, 60, 6, "session/set_mode", params)
    assert "session/set_mode 5s of 30s" in line((state, session))
    assert "(Esc)" not in line((state, session))
    session.turn.cancelled = states.NOW
    assert "session/set_mode 5s of 30s (Esc)" in line((state, session))


def test_the_key_is_named_that_ends_the_wait_for_a_session() -> None:
    state = states.connected()
    state.calls[5] = Requested(Direction.OUT, states.NOW - 12, 5, 2, "session/new", None)
    assert "session/new 12s of 1m 00s  Esc twice cancels" in line((state, None))
    state.cancelled_calls[5] = states.NOW
    assert "twice" not in line((state, None))
    state, session = states.talked()
    state.sessions["other"] = replace(session, session_id="other")
    session.opened = False
    state.calls[5] = Requested(Direction.OUT, states.NOW - 12, 5, 2, "session/new", None)
    assert "session/new 12s of 1m 00s  Esc cancels" in line((state, session))


def test_a_session_that_did_not_come_back_is_told() -> None:
    state, session = states.talked()
    session.lost = True
    assert "✗ lost: Ctrl+T begins a new session" in line((state, session))


def test_silence_in_a_turn_is_told() -> None:
    state, session = states.working()
    state.last_received = states.NOW - 29
    assert session.turn is not None
    session.turn.request = session.turn.request._replace(at=states.NOW - 90)
    assert "no frame" not in line((state, session))
    state.last_received = states.NOW - 45
    assert "working 1m 30s  no message for 45s" in line((state, session))
    assert "no message for 45s" in line((state, session), 50)
    states.ask(state, session, 50, "Wait for me")
    assert "no frame" not in line((state, session))


@pytest.mark.parametrize(
    ("wrong", "seen", "style"),
    [((0, 3), 0, "$text-muted"), ((2, 0), 0, "$warning"), ((2, 0), 1, "$warning"), ((2, 9), 2, "$text-muted")],
)  # fmt: skip
def test_only_errors_that_nobody_has_seen_stand_out(
    wrong: tuple[int, int], seen: int, style: str
) -> None:
    state, session = states.working()
    parts = status.status_facts(state, session, Limits(), states.NOW, wrong, seen_errors=seen)
    (told,) = (part for part in parts if part.forms[0].startswith("protocol:"))
    assert told.style == style


def test_everything_is_told_where_there_is_room() -> None:
    state, session = states.working()
    state.peer.stalled, state.peer.waiting = states.NOW, 1_234_567
    told = line((state, session), wrong=(3, 1))
    for words in (
        "agent isn't reading: 1.2 MB wait",
        "protocol: 3 errors, 1 warning (F12)",
        "Gemini CLI 0.8.1",
        "mode Default",
        "Bernoulli numbers",
        "context 6%",
    ):
        assert words in told


@pytest.mark.parametrize("width", [80, 60, 50])
def test_what_matters_less_gives_way_first(width: int) -> None:
    state, session = states.working()
    state.peer.stalled, state.peer.waiting = states.NOW, 1_234_567
    told = line((state, session), width, (3, 1))
    assert cell_len(told) <= width
    assert "working 12s" in told
    assert "1.2 MB wait" in told
    assert "Default" in told


def test_parts_too_wide_at_their_shortest_stay_at_their_shortest() -> None:
    part = status.StatusPart(("long", "s"), "", 1)
    assert status.fit_parts([part, part._replace(weight=2)], 0) == ["s", "s"]


def test_signal_is_named() -> None:
    assert (
        conditions.exit_words(Peer(process=ProcessState(exit=ProcessExited(0, None, "SIGKILL"))))
        == "killed by SIGKILL"
    )


def test_context_is_a_bar_where_there_is_room_and_its_cost_is_told() -> None:
    state, session = states.talked()
    session.usage.used, session.usage.size = 150_000, 200_000
    session.usage.cost = Cost(amount=1.5, currency="EUR")
    assert "context 75%  ━━━━━━━━━─── 150k/200k  cost 1.50 EUR" in line((state, session))
    assert "━" not in line((state, session), 80)
    session.usage.used = 900_000
    assert "context 450%  ━━━━━━━━━━━━ 900k/200k" in line((state, session))


@pytest.mark.parametrize(
    ("used", "words", "style"),
    [
        (69.9, None, ""),
        (70.0, "5-hour limit 70%, resets ", "$text-muted"),
        (84.9, "5-hour limit 84%, resets ", "$warning"),
        (96.0, "5-hour limit 96%, resets ", "bold $error"),
        (120.0, "5-hour limit 120%, resets ", "bold $error"),
    ],
)
def test_a_plan_is_named_once_much_of_it_is_used(
    used: float, words: str | None, style: str
) -> None:
    now = 1.79e9
    state, session = states.talked()
    state.quota = {
        "seven_day": QuotaWindow("seven_day", 30.0, now + 60),
        "five_hour": QuotaWindow("five_hour", used, now + 60),
    }
    told = status.status_facts(state, session, Limits(), states.NOW, (0, 0), date=now)
    found = [one for one in told if "limit" in one.forms[0]]
    assert [one.forms[0][: len(words or "")] for one in found] == ([words] if words else [])
    assert [one.style for one in found] == ([style] if words else [])
    later = status.status_facts(state, session, Limits(), states.NOW, (0, 0), date=now + 61)
    assert not any("limit" in one.forms[0] for one in later)


def test_a_recording_shows_the_plan_as_it_was() -> None:
    state, session = states.talked()
    state.quota = {"five_hour": QuotaWindow("five_hour", None, 1.1e9, rejected=True)}
    assert "5-hour limit used up, resets " in line((state, session))
    state.quota = {"five_hour": QuotaWindow("five_hour", 90.0)}
    assert "5-hour limit 90%  " in line((state, session))
    assert "  90%  " in line((state, session), 28)


def test_the_wait_for_the_person_is_not_the_agents_work() -> None:
    state, session = states.working()
    assert session.turn is not None
    session.turn.waiting.seconds = 9.0
    assert "working 3s" in line((state, session))


def test_long_title_takes_the_room_there_is() -> None:
    state, session = states.talked()
    session.title = "A title given by the agent " * 3
    assert session.title in line((state, session))
    assert "A title given by the …" in line((state, session), 80)


def test_current_model_is_told_and_findings_name_their_key() -> None:
    state, session = states.talked()
    session.config.models = SessionModelState(
        current_model_id="x", available_models=[SessionModel(model_id="x", name="Large X")]
    )
    assert "Large X" in line((state, session))
    assert "protocol: 12 errors, 1,234 warnings (F12)" in line((state, session), wrong=(12, 1234))
    assert "protocol: 1 warning (F12)" in line((state, session), wrong=(0, 1))
    assert "protocol" not in line((state, session))
    assert "E12 F12" in line((state, session), 36, (12, 0))
    assert "E12  Default" in line((state, session), 24, (12, 0))
