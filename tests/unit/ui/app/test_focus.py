"""The app knows whether somebody looks: from the terminal, or else from what is typed."""

import pytest
from textual import events

from tests.unit.ui.app import states
from tests.unit.ui.app.running import running
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_whoever_typed_just_now_looks_until_a_terminal_tells_of_its_focus() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        assert it.app.is_watched
        it.app.last_typed -= 3600
        assert not it.app.is_watched
        await it.press("left")
        assert it.app.is_watched
        it.app.post_message(events.AppBlur())
        await settled(it.pilot)
        assert not it.app.is_watched
        it.app.post_message(events.AppFocus())
        await settled(it.pilot)
        it.app.last_typed -= 3600
        assert it.app.is_watched, "the terminal is believed"
