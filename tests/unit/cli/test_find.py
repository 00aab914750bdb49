"""What a search finds, as rows of a terminal."""

import os
from pathlib import Path

import pytest

from acp_tui.cli.find import hit_rows
from acp_tui.cli.output import Painted, Style
from tests.e2e.terminal import terminal
from tests.unit.index.test_index import find, record, wire


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No recordings but those of the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def text(row: list[str | Painted]) -> str:
    return "".join(one if isinstance(one, str) else one.text for one in row)


def test_a_recording_has_one_head_and_each_passage_a_row_with_the_word_bold() -> None:
    record("20260101-000000-tea-1", wire())
    found = [*hit_rows(find("tea"), 80)]
    assert [text(row).strip().partition(" ")[2] for row in found[1:2]] == [
        "replay 20260101-000000-tea-1 --at '#6'"
    ]
    assert [text(row).split() for row in found[2:]] == [
        ["#6", "file", "/w/src/tea.py"],
        ["#3", "prompt", "Fix", "the", "teapot"],
    ]
    bold = [
        [one.text for one in row if isinstance(one, Painted) and one.style is Style.BOLD]
        for row in found[2:]
    ]
    assert bold == [["tea"], ["teapot"]]


@pytest.mark.parametrize("width", [30, 60, 80])
def test_a_row_is_cut_to_the_width_around_what_was_found(width: int) -> None:
    record("20260101-000000-tea-1", wire("日本語 " * 9 + "kettles " * 9 + "teapot " + "cups " * 9))
    *_, row = hit_rows(find("kind:prompt teapot"), width)
    shown = text(row)
    assert "teapot" in shown
    assert shown.endswith("…")
    assert len(shown) <= width


def test_in_a_terminal_it_is_shown_so(tmp_path: Path) -> None:
    record("20260101-000000-tea-1", wire())
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    with terminal("find", "tea", cwd=tmp_path, env=env, size=(80, 24)) as window:
        window.wait_for("Fix the teapot")
        assert window.wait_for_exit() == 0
        assert window.text.count("a in /w") == 1
        assert "#3  prompt   Fix the teapot" in window.text
