"""Which terminals get ASCII in place of icons."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from unicodedata import category

import pytest
from textual._border import BORDER_CHARS
from textual.content import cell_len

import acp_tui
from acp_tui.config.icons import TABLE, replacement_table

DRAW = ("ui", "cli", "state", "debug", "headless", "formatting.py")
"""What draws, or makes words that are drawn."""
MEASURE = (
    *("cells.py", "syntax.py", "side.py", "table.py", "headless/rows.py"),
    *("format_characters.py", "state/links.py", "approval_phrases.py"),
)
"""Modules that look for characters of others."""
ESCAPED = re.compile(r"\\[uUN]")
"""A character that a source may have without showing it."""


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("variables", "plain"),
    [
        ({}, False),
        ({"LANG": "de_DE.UTF-8"}, False),
        ({"LANG": "en_US.utf8"}, False),
        ({"LANG": "de_DE.ISO-8859-1"}, True),
        ({"LC_ALL": "C"}, True),
        ({"LC_ALL": "C.UTF-8", "LANG": "C"}, False),
        ({"LC_CTYPE": "C", "LANG": "en_US.UTF-8"}, True),
        ({"TERM": "linux", "LANG": "en_US.UTF-8"}, True),
    ],
)
def test_the_terminal_and_the_locale_decide(
    variables: dict[str, str], plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (replacement_table() is not None) is plain


@pytest.mark.parametrize(("chosen", "plain"), [("ascii", True), ("unicode", False)])
def test_the_settings_decide_first(
    chosen: str, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from acp_tui.config.paths import settings_file

    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text(f'icons = "{chosen}"\n')
    monkeypatch.setenv("TERM", "xterm" if plain else "linux")
    assert (replacement_table() is not None) is plain


def test_what_is_drawn_keeps_its_width() -> None:
    assert [char for char in map(chr, TABLE) if cell_len(char) != 1] == []
    assert [plain for plain in TABLE.values() if not plain.isascii() or len(plain) != 1] == []


def test_there_is_ascii_for_every_sign_that_the_program_draws() -> None:
    root = Path(acp_tui.__file__).parent
    files = [
        file for one in DRAW for file in _sources(root / one) if not any(map(file.match, MEASURE))
    ]
    assert len(files) > 300
    lacking = {
        f"{file.relative_to(root)}: {char!r}"
        for file in files
        for source in [file.read_text("utf-8")]
        if _lacking(source) or ESCAPED.search(source)
        for text in _texts(source)
        for char in _lacking(text)
    }
    assert lacking == set()


def test_there_is_ascii_for_every_border() -> None:
    drawn = {char for rows in BORDER_CHARS.values() for row in rows for char in row}
    assert [char for char in drawn if not char.isascii() and ord(char) not in TABLE] == []


def _sources(place: Path) -> list[Path]:
    return [place] if place.is_file() else list(place.rglob("*.py"))


def _lacking(text: str) -> set[str]:
    """The signs in a text for which there is no ASCII."""
    return {
        char
        for char in {*text}
        if not char.isascii() and category(char)[0] in "SP" and category(char) != "Sk"
        if ord(char) not in TABLE
    }


def _texts(source: str) -> Iterator[str]:
    """The texts of a module that are no docstrings."""
    tree = ast.parse(source)
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and id(node) not in docstrings:
            yield text
