"""A turn that takes too long, and a session that uses too much, are canceled, and that is said."""

import time
from pathlib import Path

import anyio
import pytest

from acp_tui.client.budget_keeper import BudgetKeeper
from acp_tui.client.last_seen import quota_key
from acp_tui.client.launch import Budget, Launch
from acp_tui.formatting import reset_words
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.process_events import ProcessStarted
from acp_tui.protocol.quota import QuotaWindow
from acp_tui.state.commands import (
    AnswerPermission,
    Authenticate,
    Interrupt,
    SetBreakpoint,
    TerminalSignedIn,
)
from acp_tui.state.session import Session, Turn
from acp_tui.store.seen_agents import write_quota
from tests.fake_agent.script import Played, Script
from tests.hosting import PATIENCE, Host, hosting

pytestmark = pytest.mark.anyio


def told(host: Host) -> list[str]:
    assert {one.title for one in host.notices} <= {"Turn canceled", "Not sent"}
    return [one.description or "" for one in host.notices]


def canceled(script: Script) -> Script:
    return script.expect("session/cancel").end_turn("cancelled")


async def test_a_turn_that_takes_too_long_is_canceled_once(tmp_path: Path) -> None:
    script = canceled(Script().handshake().prompt().chunk("slow"))
    async with hosting(script.argv(tmp_path), tmp_path, budget=Budget(seconds=0.3)) as host:
        await host.opened()
        end = await host.turn()
        assert told(host) == [end.over_limit] == ["It took over 0.3s (--max-time)."]
    Played(tmp_path).check()


