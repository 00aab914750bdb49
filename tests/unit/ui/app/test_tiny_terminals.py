"""However small a terminal gets, the app goes on, and is whole again when it grows."""

from typing import Any

import pytest
from textual.events import Resize
from textual.geometry import Size

from acp_tui.ui.conversation.status_line import StatusLine
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.transcript.transcript import Transcript
from tests.examples import parametrize
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio

SIZES = [(1, 1), (2, 2), (1, 30), (200, 1)]


@parametrize(
    2,
    ("name", "written"),
    [
        ("talked", ""),
        ("talked", "/m"),
        ("talked", "two\nlines"),
        ("asking", ""),
        ("signing_in", ""),
        ("died", ""),
    ],
)
async def test_every_size_is_survived(name: str, written: str) -> None:
    made: Any = getattr(states, name)()
    state = made[0] if isinstance(made, tuple) else made
    async with running(state) as it:
        it.app.conversation.prompt.insert(written)
        await settled(it.pilot)
        whole = it.screen
        for size in SIZES:
            await it.pilot.resize_terminal(*size)
            await settled(it.pilot)
            assert len(list(it.rows())) == size[1]
        await it.pilot.resize_terminal(80, 24)
        await settled(it.pilot)
        assert it.screen == whole


@pytest.mark.usefixtures("drawn")
async def test_a_size_that_came_and_went_unseen_leaves_nothing_undrawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state, _ = states.talked()
    async with running(state) as it:
        drawn: set[object] = set()
        for kind in (PromptEditor, Transcript, StatusLine):
            draw = kind.render_lines
            monkeypatch.setattr(
                kind,
                "render_lines",
                lambda self, crop, draw=draw: drawn.add(self) or draw(self, crop),
            )
        await settled(it.pilot)
        drawn.clear()
        for size in (Size(40, 10), Size(80, 24)):
            it.app.post_message(Resize(size, size))
        await settled(it.pilot)
        assert len(drawn) == 3


async def test_no_scrollbar_over_the_status_line() -> None:
    state, _ = states.talked()
    async with running(state, (20, 5)) as it:
        assert "▆" not in it.screen
        assert "▁" not in it.screen


async def test_the_first_screen_leaves_room_for_the_prompt() -> None:
    state, _ = states.opened()
    async with running(state, (20, 5)) as it:
        await it.write("tea")
        assert "tea" in it.screen
        assert "ready" in it.screen
