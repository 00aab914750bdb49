"""Every module can be imported where there is no POSIX; what is missing there is asked for late."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.protocol.events import ClientNotice
from acp_tui.recordings.recording import format_header, format_record
from tests.unit.state.conversation import STARTED

WITHOUT_POSIX = """
import pkgutil, sys
import anyio._backends._asyncio, platformdirs, textual.driver  # theirs to solve
for name in ("fcntl", "termios", "tty", "pty", "pwd", "grp", "resource"):
    sys.modules[name] = None
import os, signal
for name in (
    "fork", "forkpty", "killpg", "getpgrp", "getpgid", "setsid", "waitid", "uname", "posix_spawn",
    "pread", "fchmod", "fchown", "chown", "getuid", "geteuid", "mkfifo", "O_NOFOLLOW",
    "O_NONBLOCK", "O_DIRECTORY", "O_CLOEXEC", "WNOHANG",
):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGHUP", "SIGKILL", "SIGTSTP", "SIGCONT", "SIGTTOU", "SIGWINCH", "pthread_sigmask"):
    delattr(signal, name)
"""
IMPORTS = """
import acp_tui
found = [m.name for m in pkgutil.walk_packages(acp_tui.__path__, "acp_tui.")]
for name in found:
    if not name.endswith("__main__") and ".sample" not in name:
        try:
            __import__(name)
        except ModuleNotFoundError as error:
            if error.name != "aiohttp":  # of the extra [web]
                raise
print(len(found))
"""


def without_posix(code: str, *arguments: str) -> str:
    words = [sys.executable, "-c", WITHOUT_POSIX + code, *arguments]
    ran = subprocess.run(words, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.slow
def test_no_module_needs_posix_to_be_imported() -> None:
    assert int(without_posix(IMPORTS)) > 100


@pytest.mark.slow
def test_recordings_are_read_without_posix(tmp_path: Path) -> None:
    recording = tmp_path / "log.jsonl"
    events = [STARTED, ClientNotice(1.0, "s", "info", "Hello there")]
    lines = [format_header({"argv": ["agent"], "cwd": "/w"}), *map(format_record, events)]
    recording.write_text("\n".join([*lines, ""]))
    rules = tmp_path / "rules.toml"
    rules.write_text("[[permissions]]\nanswer = 'ask'\npath = 'src/**'\n")
    run = "import acp_tui.cli.main; sys.exit(acp_tui.cli.main.run(sys.argv[1:]))"
    assert "Hello there" in without_posix(run, "log", str(recording))
    assert "0 requests" in without_posix(
        run, "policy", "test", "--policy", str(rules), str(recording)
    )
    without_posix(run, "export", str(recording), "-o", str(tmp_path / "talk.md"))


UNNEEDED = {
    *("pygments", "markdown_it", "pyte", "acp_tui.client.files.text_file"),
    *("acp_tui.protocol.validation", "acp_tui.client.place_kinds", "acp_tui.state.subject"),
    *("acp_tui.client.files.watched_call", "acp_tui.config.client_profiles", "importlib.metadata"),
    *("acp_tui.client.files.edit_watch", "acp_tui.policy.shell"),
    *("acp_tui.ui.transcript.transcript", "acp_tui.debug.lint.linter"),
    *("acp_tui.debug.filters.language", "acp_tui.debug.exchanges", "acp_tui.debug.faults"),
    *("acp_tui.protocol.v2", "textual.command", "textual.widgets._input"),
}
"""What takes long to load, and the first prompt can do without."""


def test_a_start_loads_nothing_that_the_first_prompt_does_not_need() -> None:
    names = ["cli.ui", "kept.window", "host.hosts", "ui.terminal_app", "ui.app", "ui.features"]
    loaded = ", ".join(f"acp_tui.{name}" for name in names)
    code = (
        "import argparse, sys; from acp_tui.cli import main, screen; main._skip_pydantic_plugins()\n"
        f"screen.prepare_look(argparse.Namespace(theme=None)); import {loaded}; print(*sys.modules)"
    )
    given = {name: value for name, value in os.environ.items() if not name.startswith("ACP_TUI_")}
    argv = [sys.executable, "-c", code]
    ran = subprocess.run(argv, capture_output=True, text=True, check=True, env=given)
    assert "acp_tui.ui.app" in ran.stdout.split()
    assert UNNEEDED & set(ran.stdout.split()) == set()
