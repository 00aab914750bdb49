"""A scrolling view of lines that are laid out in slices."""

import pytest
from textual.app import App, ComposeResult

from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.text_lines import TextLines
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio


class Viewing(App[None]):
    CSS = "LinesView { height: 10; }"

    def __init__(self) -> None:
        super().__init__()
        self.view = LinesView()

    def compose(self) -> ComposeResult:
        yield self.view


@pytest.mark.parametrize(("height", "needed"), [(10, False), (11, True)])
async def test_there_is_a_scrollbar_only_where_the_lines_need_one(
    height: int, needed: bool
) -> None:
    async with Viewing().run_test(size=(40, 20)) as pilot:
        view = pilot.app.query_one(LinesView)
        view.show(TextLines("\n".join("x" * height), "text"))
        await settled(pilot)
        assert view.show_vertical_scrollbar is needed
        # As Textual leaves it where slices needed one, and then none, within one layout.
        view._scrollbar_changes.update([(False, True), (False, False)])
        view.show_vertical_scrollbar = not needed
        view.update_lines()
        await settled(pilot)
        assert view.show_vertical_scrollbar is needed
