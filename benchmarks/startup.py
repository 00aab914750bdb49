"""From the shell to the first usable prompt: acp-tui with the demo agent, beside a bare app.

Both run on a real pty of 80x24, in turn, many times each; the table shows medians. CPU is the
program's, in all threads and both processes; the agent's own is not counted. What earlier runs left behind is not
read: the folder of states is a new one.
"""

import os
import pty
import re
import select
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path

import pyte

from benchmarks import sized

RUNS = sized(15, 1)
BARE = [sys.executable, str(Path(__file__).with_name("bare_app.py"))]
OURS = [sys.executable, "-m", "acp_tui", "demo"]
READY = re.compile(r"^ *(○ )?ready\b")
"""The status; the prompt, too, says that an agent is \"ready\", before it is."""


def main() -> None:
    """Measure and print."""
    figures: dict[str, list[tuple[float, float]]] = {"bare": [], "acp-tui": []}
    with tempfile.TemporaryDirectory() as states:
        os.environ["XDG_STATE_HOME"] = states
        start(OURS)
        for _ in range(RUNS):
            figures["bare"].append(start(BARE))
            figures["acp-tui"].append(start(OURS))
    print(f"start-up to the first usable prompt, 80x24, median of {RUNS}")
    print(f"{'':10}{'CPU s':>8}{'wall s':>8}")
    medians = {name: _medians(runs) for name, runs in figures.items()}
    for name, (cpu, wall) in medians.items():
        print(f"{name:10}{cpu:8.3f}{wall:8.3f}")
    ratio = medians["acp-tui"][0] / medians["bare"][0]
    wall_ratio = medians["acp-tui"][1] / medians["bare"][1]
    print(f"{'ratio':10}{ratio:8.2f}{wall_ratio:8.2f}")


def _medians(runs: list[tuple[float, float]]) -> tuple[float, float]:
    cpu, wall = zip(*runs, strict=True)
    return statistics.median(cpu), statistics.median(wall)


def start(argv: list[str]) -> tuple[float, float]:
    """Start a program on a pty; CPU and wall seconds until it shows that it is ready."""
    began = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        os.environ |= {"LINES": "24", "COLUMNS": "80"}
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program is compiled
        os.execv(argv[0], argv)
    screen = pyte.Screen(80, 24)
    stream = pyte.ByteStream(screen)
    while not any(READY.search(row) for row in screen.display):
        if not select.select([terminal], [], [], 20)[0]:
            raise TimeoutError("\n".join([f"{argv} never got ready:", *screen.display]))
        stream.feed(os.read(terminal, 65536))
    wall = time.perf_counter() - began
    cpu = cpu_seconds(pid)
    os.kill(pid, signal.SIGTERM)
    _drain(terminal)
    os.waitpid(pid, 0)
    return cpu, wall


def cpu_seconds(pid: int) -> float:
    """CPU time of a process so far, all threads, in seconds; with that of a child that is just like it."""
    process = Path(f"/proc/{pid}")
    total = 0
    for task in (process / "task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    children = (process / "task" / str(pid) / "children").read_text().split()
    words = (process / "cmdline").read_bytes()
    own = [one for one in children if Path(f"/proc/{one}/cmdline").read_bytes() == words]
    return total / 1e9 + sum(cpu_seconds(int(one)) for one in own)


def _drain(terminal: int) -> None:
    try:
        while os.read(terminal, 65536):
            pass
    except OSError:
        pass
    os.close(terminal)


if __name__ == "__main__":
    main()