class Looks:
    """Counts how often the keeper looked at a turn, and lets the client's clock jump."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, host: Host) -> None:
        self.count = 0
        self._core = host.client._core
        look = BudgetKeeper._check_limits

        def counted(keeper: BudgetKeeper, session: Session, turn: Turn) -> None:
            look(keeper, session, turn)
            self.count += 1

        monkeypatch.setattr(BudgetKeeper, "_check_limits", counted)

    def jump(self, seconds: float) -> None:
        clock = self._core.clock
        self._core.clock = lambda: clock() + seconds

    async def twice(self) -> None:
        seen = self.count
        with anyio.fail_after(PATIENCE):
            while self.count < seen + 2:
                await anyio.sleep(0.01)


async def test_what_a_person_takes_to_answer_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script().handshake().prompt().ask_permission()
    script = canceled(script.expect_answer("ask").chunk("allowed"))
    async with hosting(script.argv(tmp_path), tmp_path, budget=Budget(seconds=60)) as host:
        await host.opened()
        looks = Looks(monkeypatch, host)
        host.prompt()
        (permission,) = await host.permission()
        looks.jump(3600)
        await looks.twice()
        assert told(host) == []
        host.do(AnswerPermission(permission.number, "yes"))
        await host.until(lambda: "allowed" in host.said)
        looks.jump(61)
        await host.turn_ended()
        assert told(host) == ["It took over 1m 00s (--max-time)."]
    Played(tmp_path).check()


async def test_the_time_in_which_a_frame_is_held_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = tmp_path / "gate"
    script = Script().handshake().prompt().chunk("a").until(gate).end_turn()
    async with hosting(script.argv(tmp_path), tmp_path, budget=Budget(seconds=60)) as host:
        await host.opened()
        looks = Looks(monkeypatch, host)
        host.do(SetBreakpoint("params.update.content.text:a"))
        host.prompt()
        await host.until(lambda: host.state.holding.frames)
        looks.jump(3600)
        await looks.twice()
        assert told(host) == []
        gate.touch()
        await host.turn_ended()
        assert told(host) == []


@pytest.mark.parametrize(
    ("budget", "usage", "words"),
    [
        (
            Budget(cost=0.5),
            {"used": 10, "size": 100, "cost": {"amount": 0.75, "currency": "USD"}},
            "The session has cost 0.75 USD, and --max-cost is 0.5.",
        ),
        (
            Budget(tokens=50),
            {"used": 60, "size": 100},
            "The session has used 60 tokens, and --max-tokens is 50.",
        ),
    ],
)
async def test_a_session_that_uses_too_much_is_canceled_and_prompted_no_more(
    tmp_path: Path, budget: Budget, usage: dict[str, object], words: str
) -> None:
    script = canceled(Script().handshake().prompt().update("usage_update", **usage))
    async with hosting(script.argv(tmp_path), tmp_path, budget=budget) as host:
        await host.opened()
        await host.turn()
        assert told(host) == [words]
        host.prompt("more")
        assert told(host) == [words, words]
        assert not host.state.calls
    Played(tmp_path).check()


async def test_the_tokens_of_turns_add_up(tmp_path: Path) -> None:
    script = Script().handshake()
    for _ in range(2):
        script.prompt().reply("prompt", {"stopReason": "end_turn", "usage": {"totalTokens": 30}})
    async with hosting(script.argv(tmp_path), tmp_path, budget=Budget(tokens=50)) as host:
        await host.opened()
        await host.turn()
        await host.turn()
        host.prompt("more")
        assert told(host) == ["The session has used 60 tokens, and --max-tokens is 50."]


async def test_a_session_within_its_budget_is_left_alone(tmp_path: Path) -> None:
    script = Script().handshake().prompt()
    cost = {"amount": 0.4, "currency": "USD"}
    script.update("usage_update", used=40, size=100, cost=cost).end_turn()
    budget = Budget(seconds=60, cost=0.5, tokens=50)
    async with hosting(script.argv(tmp_path), tmp_path, budget=budget) as host:
        await host.opened()
        await host.turn()
        assert told(host) == []
    Played(tmp_path).check()


IN_AN_HOUR = time.time() + 3600


def of_quota(host: Host) -> list[tuple[str, str | None]]:
    return [(one.title, one.description) for one in host.notices if one.title != "Not sent"]


async def test_each_limit_of_a_plan_is_warned_of_once_at_each_level(tmp_path: Path) -> None:
    script = Script().handshake().prompt()
    for percent in (60, 81, 84, 96, 97):
        script.quota(percent, resets_at=IN_AN_HOUR)
    script.quota(50, limit="seven_day").end_turn()
    async with hosting(script.argv(tmp_path), tmp_path) as host:
        await host.turn()
        resets = reset_words(int(IN_AN_HOUR), time.time())
        assert of_quota(host) == [
            ("81% of the 5-hour limit is used", resets),
            ("96% of the 5-hour limit is used", resets),
        ]
    Played(tmp_path).check()


async def test_no_turn_begins_over_the_limit_for_quota_but_one_that_runs_goes_on(
    tmp_path: Path,
) -> None:
    script = Script().handshake().prompt().quota(91, resets_at=IN_AN_HOUR).end_turn()
    async with hosting(script.argv(tmp_path), tmp_path, budget=Budget(quota=90)) as host:
        end = await host.turn()
        assert end.stop_reason == "end_turn"
        host.prompt("more")
        assert not host.state.calls
        resets = reset_words(int(IN_AN_HOUR), time.time())
        assert host.session.refused == (
            f"91% of the 5-hour limit is used, and --max-quota is 90. {resets} Send it again then, "
            "or raise --max-quota."
        )
        assert [one.description for one in host.notices][-1] == host.session.refused


@pytest.mark.parametrize("percent", [50, 89.9])
async def test_turns_begin_below_the_limit_for_quota(percent: float, tmp_path: Path) -> None:
    script = Script().handshake().prompt().quota(percent).end_turn().prompt().end_turn()
    async with hosting(script.argv(tmp_path), tmp_path, budget=Budget(quota=90)) as host:
        await host.turn()
        await host.turn("more")
    Played(tmp_path).check()


async def test_a_limit_that_was_reset_since_stops_nothing(tmp_path: Path) -> None:
    script = Script().handshake().prompt().quota(99, resets_at=time.time() - 1).end_turn()
    script.prompt().end_turn()
    async with hosting(script.argv(tmp_path), tmp_path, budget=Budget(quota=90)) as host:
        await host.turn()
        await host.turn("more")
        assert host.notices == []
    Played(tmp_path).check()


async def test_a_message_that_waited_for_the_turn_is_given_back_over_the_limit_for_quota(
    tmp_path: Path,
) -> None:
    script = Script().handshake().prompt().quota(95).expect("session/cancel").end_turn("cancelled")
    async with hosting(script.argv(tmp_path), tmp_path, budget=Budget(quota=90)) as host:
        await host.opened()
        host.prompt()
        await host.until(lambda: host.state.quota)
        host.do(Interrupt(host.session.session_id, (TextContent(text="do that"),)))
        await host.until(lambda: host.notices and host.notices[-1].title == "Not sent")
        words = host.notices[-1].description or ""
        assert words.startswith("95% of the 5-hour limit is used, and --max-quota is 90. When it")
        assert words.endswith("\n\ndo that")


async def test_what_an_earlier_run_was_told_stops_a_turn_until_it_may_be_another_account(
    tmp_path: Path,
) -> None:
    first = Script().handshake().prompt().quota(91, resets_at=IN_AN_HOUR)
    idle = Script().handshake()
    goes_on = Script().handshake().prompt().end_turn()
    signs_in = Script().handshake({"authMethods": [{"id": "key", "name": "Key"}]})
    signs_in.expect("authenticate").reply("authenticate").prompt().end_turn()
    argv = first.end_turn().argv(tmp_path, idle, goes_on, signs_in)
    launch = {"last_seen": tmp_path / "seen.json", "budget": Budget(quota=90)}
    async with hosting(argv, tmp_path, **launch) as host:
        await host.turn()
    async with hosting(argv, tmp_path, **launch) as host:
        await host.opened()
        assert host.state.quota == {}, "nothing old is shown as if it were new"
        host.prompt()
        assert host.session.refused is not None
        was = "91% of the 5-hour limit was used when the agent last reported it ("
        assert host.session.refused.startswith(was)
        assert "), and --max-quota is 90. It resets " in host.session.refused
    async with hosting(argv, tmp_path, env={"ACCOUNT": "other"}, **launch) as host:
        await host.turn()
    async with hosting(argv, tmp_path, **launch) as host:
        await host.opened()
        host.do(Authenticate("key"))
        await host.until(lambda: not host.state.calls)
        await host.turn()


async def test_only_a_successful_sign_in_forgets_the_quota_of_an_earlier_run_and_for_good(
    tmp_path: Path,
) -> None:
    methods = {"authMethods": [{"id": "key", "name": "Key"}]}
    first = Script().handshake().prompt().quota(91, resets_at=IN_AN_HOUR).end_turn()
    fails = Script().handshake(methods).expect("authenticate")
    fails.reply("authenticate", error={"code": -32000, "message": "wrong key"})
    reports_none = Script().handshake().prompt().end_turn()
    argv = first.argv(tmp_path, fails, reports_none, reports_none)
    launch = {"last_seen": tmp_path / "seen.json", "budget": Budget(quota=90)}
    async with hosting(argv, tmp_path, **launch) as host:
        await host.turn()
    async with hosting(argv, tmp_path, **launch) as host:
        await host.opened()
        host.do(Authenticate("key"))
        await host.until(lambda: not host.state.calls)
        host.prompt()
        assert host.session.refused is not None
        host.do(TerminalSignedIn("key", 0))
        await host.until(lambda: sum(isinstance(one, ProcessStarted) for one in host.events) == 2)
        await host.turn()
    async with hosting(argv, tmp_path, **launch) as host:
        await host.turn()


async def test_a_limit_that_was_used_up_in_an_earlier_run_is_not_reported_in_percent(
    tmp_path: Path,
) -> None:
    argv, file = Script().handshake().argv(tmp_path), tmp_path / "seen.json"
    used_up = QuotaWindow("five_hour", None, IN_AN_HOUR, rejected=True)
    write_quota(file, quota_key(Launch(tuple(argv), str(tmp_path))), [used_up])
    async with hosting(argv, tmp_path, last_seen=file, budget=Budget(quota=90)) as host:
        await host.opened()
        host.prompt()
        assert host.session.refused is not None
        was = "The 5-hour limit was used up when the agent last reported it ("
        assert host.session.refused.startswith(was)
