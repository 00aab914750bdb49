"""What our own display writes looks in every frame as what Textual would have written."""

from collections.abc import Callable

import pytest
from textual._compositor import CompositorUpdate, LayoutUpdate

from acp_tui.protocol.content import TextContent
from acp_tui.state.blocks import append_block
from acp_tui.state.changes import EntryChanged
from acp_tui.state.entries import MessageEntry
from acp_tui.ui.app import AcpApp
from acp_tui.ui.output.display import Display
from acp_tui.ui.output.flow_control import MOST
from acp_tui.ui.output.grid import Grid
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running
from tests.unit.ui.output.eyes import Eyes, difference
from tests.unit.ui.settling import settled

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("drawn")]

SIZE = (100, 34)
STREAMED = (
    "\n\n## A heading\n\nSome *mixed* text with `code`, a [link](https://example.com) and **bold**.\n\n"
    "- 日本語 テキスト\n- e\u0301 combined, 😀 wide\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    "```python\ndef answer(): return 42\n```\n\n> quoted\n\n"
)


class Twice:
    """Two terminals: one has what our display writes, the other what Textual does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, erases_in_color: bool) -> None:
        self.ours, self.theirs = Eyes(*SIZE), Eyes(*SIZE)
        self.frames = self.written = self.theirs_written = 0
        self.difference = ""
        self._is_whole = True
        grid = Grid(erases_in_color=erases_in_color)
        self.display = Display(grid, self._sent, lambda: False, lambda: MOST)
        self.display.start()
        monkeypatch.setattr("acp_tui.ui.output.display.PERIOD", -1.0)
        monkeypatch.setattr(AcpApp, "_display", self._shown(AcpApp._display))

    def _sent(self, frame: str) -> None:
        self.written += len(frame)
        self.ours.feed(frame)

    def _shown(self, usual: Callable[..., None]) -> Callable[..., None]:
        def _display(app: AcpApp, screen: object, update: object) -> None:
            usual(app, screen, update)
            if not isinstance(update, CompositorUpdate) or app._batch_count:
                return
            if app.size != (self.ours.screen.columns, self.ours.screen.lines):
                self.ours.resize(*app.size)
                self.theirs.resize(*app.size)
                self._is_whole = False
            app._show(self.display, update)
            if isinstance(update, LayoutUpdate):
                self._is_whole = update.region.size == app.size
            if self._is_whole:  # else Textual still draws for the size before
                self._compare(update.render_segments(app.console))

        return _display

    def _compare(self, theirs: str) -> None:
        self.frames += 1
        self.theirs_written += len(theirs)
        self.theirs.feed(theirs)
        self.difference = self.difference or difference(self.ours, self.theirs)


def stream(it: Running, text: str) -> None:
    session = next(iter(it.state.sessions.values()))
    at, entry = next(
        (at, one) for at, one in enumerate(session.entries) if isinstance(one, MessageEntry) and at
    )
    append_block(entry.blocks, TextContent(text=text))
    it.app.changed(it.app.agent, [EntryChanged(session.session_id, at)])


async def walk(it: Running) -> None:
    """Stream, scroll, search, look into dialogs, change size and theme, and read the frames."""
    for _ in range(2):
        for at in range(0, len(STREAMED), 40):
            stream(it, STREAMED[at : at + 40])
            await settled(it.pilot)
    await it.write("a few words 日本")
    await it.press("tab", "pageup", "pageup", "up", "down", "home", "end")
    await it.press("alt+slash", *"code", "enter", "N", "escape")
    await it.press("f1", "down", "pagedown", "escape")
    for size in ((60, 20), (120, 40), SIZE):
        await it.pilot.resize_terminal(*size)
        await settled(it.pilot)
        stream(it, STREAMED)
        await settled(it.pilot)
    for _ in range(4):
        await it.press("f3")
    await it.press("f12", "down", "up", "tab", "down", "escape")
    await it.press("f24")
    stream(it, STREAMED)
    await settled(it.pilot)
    await it.press("f24", "f4", "escape", "f7", "escape", "ctrl+o", "escape")


@pytest.fixture(autouse=True)
def colors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")


@pytest.mark.slow
@pytest.mark.parametrize("erases_in_color", [True, False])
async def test_every_frame_of_a_long_walk_looks_as_textuals_own(
    monkeypatch: pytest.MonkeyPatch, erases_in_color: bool
) -> None:
    twice = Twice(monkeypatch, erases_in_color=erases_in_color)
    state, _ = states.talked()
    async with running(state, size=SIZE) as it:
        await walk(it)
    assert twice.difference == ""
    assert twice.frames > 100
    assert twice.written * 5 < twice.theirs_written


@pytest.mark.slow
async def test_a_question_and_its_answer_look_as_textuals_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    twice = Twice(monkeypatch, erases_in_color=True)
    state, _ = states.asking_thrice()
    async with running(state, size=SIZE) as it:
        await it.wait_until_armed()
        await it.press("down", "up", "pagedown")
        it.app.notify("in passing")
        await settled(it.pilot)
        await it.press("1")
        await it.changed()
    assert twice.difference == ""
    assert twice.frames > 5
