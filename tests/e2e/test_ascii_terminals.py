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


def on_terminal(locale: str, *args: str, cwd: Path) -> bytes:
    """Run a command on a terminal of its own, and return what it wrote there."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "LC_ALL": locale, "TERM": "xterm", "XDG_CONFIG_HOME": str(cwd)}
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
def test_every_sign_of_ours_is_ascii(tmp_path: Path, args: list[str]) -> None:
    told = on_terminal("C", *args, cwd=tmp_path)
    assert told.isascii(), told.decode(errors="replace")
    assert b"Traceback" not in told
    rich = on_terminal("C.UTF-8", *args, cwd=tmp_path)
    assert len(told.splitlines()) == len(rich.splitlines())


def test_what_nothing_stands_for_is_told_by_its_number(tmp_path: Path) -> None:
    (tmp_path / "acp-tui").mkdir()
    (tmp_path / "acp-tui" / "settings.toml").write_text('theme = "nächt"\n')
    assert rb"n\xe4cht" in on_terminal("C", "config", cwd=tmp_path)
    assert "nächt".encode() in on_terminal("C.UTF-8", "config", cwd=tmp_path)


def test_what_is_piped_stays_utf_8(tmp_path: Path) -> None:
    env = {**os.environ, "LC_ALL": "C", "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [*PROGRAM, "doctor"], env=env, capture_output=True, cwd=tmp_path, check=False
    )
    assert "✓".encode() in done.stdout
