"""Styles are parsed once, whatever is added to them."""

from inspect import unwrap
from typing import Any

import pytest
from textual.css import stylesheet
from textual.css.parse import parse
from textual.css.stylesheet import Stylesheet, StylesheetParseError

from acp_tui.ui.textual_fixes.stylesheet import CachingStylesheet

MANY = 200
"""Sources: more than Textual's own stylesheet keeps parsed."""


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that were parsed."""
    sources = list[str]()

    def parse_and_note(scope: str, css: str, *args: Any, **kwargs: Any) -> Any:
        sources.append(css)
        return parse(scope, css, *args, **kwargs)

    monkeypatch.setattr(stylesheet, "parse", parse_and_note)
    # The tests' own parse nothing twice, whatever the stylesheet.
    for name in ("_parse_rules", "parse"):
        monkeypatch.setattr(CachingStylesheet, name, unwrap(getattr(Stylesheet, name)))
    return sources


def filled(variables: dict[str, str] | None = None) -> CachingStylesheet:
    styles = CachingStylesheet(variables=variables)
    for number in range(MANY):
        styles.add_source(f".row-{number} {{ height: {number}; }}")
    styles.parse()
    return styles


def test_only_what_a_screen_brings_is_parsed(parsed: list[str]) -> None:
    styles = filled()
    assert len(parsed) == MANY
    styles.add_source(".brought { height: 1; }")
    styles.reparse()
    assert parsed[MANY:] == [".brought { height: 1; }"]
    assert len(styles.rules) == MANY + 1


def test_all_is_parsed_for_another_theme(parsed: list[str]) -> None:
    styles = filled({"accent": "red"})
    styles.add_source(".colored { color: $accent; }")
    styles.reparse()
    styles.set_variables({"accent": "blue"})
    styles.reparse()
    assert len(parsed) == 2 * (MANY + 1)
    assert styles.rules_map[".colored"][0].styles.color.rgb == (0, 0, 255)


def test_an_error_changes_no_style() -> None:
    styles = filled()
    styles.add_source(".wrong { height: none-such; }")
    with pytest.raises(StylesheetParseError):
        styles.reparse()
    assert len(styles._rules) == MANY
