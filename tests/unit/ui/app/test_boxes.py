"""What boxes have in common: where they stand, what is in their edges, and one cursor."""

import re
from collections.abc import Iterator

import pytest
from textual.color import Color

from acp_tui.config.paths import settings_file
from acp_tui.ui.help.screen import HelpScreen
from tests.examples import parametrize
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running

pytestmark = pytest.mark.anyio
SIZES = [(80, 24), (120, 40), (200, 60)]
LISTS = ["alt+x", "ctrl+o", "ctrl+r", "f10", "f3"]


def cursors(it: Running) -> Iterator[tuple[int, str]]:
    """The rows with cells that look like a cursor, and what is in them."""
    like = Color.parse(it.app.theme_variables["input-cursor-background"]).rgb
    for y, strip in enumerate(it.app.screen._compositor.render_strips()):
        for text, style, _ in strip:
            on = style.bgcolor.triplet if style is not None and style.bgcolor is not None else None
            if on is not None and tuple(on) == like:
                yield y, text


def edge(it: Running, corner: str) -> str:
    return next(row for row in it.rows() if corner in row)


@pytest.mark.slow
async def test_only_the_cursor_in_front_is_to_be_seen() -> None:
    async with running(states.talked()[0]) as it:
        await it.write("mine")
        assert [text for _, text in cursors(it)] == [" "]
        for key in ("alt+x", "ctrl+r", "f1"):
            await it.press(key)
            assert len(list(cursors(it))) == 1, key
            await it.press("escape")
        assert [text for _, text in cursors(it)] == [" "]
        await it.press("f4")
        assert list(cursors(it)) == []


@parametrize(1, "size", SIZES)
async def test_lists_have_their_field_in_the_same_row_whatever_is_typed(
    size: tuple[int, int],
) -> None:
    async with running(states.talked()[0], size) as it:
        found = set()
        it.app.feature.settings.file = settings_file()
        for key in LISTS:
            await it.press(key)
            await it.until(lambda: len(it.app.screen_stack) == 2)
            height = it.app.screen.query("BoxFrame").first().size.height
            found.add(next(cursors(it))[0])
            await it.paste("zzz")
            found.add(next(cursors(it))[0])
            assert it.app.screen.query("BoxFrame").first().size.height - height in (0, 1), key
            await it.press("escape")
        assert len(found) == 1


async def check_edges(it: Running, key: str) -> None:
    """Check the keys in the edge of a box, at each width."""
    await it.press(key)
    await it.until(lambda: len(it.app.screen_stack) == 2)
    for width in (80, 60, 44, 30):
        if it.app.size.width != width:
            await it.pilot.resize_terminal(width, 24)
            await it.press()
        row = edge(it, "╰")
        assert "…" not in row, key
        assert "Esc back ─" in row, key
    await it.press("escape")


async def test_keys_in_an_edge_are_whole_or_left_out_and_esc_never_is() -> None:
    async with running(states.talked()[0]) as it:
        await check_edges(it, LISTS[0])
        await it.pilot.resize_terminal(80, 24)
        await check_edges(it, LISTS[1])


@pytest.mark.slow  # boxes of the same kind as those in the test above
@pytest.mark.parametrize("key", [*LISTS[2:], "f1", "f4", "alt+p"])
async def test_keys_in_the_edge_of_any_box_are_whole_or_left_out(key: str) -> None:
    async with running(states.talked()[0]) as it:
        it.app.feature.settings.file = settings_file()
        await check_edges(it, key)


async def test_how_many_there_are_stands_at_the_right_of_the_title() -> None:
    async with running(states.talked()[0]) as it:
        await it.press("alt+x")
        title, count = edge(it, "╭").strip("╭╮─ ").split(" ─", 1)
        assert title == "Commands and keys"
        many = int(count.strip("─ "))
        await it.paste("themes")
        found, searched = re.findall(r"(\d+) of (\d+) ─╮", edge(it, "╭"))[0]
        assert found == "1"
        assert int(searched) >= many  # actions that do nothing now are searched, too


async def test_one_box_is_open_at_a_time() -> None:
    async with running(states.talked()[0]) as it:
        it.app.feature.settings.file = settings_file()
        for first, other in (("f10", "f3"), ("f3", "f10"), ("f8", "f3"), ("f4", "f10")):
            await it.press(first)
            await it.until(lambda: len(it.app.screen_stack) == 2)
            shown = it.app.screen
            await it.press(other)
            assert it.app.screen is shown, (first, other)
            await it.press("escape")
            assert len(it.app.screen_stack) == 1


@parametrize(1, "key", ["f7", "f8", "alt+p"])
async def test_question_mark_shows_the_keys_over_a_box_without_a_field(key: str) -> None:
    async with running(states.talked()[0]) as it:
        await it.press(key)
        assert len(it.app.screen_stack) == 2
        await it.press("question_mark")
        assert isinstance(it.app.screen, HelpScreen)
        await it.press("escape", "escape", "question_mark")
        assert it.prompt == "?"
