"""Each widget learns that it is shown, and so its size."""

import pytest
from textual.screen import Screen
from textual.widgets import Static

from tests.unit.ui.app import states
from tests.unit.ui.app.running import running

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_widget_whose_place_is_asked_for_too_soon_is_shown_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = states.talked()
    async with running(state) as it:
        screen = it.app.conversation
        monkeypatch.setattr(Screen, "_refresh_layout", lambda *_, **__: None)
        child = Static("tea")
        await screen.body.mount(child)
        screen._compositor._full_map_invalidated = True
        assert screen.body.region  # as a refresh asks for it
        assert child in screen._compositor.full_map
        assert child in screen._compositor.reflow(screen, screen.size).shown
        assert child not in screen._compositor.reflow(screen, screen.size).shown
