"""Plans of version 2: by their ids, of types that may be new."""

from typing import Any

import pytest

from acp_tui.state.entries import NoticeEntry
from tests.unit.state.conversation import Conversation

STEP = {"content": "Boil water", "priority": "_urgent", "status": "cancelled"}


def plan(talk: Conversation, type: str, id: str = "a", **fields: Any) -> list[str]:
    talk.update("plan_update", plan={"type": type, "planId": id, **fields})
    return [entry.content for entry in talk.session.plan.steps]


@pytest.mark.check(129)
def test_words_that_are_new_are_kept() -> None:
    talk = Conversation.opened_in_2()
    assert plan(talk, "items", entries=[STEP, {"content": "malformed"}]) == ["Boil water"]
    (step,) = talk.session.plan.steps
    assert (str(step.priority), str(step.status)) == ("_urgent", "cancelled")


@pytest.mark.check(142)
def test_a_plan_of_another_type_replaces_the_steps_of_its_id() -> None:
    talk = Conversation.opened_in_2()
    assert plan(talk, "items", entries=[STEP])
    assert plan(talk, "items", "b", entries=[STEP, STEP])
    assert plan(talk, "_graph", nodes=3) == ["Boil water"] * 2
    told = talk.session.entries[-1]
    assert isinstance(told, NoticeEntry)
    assert '"nodes": 3' in (told.description or "")
    assert plan(talk, "markdown", "b", content="# Tea") == []
    talk.update("plan_removed", planId="b")
    last = talk.session.entries[-1]
    assert isinstance(last, NoticeEntry)
    assert (last.title, last.description) == ("Plan, removed", "# Tea")


@pytest.mark.check(124)
def test_a_malformed_plan_of_a_known_type_replaces_nothing() -> None:
    talk = Conversation.opened_in_2()
    for type in ("items", "markdown", "file"):
        assert plan(talk, "items", entries=[STEP]) == ["Boil water"]
        assert plan(talk, type) == ["Boil water"]
