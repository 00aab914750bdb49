"""Keys that a person's settings move."""

from pathlib import Path

import pytest

from acp_tui.config.settings import Settings
from acp_tui.config.toml_files import ConfigError, parse_toml
from acp_tui.ui import bindings, keymap
from acp_tui.ui.keymap import (
    PRESETS,
    check_keys,
    find_conflicts,
    keys_after_moves,
    move_keys,
    parse_key,
)
from acp_tui.ui.keys import printed_key

TAKEN = 'is taken; give that another key, or "" for none.'


def keys(tables: object, place: str, action: str) -> list[str]:
    """The keys of an action."""
    assert isinstance(tables, dict)
    return [one.key for one in tables[place] if one.action == action]


@pytest.fixture
def moves_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the tables of this process as they were."""
    places = {place: list(table) for place, table in bindings.PLACES.items()}
    monkeypatch.setattr(keymap, "PLACES", places)
    monkeypatch.setattr(keymap, "MOVED", {})
    monkeypatch.setattr(keymap, "BEFORE", {})


def told(tmp_path: Path, text: str) -> list[str]:
    """What is told of a file."""
    path = tmp_path / "settings.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        move_keys(parse_toml(text.encode(), path, Settings), path)
    return str(error.value).replace(str(tmp_path), "").splitlines()


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("Ctrl+G", "ctrl+g"),
        ("ctrl + g", "ctrl+g"),
        ("Alt+/", "alt+slash"),
        ("Ctrl++", "ctrl+plus"),
        ("+", "plus"),
        ("T", "T"),
        ("Alt+Shift+F3", "alt+shift+f3"),
        ("PgUp", "pageup"),
        ("Esc", "escape"),
        ("comma", "comma"),
        ("Ctrl+_", "ctrl+underscore"),
    ],
)
def test_keys_are_written_as_they_are_shown(written: str, key: str) -> None:
    assert parse_key(written) == key


@pytest.mark.usefixtures("moves_back")
def test_two_keys_that_are_taken_away_are_no_conflict(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[keys.everywhere]\n"Ctrl+Q" = ""\n"Ctrl+C" = ""\n')
    move_keys(parse_toml(path.read_bytes(), path, Settings), path)
    pressed = [one.key for one in keymap.PLACES["everywhere"]]
    assert not {"ctrl+q", "ctrl+c"} & set(",".join(pressed).split(","))
    assert keymap.NO_KEY in pressed


@pytest.mark.parametrize("written", ["", "F99", "Hyper+A", "Ctrl+", "Ctrl+I", "Ctrl+[", "Ctrl+M"])
def test_what_no_terminal_sends_is_no_key(written: str) -> None:
    with pytest.raises(keymap.WrongKeyError):
        parse_key(written)


def test_every_key_of_the_tables_can_be_written_as_it_is_shown() -> None:
    for table in bindings.PLACES.values():
        for binding in table:
            for key in binding.key.split(","):
                assert parse_key(printed_key(key)) == key


def test_one_key_of_several_moves_and_lists_that_share_it_follow() -> None:
    tables = keys_after_moves({"prompt": {"ctrl+g": "ctrl+x"}, "lists": {"down": "down,ctrl+n"}})
    [binding] = [one for one in tables["prompt"] if one.key.endswith("alt+e")]
    assert binding.key == "ctrl+x,alt+e"
    assert keys(tables, "lists", "move(1)") == ["down,ctrl+n"]
    assert "down,ctrl+n" in keys(tables, "session-list", "move(1)")


def test_a_key_that_does_nothing_anymore_is_shown_nowhere() -> None:
    tables = keys_after_moves({"everywhere": {"f3": "none"}})
    shown = dict(bindings.key_rows(tables["everywhere"]))
    assert "F3" not in shown
    assert "Themes: preview, choose" not in shown.values()


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_in_no_conflict(preset: str) -> None:
    moves = PRESETS[preset]
    for place, table in moves.items():
        assert table.keys() <= keymap.movable_keys(place)
    assert [str(error) for _, error in find_conflicts(keys_after_moves(moves), moves, {})] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            '[keys.prompt]\n"Ctrl+Ä" = "F5"',
            ":2:1: keys.prompt.Ctrl+Ä: prompt has no such key; it has: ",
        ),
        ('[keys.prompt]\n"Ctrl+G" = "F99"', ":2:1: keys.prompt.Ctrl+G: there is no key 'F99'"),
        (
            '[keys.prmpt]\n"Ctrl+G" = "F5"',
            ":1:1: keys.prmpt: there is no such place; did you mean prompt?",
        ),
        ('[keys.question]\n1 = "2"', ":1:1: keys.question: there is no such place"),
        (
            'keys.prompt."Ctrl+G" = "Ctrl+K"',
            f":1:1: keys.prompt.Ctrl+G: Ctrl+K {TAKEN} In prompt it is: ",
        ),
        (
            '[keys.everywhere]\n"F3" = "Ctrl+K"',
            f":2:1: keys.everywhere.F3: Ctrl+K {TAKEN} In prompt it is: ",
        ),
        (
            '[keys.prompt]\n"Ctrl+G" = "F3"',
            f":2:1: keys.prompt.Ctrl+G: F3 {TAKEN} In everywhere it is: ",
        ),
        ('[keys.prompt]\n"Ctrl+G" = "x"', ":2:1: keys.prompt.Ctrl+G: x alone is text there"),
        ('[keys.lists]\n  "Down" = "j"', ":2:3: keys.lists.Down: j alone is text there"),
    ],
)
@pytest.mark.usefixtures("moves_back")
def test_what_is_wrong_is_told_with_its_line_and_column(
    tmp_path: Path, text: str, words: str
) -> None:
    assert told(tmp_path, text)[0].removeprefix("/settings.toml").startswith(words)


@pytest.mark.usefixtures("moves_back")
def test_nothing_moves_if_anything_is_wrong(tmp_path: Path) -> None:
    before = {place: list(table) for place, table in keymap.PLACES.items()}
    told(tmp_path, '[keys.prompt]\n"Ctrl+G" = "Ctrl+X"\n"Ctrl+W" = "F99"')
    assert before == keymap.PLACES
    assert not keymap.MOVED


@pytest.mark.usefixtures("moves_back")
def test_two_keys_can_change_places(tmp_path: Path) -> None:
    text = '[keys.everywhere]\nF7 = "F8"\nF8 = "F7"'
    move_keys(parse_toml(text.encode(), tmp_path, Settings), tmp_path)
    assert keymap.MOVED["everywhere"] == {"f7": "f8", "f8": "f7"}


@pytest.mark.usefixtures("moves_back")
def test_what_is_checked_when_keys_have_moved_is_what_the_next_start_does(tmp_path: Path) -> None:
    def settings(text: str) -> Settings:
        return parse_toml(text.encode(), tmp_path, Settings)

    move_keys(settings('[keys.everywhere]\nF7 = "F8"\nF8 = "F7"'), tmp_path)
    check_keys(settings('[keys.prompt]\n"Ctrl+G" = "Ctrl+X"'), tmp_path)
    with pytest.raises(ConfigError, match="F8 is taken"):
        check_keys(settings('[keys.everywhere]\nF7 = "F8"'), tmp_path)
    assert keymap.MOVED["everywhere"] == {"f7": "f8", "f8": "f7"}
