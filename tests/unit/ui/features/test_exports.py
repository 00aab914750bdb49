"""Exporting the session that is shown."""

from pathlib import Path

import pytest

from acp_tui.state.state import State
from acp_tui.ui.export.dialog import ExportDialog
from tests.examples import parametrize
from tests.unit.ui.app import states
from tests.unit.ui.app.running import running
from tests.unit.ui.features.window import FakeWindow

pytestmark = pytest.mark.anyio


async def exported(suffix: str | None, folder: Path) -> FakeWindow:
    """Ask for an export into this folder, and choose a format."""
    state, _ = states.talked()
    window = FakeWindow(state)
    window.feature.exports.folder = folder
    window.feature.exports.ask()
    assert isinstance(window.screens[-1], ExportDialog)
    window.answer(suffix)
    await window.finish()
    return window


@pytest.mark.parametrize(
    ("suffix", "begins"), [("md", "# "), ("html", "<!doctype html>"), ("svg", "<svg")]
)
async def test_a_session_is_written_where_exports_go(
    suffix: str, begins: str, tmp_path: Path
) -> None:
    window = await exported(suffix, tmp_path)
    (made,) = tmp_path.iterdir()
    assert made.suffix == f".{suffix}"
    assert made.read_text().lower().startswith(begins)
    (said,) = window.toasts
    assert said.startswith(f"exported: {made}")
    assert ("secrets are not masked in a picture" in said) is (suffix == "svg")


async def test_nothing_is_written_without_a_format(tmp_path: Path) -> None:
    window = await exported(None, tmp_path)
    assert (list(tmp_path.iterdir()), window.toasts) == ([], [])


async def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    window = await exported("md", tmp_path / "gone")
    (said,) = window.toasts
    assert said.startswith(f"not exported: {tmp_path / 'gone'}")


async def test_nothing_is_written_into_another_folder_than_the_one_that_was_shown(
    tmp_path: Path,
) -> None:
    shown, other = tmp_path / "shown", tmp_path / "other"
    shown.mkdir()
    other.mkdir()
    state, _ = states.talked()
    window = FakeWindow(state)
    window.feature.exports.folder = shown
    window.feature.exports.ask()
    await window.finish()
    shown.rename(tmp_path / "away")
    shown.symlink_to(other)
    window.answer("md")
    await window.finish()
    assert window.toasts == [f"not exported: {shown}: it leads elsewhere now"]
    assert list(other.iterdir()) == []


def test_an_empty_session_has_nothing_to_export() -> None:
    window = FakeWindow(State())
    window.feature.exports.ask()
    assert window.said == ["nothing to export yet"]


@parametrize(
    1,
    ("keys", "suffix"),
    [(["enter"], "md"), (["2"], "html"), (["s"], "svg"), (["down", "enter"], "html")],
)
async def test_a_format_is_chosen_as_in_other_lists_and_its_file_is_named_before(
    keys: list[str], suffix: str, tmp_path: Path
) -> None:
    state, _ = states.talked()
    async with running(state) as it:
        it.app.feature.exports.folder = tmp_path
        await it.press("alt+o")
        assert "▌ 1" in it.screen
        asked = it.screen
        await it.press(*keys)
        await it.until(lambda: any(tmp_path.iterdir()))
        (made,) = tmp_path.iterdir()
        assert made.suffix == f".{suffix}"
        assert made.name in asked
