"""The quota of a plan in the state: its windows are the account's, tokens by model a session's."""

from typing import Any

import pytest

from acp_tui.protocol.events import LimitReached, SignedIn
from acp_tui.protocol.quota import MOST_WINDOWS, QuotaWindow
from acp_tui.state.entries import NoticeEntry
from tests.unit.state.conversation import Conversation

RESET = 1.79e9
QUOTA = {"quota": {"model_usage": [{"model": "large", "token_count": {"totalTokens": 40}}]}}


def reported(talk: Conversation, **fields: Any) -> dict[str, QuotaWindow]:
    meta = {"_claude/rateLimit": {"status": "allowed", "rateLimitType": "five_hour", **fields}}
    talk.update("usage_update", used=1, size=10, _meta=meta)
    return talk.state.quota


def test_the_newest_report_of_each_window_is_known() -> None:
    talk = Conversation.opened()
    reported(talk, utilization=0.5, resetsAt=RESET)
    reported(talk, utilization=0.9, rateLimitType="seven_day")
    assert reported(talk, utilization=0.6, resetsAt=RESET) == {
        "five_hour": QuotaWindow("five_hour", 60.0, RESET),
        "seven_day": QuotaWindow("seven_day", 90.0),
    }


def test_a_report_without_a_usage_leaves_it_until_the_next_reset() -> None:
    talk = Conversation.opened()
    reported(talk, utilization=0.5, resetsAt=RESET)
    assert reported(talk, resetsAt=RESET)["five_hour"].used == 50.0
    assert reported(talk, resetsAt=RESET + 18000)["five_hour"].used is None


def test_an_agent_cannot_fill_the_memory_with_windows() -> None:
    talk = Conversation.opened()
    for number in range(2 * MOST_WINDOWS):
        reported(talk, utilization=0.5, rateLimitType=f"w{number}")
        usage = [{"model": f"m{number}", "token_count": {"totalTokens": 1}}]
        result = {"stopReason": "end_turn", "_meta": {"quota": {"model_usage": usage}}}
        talk.answer(talk.prompt(), result=result)
    assert len(talk.state.quota) == len(talk.session.usage.model_tokens) == MOST_WINDOWS
    assert reported(talk, utilization=0.7, rateLimitType="w1")["w1"].used == 70.0


def test_another_account_may_have_another_quota() -> None:
    talk = Conversation.opened()
    reported(talk, utilization=0.5)
    talk.call("authenticate", {"methodId": "m"}, error={"code": 1, "message": "no"})
    assert talk.state.quota
    talk.call("authenticate", {"methodId": "m"}, result={})
    assert not talk.state.quota
    reported(talk, utilization=0.5)
    talk.call("logout", {}, result={})
    assert not talk.state.quota
    reported(talk, utilization=0.5)
    talk.happened(SignedIn(2.0, "m", 1))
    assert talk.state.quota, "its program failed"
    talk.happened(SignedIn(2.0, "m", 0))
    assert not talk.state.quota


def test_the_tokens_of_each_model_add_up_over_turns() -> None:
    talk = Conversation.opened()
    for _ in range(2):
        talk.answer(talk.prompt(), result={"stopReason": "end_turn", "_meta": QUOTA})
    talk.answer(talk.prompt(), result={"stopReason": "end_turn"})
    assert talk.session.usage.model_tokens == {"large": 80}


def test_in_version_2_the_end_of_work_has_the_tokens_of_each_model() -> None:
    talk = Conversation.opened_in_2()
    talk.update("state_update", state="running")
    talk.update("state_update", state="idle", stopReason="end_turn", _meta=QUOTA)
    assert talk.session.usage.model_tokens == {"large": 40}
    talk.prompt()
    talk.update("state_update", state="running")
    talk.update("state_update", state="idle", stopReason="end_turn", _meta=QUOTA)
    assert talk.session.usage.model_tokens == {"large": 80}


@pytest.mark.parametrize("meta", [None, {}, {"other": 1}, {"quota": 7}])
def test_other_ends_of_turns_have_none(meta: Any) -> None:
    talk = Conversation.opened()
    talk.answer(talk.prompt(), result={"stopReason": "end_turn", "_meta": meta})
    assert talk.session.usage.model_tokens == {}


def test_a_prompt_that_a_limit_refuses_is_reported_until_the_next_one_is_sent() -> None:
    talk = Conversation.opened()
    talk.happened(LimitReached(2.0, "s", "Too much is used."))
    (notice,) = talk.session.entries
    assert isinstance(notice, NoticeEntry)
    assert (notice.severity, notice.title, notice.description) == (
        "error",
        "Not sent",
        "Too much is used.",
    )
    assert talk.session.refused == "Too much is used."
    talk.prompt()
    assert talk.session.refused is None
