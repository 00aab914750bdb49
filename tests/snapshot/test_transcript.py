"""Every kind of entry, as it looks on two screens, dark and light."""

from collections.abc import AsyncIterator, Callable

import pytest
from textual.pilot import Pilot

from acp_tui.state.entries import Entry
from acp_tui.ui.transcript.entries.context import Fold
from acp_tui.ui.transcript.transcript import Transcript
from tests.snapshot.pictures import Pictures, take_pictures
from tests.unit.ui.settling import settled
from tests.unit.ui.transcript import gallery
from tests.unit.ui.transcript.scene import Scene

KINDS = {
    "messages": gallery.messages,
    "tool-calls": gallery.tool_calls,
    "edits": gallery.edits,
    "remarks": gallery.remarks,
    "ends": gallery.ends,
}


def scene(kind: str) -> Scene:
    entries: list[Entry] = KINDS[kind]()
    scene = Scene(*entries)
    scene.state.terminals["t1"] = gallery.terminal()
    return scene


THEMES = ["textual-dark", "textual-light"]
SIZES = [(80, 24), (120, 40)]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x40"])
@pytest.mark.parametrize("kind", KINDS)
def test_entries(
    kind: str, size: tuple[int, int], theme: str, looks_the_same: Callable[..., bool]
) -> None:
    async def moments(pilot: Pilot[None]) -> AsyncIterator[str]:
        for one in THEMES:
            pilot.app.theme = one
            yield one

    def take() -> Pictures:
        return take_pictures(scene(kind), [size], moments)

    assert looks_the_same(take, size, app=f"{kind} {size}", moment=theme)


@pytest.mark.parametrize("kind", ["messages", "tool-calls", "edits", "remarks"])
def test_everything_opened(kind: str, snap_compare: Callable[..., bool]) -> None:
    async def open_all(pilot: Pilot[None]) -> None:
        await settled(pilot)
        transcript = pilot.app.query_one(Transcript)
        for index in range(len(KINDS[kind]())):
            if transcript.document.view(index).fold is Fold.FOLDED:
                transcript.toggle_entry(index)
            await settled(pilot)
        await pilot.press("home")
        await settled(pilot)

    assert snap_compare(scene(kind), terminal_size=(100, 70), run_before=open_all)


def test_the_cursor_a_search_and_news_below(snap_compare: Callable[..., bool]) -> None:
    async def act(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, Scene)
        await settled(pilot)
        await pilot.press("home", "down")
        app.transcript.search("total")
        await settled(pilot)
        app.add(*gallery.remarks())
        await settled(pilot)

    assert snap_compare(scene("messages"), terminal_size=(80, 24), run_before=act)
