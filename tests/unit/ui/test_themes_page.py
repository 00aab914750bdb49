"""The page about themes says what is so."""

from pathlib import Path

from rich.style import Style

from acp_tui.config.themes import ThemeFile
from acp_tui.config.toml_files import parse_toml
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.colors.theme import to_textual
from tests.themes_page import COLORS, EXAMPLE


def test_its_example_is_a_theme_and_changes_what_it_says() -> None:
    theme = parse_toml(EXAMPLE.encode(), Path("sea.toml"), ThemeFile)
    palette = Palette.from_variables(to_textual("sea", theme).variables)
    assert palette["heading1"] == Style.parse("bold #ffd479")
    assert palette["diff.hunk"] == Style.parse("italic")


def test_it_tells_of_every_color_that_a_theme_has() -> None:
    others = {"description", "dark", "ansi", "variables"}
    assert set(ThemeFile.__annotations__) - others == set(COLORS)
