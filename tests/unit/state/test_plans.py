"""Several plans of one session: their steps are shown as one, texts for themselves."""

from typing import Any

import pytest

from acp_tui.state.changes import ScreenChanged
from acp_tui.state.entries import NoticeEntry, PlanSnapshot
from tests.unit.state.conversation import Conversation

STEP = {"content": "Boil water", "priority": "high", "status": "completed"}


def plan(plan_id: str, **fields: Any) -> dict[str, Any]:
    return {"planId": plan_id, **fields}


def steps(talk: Conversation) -> list[str]:
    return [entry.content for entry in talk.session.plan.steps]


def remarks(talk: Conversation) -> list[tuple[str, str | None]]:
    entries = [entry for entry in talk.session.entries if isinstance(entry, NoticeEntry)]
    return [(entry.title, entry.description) for entry in entries]


def test_steps_are_replaced_and_removed_by_their_ids() -> None:
    talk = Conversation.opened()
    talk.update("plan_update", plan=plan("a", type="items", entries=[STEP]))
    changes = talk.update("plan_update", plan=plan("b", type="items", entries=[STEP, STEP]))
    assert ScreenChanged() in changes
    assert steps(talk) == ["Boil water"] * 3
    talk.update("plan_update", plan=plan("a", type="items", entries=[]))
    talk.update("plan_removed", planId="b")
    assert talk.update("plan_removed", planId="unheard-of") == []
    assert steps(talk) == []
    (snapshot,) = talk.session.entries
    assert isinstance(snapshot, PlanSnapshot)
    assert len(snapshot.versions) == 4


def test_a_plan_is_cleared_by_one_without_entries_if_there_was_one() -> None:
    talk = Conversation.opened()
    assert talk.update("plan", entries=[]) == []
    talk.update("plan", entries=[STEP])
    assert talk.update("plan", entries=[]) != []
    assert talk.update("plan", entries=[]) == []
    assert steps(talk) == []
    (snapshot,) = talk.session.entries
    assert isinstance(snapshot, PlanSnapshot)
    assert [len(version) for version in snapshot.versions] == [1, 0]


def test_a_text_is_a_remark_of_its_turn_and_no_step() -> None:
    talk = Conversation.opened()
    talk.update("plan_update", plan=plan("b", type="markdown", content="# Tea"))
    talk.update("plan_update", plan=plan("c", type="file", uri="file:///plan.md"))
    talk.update("plan_update", plan=plan("b", type="markdown", content="# More tea"))
    assert remarks(talk) == [("Plan", "# More tea"), ("Plan", "file:///plan.md")]
    assert steps(talk) == []
    talk.answer(talk.prompt(), result={"stopReason": "end_turn"})
    talk.update("plan_removed", planId="c")
    assert remarks(talk)[2:] == [("Plan, removed", "file:///plan.md")]


@pytest.mark.parametrize("kind", ["scroll", "items"])
def test_a_plan_of_which_nothing_is_known_is_empty(kind: str) -> None:
    talk = Conversation.opened()
    talk.update("plan_update", plan=plan("a", type=kind))
    assert steps(talk) == []
