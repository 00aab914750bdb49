"""What is drawn again while text arrives, and what is not."""

import pytest

from tests.unit.ui.transcript.scene import Scene, agent
from tests.unit.ui.transcript.test_transcript import settled, turns

pytestmark = pytest.mark.anyio

CODE = "Some *words* first.\n\n```python\n" + "".join(f"value_{n} = {n}\n" for n in range(8))


async def test_lines_above_those_that_change_are_not_drawn_again() -> None:
    scene = Scene(agent(CODE))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(scene, pilot)
        shown = scene.transcript
        before = [shown.render_line(y) for y in range(20)]
        scene.say("more = 1\n")
        await settled(scene, pilot)
        after = [shown.render_line(y) for y in range(20)]
        assert "more = 1" in after[11].text
        assert [y for y in range(20) if before[y] is not after[y]] == [11]


async def test_the_scrollbar_shows_where_in_the_text_the_reader_is() -> None:
    scene = Scene(*turns(4))
    async with scene.run_test(size=(60, 20)) as pilot:
        await settled(scene, pilot)
        bar = scene.transcript.vertical_scrollbar
        assert bar.position + bar.window_size == bar.window_virtual_size
        await pilot.press("home")
        await settled(scene, pilot)
        assert bar.position == 0
        before = bar.window_virtual_size
        scene.add(*turns(4))
        await settled(scene, pilot)
        assert bar.window_virtual_size > 1.5 * before
