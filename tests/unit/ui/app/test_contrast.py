"""Whatever is drawn can be seen: in every theme, on every screen, cell by cell."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App

from acp_tui.config.themes import load_theme, theme_files
from acp_tui.store.accepted_commands import AcceptedCommands
from acp_tui.ui.colors.contrast import LINES, TEXT, contrast_of, least_contrast
from acp_tui.ui.launcher.app import LauncherApp
from tests.examples import parametrize
from tests.unit.ui.app import states
from tests.unit.ui.app.running import Running, running
from tests.unit.ui.app.test_files import several_lines
from tests.unit.ui.inspector.scene import inspecting, talk
from tests.unit.ui.settling import settled

pytestmark = pytest.mark.anyio

THEMES = [name for name in theme_files() if not load_theme(name).ansi]
STATES = ["asking", "talked", "working", "initializing", "signing_in", "died", "not_found"]
KEYS = ["f4", "f1", "f8", "alt+o", "alt+slash"]


def badly_seen(app: App[None]) -> Iterator[str]:
    """What the screen draws with too little contrast, and how much it has."""
    for y, strip in enumerate(app.screen._compositor.render_strips()):
        for text, style, _ in strip:
            least = least_contrast(text)
            if style is None or least is None:
                continue
            color, on = style.color, style.bgcolor
            assert color is not None, text
            assert on is not None, text
            assert color.triplet is not None
            assert on.triplet is not None
            found = contrast_of(color.triplet, on.triplet)
            if found < least:
                yield f"{app.theme} {y}: {text!r} {color.name} on {on.name} {found:.2f}"


@parametrize(1, "name", STATES)
async def test_every_screen_in_every_theme(name: str) -> None:
    made = getattr(states, name)()
    async with running(made[0] if isinstance(made, tuple) else made) as it:
        await seen_in_all_themes(it)


@parametrize(2, "theme", THEMES)
async def test_the_launcher(tmp_path: Path, theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    accepted = AcceptedCommands(tmp_path / "accepted.json")
    places = tmp_path / "index", tmp_path
    app = LauncherApp([], *places, accepted, has_registry=False, theme_name=theme)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert "type an agent command" in "".join(
            part.text for strip in app.screen._compositor.render_strips() for part in strip
        )
        assert list(badly_seen(app)) == []


@parametrize(1, "key", KEYS)
async def test_what_keys_open_in_every_theme(key: str) -> None:
    state, _ = states.talked()
    async with running(state) as it:
        await it.press(key)
        await seen_in_all_themes(it)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_what_is_reviewed_in_every_theme(size: tuple[int, int]) -> None:
    async with running(several_lines(), size) as it:
        for keys in (["f7"], ["n"], ["J", "J"], ["c", "x", "enter"], ["C"]):
            await it.press(*keys)
            await seen_in_all_themes(it)


async def seen_in_all_themes(it: Running) -> None:
    for theme in THEMES:
        it.app.use_theme(theme)
        await settled(it.pilot)
        assert list(badly_seen(it.app)) == []


@pytest.mark.slow
async def test_the_frames_and_the_row_one_is_at_in_every_theme() -> None:
    async with inspecting(talk().records, (120, 40)) as it:
        for keys in ((), ("home",), ("tab",), ("slash", "a")):
            await it.press(*keys)
            for theme in THEMES:
                it.app.use_theme(theme)
                await it.press()
                assert list(badly_seen(it.app)) == []


def test_lines_need_less_than_text_and_blanks_nothing() -> None:
    assert [least_contrast(text) for text in ("a", "│ a", "│─▌ ", " ", "")] == [
        TEXT,
        TEXT,
        LINES,
        None,
        None,
    ]
