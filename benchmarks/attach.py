"""What a kept run costs: memory and CPU for each session, and how soon a key shows on its screen.

One run has 50 sessions of four agents. Four sessions stream, one of each agent, while somebody types
in another one. Memory is proportional (PSS), as the process shares much with the one that began it.
"""

import json
import os
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.state.commands import NewSession, SendPrompt
from benchmarks import sized
from benchmarks.startup import cpu_seconds
from benchmarks.window import Window

AGENT = [sys.executable, str(Path(__file__).with_name("streaming_agent.py"))]
AGENTS = 4
SESSIONS = sized(50, 2 * AGENTS)
CHUNKS = 1_000_000
"""More than are sent before the run is stopped, however long the keys take."""
PAUSE = 10
KEYS = sized(192, 24)
LETTERS = "αβγδεζηθικλμνξοπρστυφχψω"
"""What nothing else on the screen is written with."""
BETWEEN = 0.05
"""Seconds between two keys."""
IDLE = sized(5.0, 0.1)


def main() -> None:
    """Measure and print."""
    with TemporaryDirectory() as folder:
        _settings(Path(folder, "acp-tui"))
        names = [word for number in range(AGENTS) for word in ("--agent", f"a{number}")]
        argv = [sys.executable, "-m", "acp_tui", "--keep", "bench", "--no-record", *names]
        screen = Window(argv, (120, 40), None, folder)
        try:
            screen.wait_for("○ ready")
            _measure(Path(folder, "acp-tui", "kept"), screen, folder)
        finally:
            subprocess.run(
                [sys.executable, "-m", "acp_tui", "stop", "bench"],
                env={**os.environ, "XDG_STATE_HOME": folder},
                check=False,
            )
            screen.close()


def _settings(folder: Path) -> None:
    folder.mkdir()
    lines = [f"[agents.a{number}]\ncommand = {json.dumps(AGENT)}\n" for number in range(AGENTS)]
    (folder / "settings.toml").write_text("".join(lines), encoding="utf-8")


def _measure(kept: Path, screen: Window, folder: str) -> None:
    run = _Run(kept / "bench.sock")
    pid = json.loads((kept / "bench.json").read_text(encoding="utf-8"))["pid"]
    screen.rest(1.0)
    few, began = _memory(pid), len(run.sessions())
    _say(f"memory of the run, {began} sessions, MiB", few)
    for number in range(SESSIONS - AGENTS):
        run.do(number % AGENTS + 1, NewSession.__name__, {})
    while len(run.sessions()) < SESSIONS:
        screen.watch(0.1)
    screen.rest(1.0)
    many = _memory(pid)
    _say(f"memory of the run, {SESSIONS} sessions, MiB", many)
    _say("a session more, KiB", 1024 * (many - few) / (SESSIONS - began))
    before = cpu_seconds(pid)
    screen.watch(IDLE)
    _say("CPU while idle, ms a second", 1000 * (cpu_seconds(pid) - before) / IDLE)
    _keys("keys, nobody streams", screen)
    for number in range(AGENTS):
        run.do(number + 1, SendPrompt.__name__, _prompt("s2", f"stream {CHUNKS} {PAUSE}"))
    screen.watch(0.5)
    daemon, ours, began_at = cpu_seconds(pid), screen.cpu, time.perf_counter()
    _keys("keys, four stream", screen)
    took = time.perf_counter() - began_at
    assert sum(one["state"] == "working" for one in run.sessions()) == AGENTS
    _say("CPU of the run meanwhile, %", 100 * (cpu_seconds(pid) - daemon) / took)
    _say("CPU of the screen meanwhile, %", 100 * (screen.cpu - ours) / took)
    began_at = time.perf_counter()
    other = Window([sys.executable, "-m", "acp_tui", "attach"], (120, 40), None, folder)
    other.wait_for("○ ready")
    _say("another screen attaches, ms", 1000 * (time.perf_counter() - began_at))
    other.close()


class _Run:
    """A screen without a screen: what it is sent is thrown away."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._end = self._connect("attach")

    def _connect(self, wants: str) -> socket.socket:
        end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        end.connect(str(self._path))
        hello = {"acp-tui": 1, "wants": wants, "screen": "bench"}
        end.sendall(json.dumps(hello).encode() + b"\n")
        return end

    def do(self, agent: int, command: str, given: dict[str, object]) -> None:
        """Ask for something."""
        body = {"do": agent, "command": command, "given": given}
        self._end.sendall(json.dumps(body).encode() + b"\n")

    def sessions(self) -> list[dict[str, object]]:
        """What each session does."""
        with self._connect("status") as end, end.makefile() as lines:
            found: list[dict[str, object]] = json.loads(next(lines))["sessions"]
        return found


def _prompt(session: str, text: str) -> dict[str, object]:
    return {"session_id": session, "prompt": [{"type": "text", "text": text}]}


def _keys(what: str, screen: Window) -> None:
    """How soon typed letters show."""
    took = []
    for number in range(KEYS):
        letter = LETTERS[number % len(LETTERS)]
        if not number % len(LETTERS):
            screen.type("\x15")  # an empty line again
            screen.watch(0.3)
        took.append(1000 * screen.wait_for_letter(letter))
        screen.watch(BETWEEN)
    took.sort()
    _say(f"{what}: median, ms", statistics.median(took))
    _say(f"{what}: p99, ms", took[int(len(took) * 0.99)])


def _memory(pid: int) -> float:
    """MiB of memory of a process, what it shares divided among all who have it."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    raise LookupError(pid)


def _say(what: str, figure: float) -> None:
    print(f"{what:44}{figure:10.2f}", flush=True)


if __name__ == "__main__":
    main()
