"""A command is accepted in one folder, as it stands; a broken file accepts nothing."""

from pathlib import Path

import pytest

from acp_tui.config.accepted_commands import KEPT, AcceptedCommands


def test_another_command_or_folder_is_not_accepted(tmp_path: Path) -> None:
    file = tmp_path / "state" / "accepted.json"
    accepted = AcceptedCommands(file)
    command = ["tea", "--key=hush"]
    assert not accepted.accepts("/w", command)
    accepted.accept("/w", command)
    assert accepted.accepts("/w", command)
    assert AcceptedCommands(file).accepts("/w/../w", command)
    assert not accepted.accepts("/w2", command)
    assert not accepted.accepts("/w", ["tea", "--key=hush", "more"])
    assert not accepted.accepts("/w", ["tea --key=hush"])
    assert "hush" not in file.read_text()


def test_the_oldest_is_asked_again_when_there_are_too_many(tmp_path: Path) -> None:
    accepted = AcceptedCommands(tmp_path / "accepted.json")
    for number in range(KEPT + 1):
        accepted.accept("/w", [str(number)])
    assert not accepted.accepts("/w", ["0"])
    assert accepted.accepts("/w", ["1"])
    assert accepted.accepts("/w", [str(KEPT)])


@pytest.mark.parametrize("text", ["", "{}", "[" * 100_000, "[1]", " " * 300_000])
def test_a_broken_file_accepts_nothing_and_is_replaced(tmp_path: Path, text: str) -> None:
    file = tmp_path / "accepted.json"
    file.write_text(text)
    accepted = AcceptedCommands(file)
    assert not accepted.accepts("/w", ["tea"])
    accepted.accept("/w", ["tea"])
    assert accepted.accepts("/w", ["tea"])
