"""Several plans of one session, which are shown as one."""

from typing import Any

import pytest

from acp_tui.session.changes import Facet, SessionChanged
from acp_tui.session.entries import PlanSnapshot
from tests.unit.session.conversation import Conversation

STEP = {"content": "Boil water", "priority": "high", "status": "completed"}


def plan(plan_id: str, **fields: Any) -> dict[str, Any]:
    return {"planId": plan_id, **fields}


def steps(talk: Conversation) -> list[str]:
    return [entry.content for entry in talk.session.plan]


def test_plans_are_replaced_and_removed_by_their_ids() -> None:
    talk = Conversation.opened()
    talk.update("plan_update", plan=plan("a", type="items", entries=[STEP]))
    talk.update("plan_update", plan=plan("b", type="markdown", content="# Tea"))
    changes = talk.update("plan_update", plan=plan("c", type="file", uri="file:///plan.md"))
    assert SessionChanged("s", Facet.PLAN) in changes
    assert steps(talk) == ["Boil water", "# Tea", "file:///plan.md"]
    talk.update("plan_update", plan=plan("a", type="items", entries=[]))
    talk.update("plan_removed", planId="b")
    talk.update("plan_removed", planId="unheard-of")
    assert steps(talk) == ["file:///plan.md"]
    (snapshot,) = talk.session.entries
    assert isinstance(snapshot, PlanSnapshot)
    assert len(snapshot.versions) == 6


@pytest.mark.parametrize("kind", ["scroll", "items"])
def test_a_plan_of_which_nothing_is_known_is_empty(kind: str) -> None:
    talk = Conversation.opened()
    talk.update("plan_update", plan=plan("a", type=kind))
    assert steps(talk) == []
