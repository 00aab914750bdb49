"""What is drawn again while text arrives, and what is not."""

import gc

import pytest
from textual.geometry import Region

from acp_tui.state.changes import EntryChanged
from acp_tui.ui.textual_fixes.line_scroll_view import DrawnRow
from tests.unit.ui.settling import settled
from tests.unit.ui.transcript import gallery
from tests.unit.ui.transcript.scene import Scene, agent
from tests.unit.ui.transcript.test_transcript import turns

pytestmark = pytest.mark.anyio

CODE = "Some *words* first.\n\n```python\n" + "".join(f"value_{n} = {n}\n" for n in range(8))


async def test_lines_above_those_that_change_are_not_drawn_again() -> None:
    scene = Scene(agent(CODE))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        before = scene.transcript.render_lines(Region(0, 0, 60, 20))
        scene.say("more = 1\n")
        await settled(pilot)
        after = scene.transcript.render_lines(Region(0, 0, 60, 20))
        assert "more = 1" in after[11].text
        assert [y for y in range(20) if before[y] is not after[y]] == [11]


@pytest.mark.usefixtures("drawn")
async def test_a_line_that_is_drawn_again_leaves_nothing_for_the_garbage_collector() -> None:
    scene = Scene(agent("Some words."))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        gc.collect()
        try:
            gc.set_debug(gc.DEBUG_SAVEALL)
            for word in ("more", "and", "more"):
                scene.say(f" {word}")
                await settled(pilot)
            assert "Some words. more and more" in scene.transcript.render_line(0).text
            gc.collect()
            assert not [one for one in gc.garbage if isinstance(one, DrawnRow)]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()


@pytest.mark.usefixtures("drawn")
async def test_what_changed_between_two_spinners_is_sent_to_the_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = [gallery.tool_call(n, f"Call {n}", "read", "in_progress") for n in range(3)]
    scene = Scene()
    async with scene.run_test(size=(60, 20)) as pilot:
        scene.begin_turn()
        scene.add(*calls)
        await settled(pilot)
        calls[1].status = "completed"
        shown = scene.transcript
        shown.render_lines(Region(0, 0, 60, 3))  # as for a spinner above and one below
        asked: list[Region] = []
        refresh = shown.refresh
        monkeypatch.setattr(shown, "refresh", lambda *rows: (asked.extend(rows), refresh(*rows)))
        scene.changed([EntryChanged("s", 1)])
        await settled(pilot)
        assert "✓" in shown.render_line(1).text
        assert Region(0, 1, 60, 1) in asked


async def test_the_scrollbar_shows_where_in_the_text_the_reader_is() -> None:
    scene = Scene(*turns(4))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        bar = scene.transcript.vertical_scrollbar
        assert bar.position + bar.window_size == bar.window_virtual_size
        await pilot.press("home")
        await settled(pilot)
        assert bar.position == 0
        before = bar.window_virtual_size
        scene.add(*turns(4))
        await settled(pilot)
        assert bar.window_virtual_size > 1.5 * before
