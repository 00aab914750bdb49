"""`acp-tui race`, with agents that run the prompt in a shell and know their names."""

import io
import json
import os
import pty
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import pytest

from acp_tui.cli import main

AGENT = Path(__file__).parents[1] / "shell_agent.py"
BOTH = ("--agent", "ann", "--agent", "bob", "--permissions", "allow")


@pytest.fixture
def env(tmp_path: Path) -> Mapping[str, str]:
    """Settings with two agents."""
    config = tmp_path / "config" / "acp-tui"
    config.mkdir(parents=True)
    command = json.dumps([sys.executable, str(AGENT)])
    (config / "settings.toml").write_text(
        f'[agents.ann]\ncommand = {command}\nenv = {{WHO = "ann"}}\n'
        f'[agents.bob]\ncommand = {command}\nenv = {{WHO = "bob"}}\n'
    )
    ours = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_STATE_HOME": str(tmp_path / "state")}
    return {**os.environ, **ours}


class Ran(NamedTuple):
    """A command's exit code, and what it printed."""

    returncode: int
    stdout: str
    stderr: str


def race(env: Mapping[str, str], cwd: Path, *arguments: str, stderr: TextIO | None = None) -> Ran:
    """Run `acp-tui race` in this process: its agents' runs of the program then start quickly."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        pytest.MonkeyPatch.context() as patch,
        chdir(cwd),
        redirect_stdout(out),
        redirect_stderr(stderr or err),
    ):
        for name, value in env.items():
            patch.setenv(name, value)
        try:
            code = main.run(["race", *arguments])
        except SystemExit as ended:  # wrong usage
            code = int(ended.code or 0)
    out.seek(0)
    err.seek(0)
    return Ran(code, out.read(), err.read())


def race_asking(
    env: Mapping[str, str], cwd: Path, answers: Sequence[tuple[str, str]], *arguments: str
) -> tuple[Ran, str]:
    """Run `acp-tui race` for a person at a terminal, who answers each question once it is asked; return
    what is on the terminal, too.
    """
    ours, theirs = pty.openpty()
    shown = b""

    def answer() -> None:
        nonlocal shown
        begin = 0
        for question, words in [*answers, ("no further question", "")]:
            while question.encode() not in shown[begin:]:
                try:
                    shown += os.read(ours, 1 << 16)
                except OSError:
                    return  # the command has ended
            begin = len(shown)
            os.write(ours, f"{words}\r".encode())

    with ThreadPoolExecutor() as threads, pytest.MonkeyPatch.context() as patch:
        answering = threads.submit(answer)
        with os.fdopen(theirs, "r+b", 0) as both, io.TextIOWrapper(both) as terminal:
            patch.setattr("sys.stdin", terminal)
            ran = race(env, cwd, *arguments, stderr=terminal)
        answering.result()
    os.close(ours)
    return ran, shown.decode()


def told(env: Mapping[str, str], cwd: Path) -> dict[str, dict[str, Any]]:
    """What is known of the agents of the last race, by their labels."""
    shown = json.loads(race(env, cwd, "--show", "last", "--format", "json").stdout)
    return {one["label"]: one for one in shown["racers"]}
