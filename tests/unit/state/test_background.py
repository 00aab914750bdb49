"""Work in the background: the names of what is not finished."""

from typing import Any

import pytest

from acp_tui.state.background import unfinished_work
from tests.unit.state.conversation import Conversation


@pytest.mark.parametrize(
    ("work", "names"),
    [
        (None, []),
        ([{"type": "tool_call", "toolCallId": "c"}], ["Boil water"]),
        ([{"type": "tool_call", "toolCallId": "unheard-of"}], ["unheard-of"]),
        ([{"type": "terminal", "terminalId": "t"}], ["make tea"]),
        ([{"type": "terminal", "terminalId": "u"}], ["u"]),
        ([{"type": "subagent", "sessionId": "unheard-of"}], ["unheard-of"]),
        ([{"type": "_claude/task", "description": "Watch the pot"}], ["Watch the pot"]),
        ([{"type": "_timer"}], ["_timer"]),
    ],
)
def test_what_the_agent_reports_in_the_background_has_a_name(
    work: list[dict[str, Any]] | None, names: list[str]
) -> None:
    talk = Conversation.opened_in_2()
    talk.update("tool_call_update", toolCallId="c", title="Boil water")
    talk.update("terminal_update", terminalId="t", command="make tea")
    talk.update("state_update", state="idle", background=work)
    assert unfinished_work(talk.state, talk.session) == names


def test_subagents_at_work_are_named_once() -> None:
    talk = Conversation.opened_in_2()
    running = {"state": "running"}
    talk.update("subagent_update", sessionId="c", title="Ada", state=running)
    talk.update("subagent_update", session_id="c", sessionId="d", state=running)
    talk.update("subagent_update", sessionId="e", title="Cy", state={"state": "idle"})
    assert unfinished_work(talk.state, talk.session) == ["Ada", "d"]
    talk.update("state_update", state="idle", background=[{"type": "subagent", "sessionId": "c"}])
    assert unfinished_work(talk.state, talk.session) == ["Ada", "d"]


def test_a_background_task_for_air_is_named_until_it_is_over() -> None:
    talk = Conversation.opened()
    talk.update("async_task_spawned", asyncTaskId="b", name="boil the water")
    assert unfinished_work(talk.state, talk.session) == ["boil the water"]
    talk.update("async_task_state_update", asyncTaskId="b", state="completed")
    assert unfinished_work(talk.state, talk.session) == []
