"""The command that continues a session has what confines the agent, and no secret."""

import argparse
import shlex
from pathlib import Path

import pytest

from acp_tui.cli import main
from acp_tui.cli.repeat_commands import continue_command


class Taken:
    """A command that keeps its options."""

    def __init__(self, command: main.Command) -> None:
        self.configure = command.configure
        self.options = argparse.Namespace()

    def execute(self, options: argparse.Namespace) -> int:
        self.options = options
        return 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("-- my-agent --acp", "acp-tui --continue -- my-agent --acp"),
        ("gemini --theme day", "acp-tui gemini --theme day --continue"),
        ("--theme day gemini claude", "acp-tui --theme day gemini claude --continue"),
        ("gemini --theme day claude", "acp-tui gemini --theme day claude --continue"),
        ("--sandbox --continue -- a", "acp-tui --sandbox --continue -- a"),
        ("--resume -- a", "acp-tui --continue -- a"),
        ("--resume=s1 --recorded-in=x.jsonl -- a", "acp-tui --continue -- a"),
        ("gemini --unstable --choose-options", "acp-tui gemini --unstable --continue"),
        ("--keep tea --record x.jsonl -- a", "acp-tui --continue -- a"),
        ("--env KEY=ghp_0123456789abcdefghijABCDEFGHIJ012345 -- a", "KEY=${KEY}"),
        ("demo", ""),
    ],
)
def test_it_is_what_was_given_and_continue(
    given: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PWD", str(tmp_path))
    load, taken = main.load_command, list[Taken]()

    def take(name: str) -> Taken:
        taken.append(Taken(load(name)))
        return taken[-1]

    monkeypatch.setattr(main, "load_command", take)
    assert main.run(shlex.split(given)) == 0
    command = continue_command(taken[0].options, str(tmp_path))
    assert command == words or ("ghp_" not in command and words in command)
    if command:
        assert main.run(shlex.split(command)[1:]) == 0, "its options exclude each other"
        assert f" --continue --cwd={tmp_path}/x" in continue_command(
            taken[0].options, f"{tmp_path}/x"
        )
