"""Each widget learns that it is shown, and when its size changes."""

import pytest
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.ui.toolkit.hints import KeyHints
from acp_tui.ui.transcript.transcript import Transcript
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running
from tests.unit.ui.settling import settled

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


async def test_a_widget_whose_place_is_asked_for_too_soon_learns_its_new_size_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = states.talked()
    async with running(state) as it:
        screen = it.app.conversation
        monkeypatch.setattr(Screen, "_refresh_layout", lambda *_, **__: None)
        transcript = screen.query_one(Transcript)
        before = transcript.size
        await screen.body.mount(Static("tea\n" * 5))
        screen._compositor._full_map_invalidated = True
        assert transcript.region.height < before.height  # as a refresh asks for it
        assert transcript in screen._compositor.reflow(screen, screen.size).resized
        assert transcript not in screen._compositor.reflow(screen, screen.size).resized


async def test_a_text_that_comes_just_after_its_widget_was_laid_out_has_all_its_rows() -> None:
    state, _ = states.talked()
    async with running(state) as it:
        screen = it.app.conversation
        child = Static("tea")
        await screen.body.mount(child)
        await settled(it.pilot)
        child.update("cup")
        screen.body._clear_arrangement_cache()  # as another widget's change does
        screen._compositor.reflow(screen, screen.size)
        child.update("tea\n" * 4 + "tea")  # before it is idle
        await settled(it.pilot)
        assert child.region.height == 5


@pytest.mark.usefixtures("drawn")
async def test_only_widgets_in_view_where_something_changed_are_asked_for_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Widget] = []
    render_lines = Widget.render_lines

    def note_asked(self: Widget, crop: Region) -> list[Strip]:
        asked.append(self)
        return render_lines(self, crop)

    state, _ = states.talked()
    async with running(state) as it:
        footer = it.app.conversation.query_one(KeyHints)
        await settled(it.pilot)
        monkeypatch.setattr(Widget, "render_lines", note_asked)
        footer.refresh()
        await settled(it.pilot)
        assert {*asked} == {footer}
