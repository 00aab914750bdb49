"""The sessions in docs/debugging.md: each command is run, and prints what the page shows."""

import os
import re
import shlex
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from acp_tui.cli import main
from tests.fake_agent.script import Script

PAGE = Path(__file__).parents[2] / "docs/debugging.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Shown(NamedTuple):
    """A command of the page, and what it prints there."""

    command: str
    printed: str


def shown() -> list[Shown]:
    blocks = BLOCK.findall(PAGE.read_text("utf-8"))
    commands = [one for block in blocks for one in block.removeprefix("$ ").split("\n$ ")]
    parts = [one.partition("\n") for one in commands]
    return [Shown(command, printed.rstrip("\n")) for command, _, printed in parts]


SESSION = shown()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recordings of which the page speaks."""
    made = tmp_path_factory.mktemp("page")
    hello = Script().handshake().prompt().chunk("Good ").chunk("morning!").end_turn()
    agent = hello.argv(tmp_path_factory.mktemp("agent"))
    main.run(["run", "Hello", "--record", str(made / "hello.jsonl"), "--", *agent])
    return made


@pytest.mark.parametrize("one", SESSION, ids=[one.command for one in SESSION])
def test_a_command_prints_what_the_page_shows(
    one: Shown,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    _, *argv = shlex.split(one.command)
    capfd.readouterr()
    main.run(argv)
    out, err = capfd.readouterr()
    assert (err + out).rstrip("\n") == one.printed
