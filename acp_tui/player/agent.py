"""Plays the recorded agent on this process's stdin and stdout, until EOF."""

import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from acp_tui.config.private_files import write_whole
from acp_tui.debug.play.played_agent import PlayedAgent
from acp_tui.debug.play.scenes import (
    EndProcess,
    PlayAction,
    RecordedScene,
    ReportProblem,
    SendLine,
    WriteStderr,
)
from acp_tui.protocol.frames import Framer
from acp_tui.text import clean_line

_READ_SIZE = 64 * 1024
DIFFERS = 1
"""The exit code of a strict play if the client deviated from the recording."""
_STOPPING = ("SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU")
_IGNORED = ("SIGCONT", "SIGCHLD", "SIGURG", "SIGWINCH")
_NOT_ENDING = tuple(getattr(signal, name, None) for name in (*_STOPPING, *_IGNORED))
"""Signals that don't end a process: it stops, or ignores them. None stands for signals that the
system lacks.
"""


def play_agent(
    runs: list[list[RecordedScene]],
    report: Callable[[str], None],
    *,
    speed: float,
    strict: bool,
    run: int,
) -> int:
    """Play the scenes of each run to the client on stdin and stdout; return the exit code.

    `run` is the number of the first of these runs.
    """
    first, *next_runs = runs
    agent = PlayedAgent(first, time.monotonic(), speed=speed, strict=strict, next_runs=next_runs)
    received: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    threading.Thread(target=_read_stdin, args=(received,), daemon=True).start()
    while True:
        for action in agent.advance(time.monotonic()):
            if isinstance(action, EndProcess) and agent.next_runs:
                following = run + len(runs) - len(agent.next_runs)
                report(
                    f"here the agent ended; --run {following} goes on, or --run next at each start"
                )
            _execute_action(action, report)
        due = agent.next
        wait = None if due is None else max(0.0, due - time.monotonic())
        try:
            line = received.get(timeout=wait)
        except queue.Empty:
            continue
        if line is None:
            break
        agent.receive(line, time.monotonic())
    for action in agent.finish():
        _execute_action(action, report)
    return DIFFERS if strict and agent.differs else 0


def _read_stdin(received: "queue.SimpleQueue[bytes | None]") -> None:
    """Queue each line of stdin, and None at EOF."""
    framer = Framer()
    while data := os.read(0, _READ_SIZE):
        for line in framer.feed(data):
            received.put(line.raw)
    for line in framer.end():
        received.put(line.raw)
    received.put(None)


def _execute_action(action: PlayAction, report: Callable[[str], None]) -> None:
    match action:
        case SendLine(raw=raw):
            _write_all(raw + b"\n")
        case WriteStderr(text=text):
            sys.stderr.write(f"{clean_line(text)}\n")
            sys.stderr.flush()
        case ReportProblem(words=words):
            report(words)
        case EndProcess(code=code, signal=name):
            _exit(code or 0, getattr(signal, name or "", None))


def _exit(code: int, number: object) -> None:
    """Exit like the recorded agent: by a signal, if it is one that ends a process, or with an exit
    code.
    """
    if isinstance(number, signal.Signals) and number not in _NOT_ENDING:
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(code & 0xFF)


def _write_all(data: bytes) -> None:
    """Write all data to stdout; exit if the client no longer reads."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(1, rest) :]
        except BrokenPipeError:
            os._exit(0)


def next_run(folder: Path, recording: Path, runs: int) -> int:
    """Return the number of the next run for this process's parent, and store it in a file.

    Each parent starts with the first run, and starts over after the last. Raises OSError.
    """
    _remove_ended(folder)
    name = blake2b(bytes(recording.absolute()), digest_size=8).hexdigest()
    file = folder / f"{os.getppid()}-{name}"
    try:
        last = int(file.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        last = 0
    number = last % runs + 1
    write_whole(file, f"{number}\n")
    return number


def _remove_ended(folder: Path) -> None:
    """Delete the files of parents that have ended."""
    for file in folder.glob("*-*"):
        with suppress(ValueError, OverflowError, PermissionError):
            try:
                os.kill(int(file.name.partition("-")[0]), 0)
            except ProcessLookupError:
                file.unlink(missing_ok=True)
