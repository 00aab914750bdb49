"""Which terminals get ASCII in place of icons."""

import pytest
from textual.content import cell_len

from acp_tui.config.icons import TABLE, table


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
    assert (table() is not None) is plain


@pytest.mark.parametrize(("chosen", "plain"), [("ascii", True), ("unicode", False)])
def test_the_settings_decide_first(
    chosen: str, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from acp_tui.config.paths import settings_file

    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text(f'icons = "{chosen}"\n')
    monkeypatch.setenv("TERM", "xterm" if plain else "linux")
    assert (table() is not None) is plain


def test_what_is_drawn_keeps_its_width() -> None:
    assert [char for char in map(chr, TABLE) if cell_len(char) != 1] == []
    assert [plain for plain in TABLE.values() if not plain.isascii() or len(plain) != 1] == []
