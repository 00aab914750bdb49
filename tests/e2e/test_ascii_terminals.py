"""Where a terminal has few characters, lines are written in ASCII; what goes elsewhere stays as it is."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples import parametrize

DEMO = [sys.executable, "-m", "acp_tui.demo_agent"]
PROGRAM = [sys.executable, "-m", "acp_tui"]


def on_terminal(*args: str, cwd: Path, **locale: str) -> bytes:
    """Run a command on a terminal of its own, and return what it wrote there."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "XDG_CONFIG_HOME": str(cwd), **locale}
    with subprocess.Popen(
        [*PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=env, cwd=cwd
    ):
        os.close(theirs)
        told = b""
        try:
            while data := os.read(ours, 65536):
                told += data
        except OSError:  # the other side is closed
            pass
    os.close(ours)
    return told


@parametrize(
    1,
    "args",
    [
        ["doctor"],
        ["agents"],
        ["config"],
        pytest.param(["run", "/tools", "--findings", "--", *DEMO], marks=pytest.mark.slow),
        ["check", "--list"],
    ],
    ids=lambda args: " ".join(args[:2]),
)
def test_every_sign_of_ours_is_ascii_and_what_nothing_stands_for_is_told_by_its_number(
    tmp_path: Path, args: list[str]
) -> None:
    (tmp_path / "acp-tui").mkdir()
    (tmp_path / "acp-tui" / "settings.toml").write_text('theme = "nächt"\n', "utf-8")
    told = on_terminal(*args, cwd=tmp_path, LC_ALL="C")
    assert told.isascii(), told.decode(errors="replace")
    assert b"Traceback" not in told
    rich = on_terminal(*args, cwd=tmp_path)
    assert len(told.splitlines()) == len(rich.splitlines())
    assert (
        (rb"n\xe4cht" in told) is ("nächt".encode() in rich) is (args in (["doctor"], ["config"]))
    )
