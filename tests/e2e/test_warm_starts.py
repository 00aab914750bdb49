"""A start that a warm process forks (`tests/warm`) is like one that loads all anew."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.terminal import CTRL_Q, Terminal, terminal
from tests.fake_agent.script import Script
from tests.hosting import PATIENCE, command
from tests.warm import starts
from tests.warm.starts import Starts

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all starts are cold")
SAME = ("PPid", "Umask", "SigBlk", "SigIgn", "SigCgt", "Groups", "NoNewPrivs")


def start_cold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Starts, "_start", lambda *_: False)


def kind(descriptor: Path) -> str:
    return re.sub(r"\d+", "N", str(descriptor.readlink()))


def facts(pid: int) -> dict[str, Any]:
    """What others can see of a process."""
    proc = Path(f"/proc/{pid}")
    status = dict(line.split(":", 1) for line in (proc / "status").read_text().splitlines())
    group, session, tty = (proc / "stat").read_text().rpartition(") ")[2].split()[2:5]
    return {
        "words": (proc / "cmdline").read_bytes().rstrip(b"\0").split(b"\0"),
        "name": (proc / "comm").read_text(),
        "program": str((proc / "exe").readlink()),
        "environment": set((proc / "environ").read_bytes().rstrip(b"\0").split(b"\0")),
        "folder": str((proc / "cwd").readlink()),
        "limits": (proc / "limits").read_text(),
        "streams": [kind(proc / f"fd/{number}") for number in range(3)],
        "leads": (int(group) == pid, int(session) == pid, tty != "0"),
        **{name: status[name] for name in SAME},
    }


def run_facts(tmp_path: Path) -> dict[str, Any]:
    """What is seen of a turn without a UI, and how Ctrl+C ends it."""
    script = Script().handshake().prompt().chunk("hi\n").expect("session/cancel")
    argv = script.reply("prompt", {"stopReason": "cancelled"}).argv(tmp_path)
    env = {**os.environ, "TEA": "grün \udcff", "EMPTY": ""}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command(argv=argv), stdin=pipe, stdout=pipe, stderr=pipe, cwd=tmp_path, env=env
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"hi\n"
        seen = facts(process.pid)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    return {**seen, "code": process.returncode}


@pytest.mark.slow
def test_a_turn_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.umask(0o027)
    try:
        warm = run_facts(tmp_path)
        start_cold(monkeypatch)
        assert run_facts(tmp_path) == warm
    finally:
        os.umask(before)


def app_facts(it: Terminal) -> dict[str, Any]:
    it.wait_for("Ask the agent")
    seen = facts(it.process.pid)
    seen["environment"] = {one for one in seen["environment"] if b"marker-" not in one}
    it.send(CTRL_Q)
    return {**seen, "code": it.wait_for_exit()}


@pytest.mark.slow
def test_the_app_in_a_terminal_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for _ in range(2):
        argv = Script().handshake().argv(tmp_path)
        env = {"XDG_STATE_HOME": str(tmp_path / "state")}
        with terminal("--no-record", "--", *argv, cwd=tmp_path, env=env) as it:
            found.append(app_facts(it))
        start_cold(monkeypatch)
    assert found[0] == found[1]


def agent_facts(tmp_path: Path) -> dict[str, Any]:
    """What is seen of an agent that is a script, and what it says of itself."""
    code = "import os, sys; print(sys.argv, sys.path, __name__, os.getcwd(), flush=True); input()"
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-S", "-c", code, "-S", "--word"],
        stdin=pipe,
        stdout=pipe,
        cwd=tmp_path,
        env=dict(os.environ),
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        seen = facts(process.pid)
        process.communicate(b"\n", timeout=PATIENCE)
    return {**seen, "said": said, "code": process.returncode}


@pytest.mark.slow
def test_an_agent_that_is_a_script_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warm = agent_facts(tmp_path)
    start_cold(monkeypatch)
    assert agent_facts(tmp_path) == warm


@pytest.mark.slow
@pytest.mark.parametrize("changed", ["PYTHONUTF8", "LC_ALL", "TZ", "PY_SAX_PARSER"])
def test_what_was_looked_at_while_all_was_loaded_has_to_be_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    words = [sys.executable, "-m", "acp_tui", "completion", "bash"]
    subprocess.run(words, capture_output=True, check=True)  # with the first, the server is started
    cold: list[object] = []
    start_cold = starts._cold
    monkeypatch.setattr(starts, "_cold", lambda *given: (cold.append(given), start_cold(*given)))
    for env, expected in (({}, 0), ({changed: "C.UTF-8" if changed == "LC_ALL" else "1"}, 1)):
        subprocess.run(words, env={**os.environ, **env}, capture_output=True, check=True)
        assert len(cold) == expected
