"""A question calls the person, who may look elsewhere."""

import pytest

from tests.unit.state.conversation import Conversation
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running
from tests.unit.ui.app.test_elicitation import form

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("wanted", [True, False])
async def test_the_bell_rings_once_for_each_question_if_it_is_wanted(
    monkeypatch: pytest.MonkeyPatch, wanted: bool
) -> None:
    state, session = states.working()
    async with running(state) as it:
        rung: list[int] = []
        it.app.feature.questions.bell_enabled = wanted
        monkeypatch.setattr(it.app, "bell", lambda: rung.append(1))
        states.ask(state, session, 50, "Knead")
        await it.changed()
        await it.changed()
        states.ask(state, session, 51, "Bake")
        await it.changed()
        assert len(rung) == (2 if wanted else 0)


async def test_forms_are_counted() -> None:
    talk, _ = form()
    async with running(talk.state) as it:
        assert "1 of" not in it.screen
        schema = {"type": "object", "properties": {}}
        _ask(talk, schema)
        await it.changed()
        assert "1 of 2" in it.screen


def _ask(talk: Conversation, schema: dict[str, object]) -> None:
    talk.asks("elicitation/create", message="And?", mode="form", requestedSchema=schema)
