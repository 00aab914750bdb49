"""What makes acp-tui slow here, measured within seconds; nothing is changed."""

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

from acp_tui.cli.facts import Fact, Mark, judged
from acp_tui.config import paths
from acp_tui.formatting import counted, exact_duration, size

TOPIC = "speed"
_LOADED = 30.0
"""Seconds that the UI may take to load before it is given up."""
_PATIENCE = 2.0
"""Seconds for each of the other things."""
_SLOW_START = 2.0
_SLOW_ANSWER = 0.2
"""Seconds that a terminal takes to answer, from which on keys feel slow."""
_SLOW_DISK = 0.5
"""Seconds of a small write from which on recordings lag behind."""
_SLOW_FIND = 1.0
_SLOW_HISTORY = 0.5
_WRITTEN = b"\0" * 65536
_MANY_BYTES = 5 << 30
"""From here on what is kept is worth a look."""
_WHERE = b"\x1b[6n"
"""Asks a terminal where its cursor is."""


def look_at_speed() -> Iterator[Fact]:
    """Measure one thing after the other."""
    yield _start()
    if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        yield _terminal()
    folder = paths.recordings_folder().parent
    if folder.is_dir() and os.access(folder, os.W_OK | os.X_OK):
        yield _disk(folder)
        yield _kept(folder)
    if paths.archive_file().is_file():
        yield _index(paths.archive_file())
    if paths.prompts_file().is_file():
        yield _history(paths.prompts_file())


def _start() -> Fact:
    words = [sys.executable, "-c", "import acp_tui.ui.app"]
    began = time.monotonic()
    try:
        code = subprocess.run(words, capture_output=True, timeout=_LOADED, check=False).returncode
    except subprocess.TimeoutExpired:
        code = 1
    took = time.monotonic() - began
    if code:
        return Fact(TOPIC, "start", Mark.WRONG, "the UI can't be loaded: install acp-tui again")
    told = f"the UI loads in {exact_duration(took)}"
    return _judged("start", told, took > _SLOW_START, "is every file scanned by something?")


def _terminal() -> Fact:
    took = _answer_of_terminal()
    if took is None:
        told = f"it doesn't say within {exact_duration(_PATIENCE)} where its cursor is"
        return Fact(TOPIC, "terminal", Mark.FACT, told)
    told = f"it answers in {exact_duration(took)}"
    return _judged("terminal", told, took > _SLOW_ANSWER, "each key takes as long to show")


def _answer_of_terminal() -> float | None:
    """Return how long the terminal takes to say where its cursor is; None if it doesn't."""
    import select
    import termios
    import tty

    stdin = sys.stdin.fileno()
    before = termios.tcgetattr(stdin)
    sys.stdout.flush()
    try:
        tty.setcbreak(stdin, termios.TCSADRAIN)
        began, heard = time.monotonic(), b""
        os.write(sys.stdout.fileno(), _WHERE)
        while (left := began + _PATIENCE - time.monotonic()) > 0:
            if select.select([stdin], [], [], left)[0]:
                heard += os.read(stdin, 1024)
                if b"R" in heard.rpartition(b"\x1b[")[2]:
                    return time.monotonic() - began
        return None
    finally:
        termios.tcsetattr(stdin, termios.TCSADRAIN, before)


def _disk(folder: Path) -> Fact:
    def write() -> None:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(_WRITTEN)
            file.flush()
            os.fsync(file.fileno())

    took = _timed(write)
    told = f"{size(len(_WRITTEN))} are on the disk {_in(took)}"
    return _judged("disk", told, took > _SLOW_DISK, "it is slow, or busy, or far away")


def _kept(folder: Path) -> Fact:
    files = held = 0
    until = time.monotonic() + _PATIENCE
    for where, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                held += os.lstat(os.path.join(where, name)).st_size  # noqa: PTH118  # there are many
                files += 1
        if time.monotonic() > until:
            break
    more = " or more" if time.monotonic() > until else ""
    told = f"{size(held)} in {counted(files, 'file')}{more} in {folder}"
    advice = "fewer recordings are kept with recordings.kept and recordings.gigabytes"
    return judged(TOPIC, "what is kept", told, held > _MANY_BYTES, advice)


def _index(file: Path) -> Fact:
    from acp_tui.archive.index import Index
    from acp_tui.archive.search import parse, search
    from acp_tui.config.recordings import recordings

    due, trouble = 0, ""
    until = time.monotonic() + _PATIENCE

    def find() -> None:
        nonlocal due, trouble
        try:
            with Index.reading(file) as index:
                index.database.set_progress_handler(lambda: time.monotonic() > until, 10_000)
                search(index, parse("error"))
                due = len(index.due(recordings(paths.recordings_folder())))
        except sqlite3.Error as error:
            trouble = str(error)

    took = _timed(find)
    advice = "acp-tui find --forget removes it, and the next search makes it anew"
    if trouble and took < _SLOW_FIND:
        return Fact(TOPIC, "index", Mark.WRONG, f"it can't be read: {trouble}: {advice}")
    told = f"{size(file.stat().st_size)}, searched {_in(took)}"
    if due:
        told += f"; {counted(due, 'recording')} not read yet"
    return _judged("index", told, took > _SLOW_FIND, advice)


def _history(file: Path) -> Fact:
    from acp_tui.config.prompt_history import PromptFile

    found = 0

    def read() -> None:
        nonlocal found
        found = len(PromptFile(file).load())

    took = _timed(read)
    told = f"{counted(found, 'prompt')}, {size(file.stat().st_size)}, read {_in(took)}"
    return _judged("history", told, took > _SLOW_HISTORY, f"{file} may be deleted")


def _judged(name: str, told: str, is_slow: bool, advice: str) -> Fact:
    """Say how long something took; a busy machine is slow for other reasons."""
    if is_slow and os.getloadavg()[0] > (os.cpu_count() or 1):
        return Fact(TOPIC, name, Mark.FACT, f"{told}, while the machine is busy with other things")
    return judged(TOPIC, name, told, is_slow, advice)


def _timed(work: Callable[[], None]) -> float:
    """Return how long a piece of work takes; infinity if it isn't done in time, and then it is left."""

    def tried() -> None:
        with suppress(OSError):
            work()

    thread = Thread(target=tried, daemon=True)
    began = time.monotonic()
    thread.start()
    thread.join(_PATIENCE)
    return float("inf") if thread.is_alive() else time.monotonic() - began


def _in(took: float) -> str:
    if took == float("inf"):
        return f"not within {exact_duration(_PATIENCE)}"
    return f"in {exact_duration(took)}"
