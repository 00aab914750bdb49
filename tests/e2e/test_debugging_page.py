"""The sessions in docs/debugging.md: each command is run, and prints what the page shows; an ellipsis there
stands for anything."""

import os
import re
import shlex
import sys
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from acp_tui.cli import main
from tests.examples import parametrize
from tests.fake_agent.script import Script

PAGE = Path(__file__).parents[2] / "docs/debugging.md"
TIME = re.compile(r'"at": [\d.]+')
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Shown(NamedTuple):
    """A command of the page, and what it prints there."""

    command: str
    printed: str


def shown(block: str) -> list[Shown]:
    parts = [one.partition("\n") for one in block.removeprefix("$ ").split("\n$ ")]
    return [Shown(command, printed.rstrip("\n")) for command, _, printed in parts]


SESSIONS = list(map(shown, BLOCK.findall(PAGE.read_text("utf-8"))))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recordings of which the page speaks."""
    made = tmp_path_factory.mktemp("page")
    hello = Script().handshake().prompt().chunk("Good ").chunk("morning!").end_turn()
    again = Script("other").handshake().prompt().chunk("Good morning!").end_turn()
    worse = Script().handshake().prompt().chunk("Good evening!")
    worse.tool_call(title="Look at the clock", status="completed").end_turn()
    noise = Script().handshake().prompt().chunk("Well").garbage("npm warn deprecated").end_turn()
    scripts = {"hello": hello, "again": again, "worse": worse, "noise": noise}
    for name, script in scripts.items():
        agent = script.argv(tmp_path_factory.mktemp("agent"))
        path = made / f"{name}.jsonl"
        main.run(["run", "Hello", "--record", str(path), "--", *agent])
        at = count(1)  # the same times each time
        lines = TIME.sub(lambda _: f'"at": {next(at) / 10}', path.read_text("utf-8"))  # noqa: B023
        path.write_text(lines, "utf-8")
    return made


@parametrize(4, "session", SESSIONS, ids=[one[0].command for one in SESSIONS])
def test_each_command_prints_what_the_page_shows(
    session: list[Shown],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    for one in session:
        _, *argv = shlex.split(one.command)
        capfd.readouterr()
        with suppress(SystemExit):
            main.run(argv)
        out, err = capfd.readouterr()
        wanted = ".*".join(map(re.escape, one.printed.split("…")))  # what differs each time
        assert re.fullmatch(wanted, (err + out).rstrip("\n"), re.DOTALL), err + out
