"""A command is accepted in one folder, as it stands; a broken file accepts nothing."""

from pathlib import Path

import pytest

from acp_tui.store.accepted_commands import KEPT_COMMANDS, AcceptedCommands


def test_another_command_or_folder_is_not_accepted(tmp_path: Path) -> None:
    file = tmp_path / "state" / "accepted.json"
    accepted = AcceptedCommands(file)
    command = ["tea", "--key=hush"]
    here, there = str(tmp_path), str(file.parent)
    assert not accepted.accepts(here, command)
    accepted.accept(here, command)
    assert accepted.accepts(here, command)
    assert AcceptedCommands(file).accepts(f"{there}/..", command)
    assert not accepted.accepts(there, command)
    assert not accepted.accepts(here, ["tea", "--key=hush", "more"])
    assert not accepted.accepts(here, ["tea --key=hush"])
    assert "hush" not in file.read_text()


def test_another_folder_of_the_same_name_is_not_accepted(tmp_path: Path) -> None:
    accepted, folder = AcceptedCommands(tmp_path / "file"), tmp_path / "tea"
    folder.mkdir()
    accepted.accept(str(folder), ["./agent"])
    assert accepted.accepts(str(folder), ["./agent"])
    folder.rename(tmp_path / "before")
    assert not accepted.accepts(str(folder), ["./agent"])
    folder.mkdir()
    assert not accepted.accepts(str(folder), ["./agent"])


def test_the_oldest_is_asked_again_when_there_are_too_many(tmp_path: Path) -> None:
    accepted = AcceptedCommands(tmp_path / "accepted.json")
    for number in range(KEPT_COMMANDS + 1):
        accepted.accept(str(tmp_path), [str(number)])
    assert not accepted.accepts(str(tmp_path), ["0"])
    assert accepted.accepts(str(tmp_path), ["1"])
    assert accepted.accepts(str(tmp_path), [str(KEPT_COMMANDS)])


@pytest.mark.parametrize("text", ["", "{}", "[" * 100_000, "[1]", " " * 300_000])
def test_a_broken_file_accepts_nothing_and_is_replaced(tmp_path: Path, text: str) -> None:
    file = tmp_path / "accepted.json"
    file.write_text(text)
    accepted = AcceptedCommands(file)
    assert not accepted.accepts(str(tmp_path), ["tea"])
    accepted.accept(str(tmp_path), ["tea"])
    assert accepted.accepts(str(tmp_path), ["tea"])
