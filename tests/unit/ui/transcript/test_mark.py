"""The mark of the transcript: one look for all entries, which takes no state's color away."""

from collections.abc import Sequence

import pytest
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter
from textual.widgets import Input

from acp_tui.config.themes import load_theme
from acp_tui.protocol.content import ContentItem, Diff, TextContent
from acp_tui.state.entries import Entry, ToolCallEntry
from acp_tui.ui.colors.contrast import TEXT, EnoughContrast, contrast_of
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.colors.theme import to_textual
from tests.unit.ui.settling import settled
from tests.unit.ui.transcript import gallery
from tests.unit.ui.transcript.scene import Scene, agent, user

pytestmark = pytest.mark.anyio


class Readable(Scene):
    """Keeps colors apart from their grounds, as the app does."""

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), EnoughContrast()]


def scene_in(theme: str, *entries: Entry) -> Scene:
    scene = Readable(*entries)
    scene.register_theme(to_textual(theme, load_theme(theme)))
    scene.theme = theme
    return scene


def failed() -> ToolCallEntry:
    said = [ContentItem(content=TextContent(text="no such host"))]
    entry = ToolCallEntry("t1", 100.0, "Fetch teas", kind="fetch", content=said)
    entry.status, entry.ended = "failed", 101.2
    return entry


def marked(scene: Scene) -> list[tuple[int, list[Segment]]]:
    """What stands on the ground of the mark, and in which row of the screen; its sign left out."""
    shown = Palette.of(scene)["row.shown"].bgcolor
    rows = [(y, list(scene.transcript.row(y))) for y in range(scene.transcript.rows)]
    found = [
        (y, [one for one in row if one.style and one.style.bgcolor == shown]) for y, row in rows
    ]
    return [(y, parts) for y, parts in found if parts]


def colors(part: Segment) -> tuple[Color, Color]:
    """The color of a part, and that of its ground."""
    assert part.style is not None
    assert part.style.color is not None
    assert part.style.bgcolor is not None
    return Color.from_rich_color(part.style.color), Color.from_rich_color(part.style.bgcolor)


def hue(color: Color) -> float:
    """In degrees."""
    return color.hsl.h * 360


@pytest.mark.parametrize("theme", ["night", "day"])
async def test_a_failed_call_stays_red_under_the_mark_and_can_be_read_there(theme: str) -> None:
    scene = scene_in(theme, failed())
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        scene.transcript.show_entry("s", 0)
        await settled(pilot)
        [(_, parts)] = marked(scene)
        red = Palette.of(scene)["error"].color
        assert red is not None
        words = [one for one in parts if one.text.strip()]
        for one in words:
            color, ground = colors(one)
            assert contrast_of(color.rgb, ground.rgb) >= TEXT
            if "failed" in one.text or "Fetch" in one.text:
                assert hue(color) == pytest.approx(hue(Color.from_rich_color(red)), abs=15)
        assert "failed" in "".join(one.text for one in words)


async def test_the_mark_is_the_whole_row_in_which_an_entry_begins_whatever_it_is() -> None:
    entries = [*gallery.messages(), *gallery.tool_calls(), *gallery.ends()]
    scene = scene_in("night", *entries)
    async with scene.run_test(size=(60, 30)) as pilot:
        await settled(pilot)
        for index in range(len(entries)):
            scene.transcript.show_entry("s", index)
            await settled(pilot)
            if not scene.transcript.document.view(index).height:
                continue
            [(_, parts)] = marked(scene)
            width = sum(one.cell_length for one in parts)
            assert width == scene.transcript.scrollable_content_region.width - 1


async def test_an_entry_that_begins_above_the_screen_is_marked_in_its_first_row_there() -> None:
    scene = scene_in("night", user("go"), agent("\n\n".join(f"line {n}" for n in range(40))))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("end")
        await settled(pilot)
        [(row, _)] = marked(scene)
        assert row == 0
        await pilot.press("pageup")
        await settled(pilot)
        [(row, _)] = marked(scene)
        assert row == 0


async def test_the_ground_of_a_diff_stays_under_the_mark() -> None:
    text = "".join(f"{n}\n" for n in range(60))
    diff = Diff(path="/a", old_text="", new_text=text)
    entry = ToolCallEntry("t1", 100.0, "Write a", kind="edit", content=[diff])
    entry.status, entry.ended = "completed", 101.2
    scene = scene_in("night", entry)
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        scene.transcript.show_entry("s", 0)
        scene.transcript.scroll_to_line(8)
        await settled(pilot)
        added = Palette.of(scene)["diff.added"].bgcolor
        grounds = {one.style.bgcolor for one in scene.transcript.row(0) if one.style}
        assert added in grounds


async def test_the_sign_of_the_mark_goes_with_its_ground() -> None:
    scene = Scene(user("go"), agent("plain"), prompt=True)
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        scene.transcript.focus()
        await settled(pilot)
        assert [text[:1] for text in scene.screen_text() if "plain" in text] == ["❯"]
        scene.query_one(Input).focus()
        await settled(pilot)
        assert not marked(scene)
        assert not any("❯" in text for text in scene.screen_text())
