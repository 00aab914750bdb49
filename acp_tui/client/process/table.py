"""Lists the processes of this machine, and signals exactly one of them."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

import anyio
from anyio import to_thread
from anyio.lowlevel import RunVar

_MARK_NAME = b"ACP_TUI_GROUP="
_MARK = re.compile(rb"(?:^|[\0 ])" + _MARK_NAME + rb"([0-9a-f:]+)")
_PROC = "/proc"
_READ_SIZE = 64 * 1024
PS_ENVIRONMENTS = "-AEww" if sys.platform == "darwin" else "axeww"
"""Options by which ps lists all processes with their environments, on systems without /proc."""
_PS = ("ps", PS_ENVIRONMENTS, "-o", "pid=,ppid=,pgid=,stat=,lstart=,command=")
_BEFORE_COMMAND = 9
"""Columns of `ps` output before the command; the start time takes five."""


@dataclass(frozen=True, slots=True)
class Process:
    """A process, identified by its id and the time when it `started`.

    `session` is 0 if the system doesn't report it; `marks` are those of its groups, if the
    environment with which it was started can be read.
    """

    pid: int
    parent: int = field(compare=False)
    group: int = field(compare=False)
    session: int = field(compare=False)
    started: str
    is_zombie: bool = field(compare=False)
    marks: tuple[str, ...] = field(default=(), compare=False)

    def send(self, number: int) -> bool:
        """Send a signal; return False if the process is gone, or isn't ours to signal."""
        try:
            with _pinned(self.pid) as handle:
                if _has_proc() and _stat(self.pid)[19].decode() != self.started:
                    return False
                if handle is None:
                    os.kill(self.pid, number)
                else:
                    signal.pidfd_send_signal(handle, number)
        except OSError:
            return False
        return True


@contextmanager
def _pinned(pid: int) -> Iterator[int | None]:
    """Prevent the reuse of a process id within the block, if the system supports that."""
    handle = None
    with suppress(AttributeError, OSError):
        handle = os.pidfd_open(pid)
    try:
        yield handle
    finally:
        if handle is not None:
            os.close(handle)


class ProcessTable:
    """Lists processes; callers that arrive during a listing share the next one."""

    def __init__(self) -> None:
        self._lock = anyio.Lock()
        # A separate thread, which no slow disk can block.
        self._limiter = anyio.CapacityLimiter(1)
        self._processes: list[Process] = []
        self._began = 0.0

    async def read_processes(self, below: int | None) -> list[Process]:
        """Return the current processes: all, or those below a process id."""
        asked = time.monotonic()
        async with self._lock:
            if self._began < asked:
                self._began = time.monotonic()
                self._processes = await to_thread.run_sync(
                    list_processes, below, limiter=self._limiter
                )
            return self._processes


_TABLES = RunVar[ProcessTable]("process table")


def current_table() -> ProcessTable:
    """Return this event loop's table: several loops may run, each in its own thread."""
    found = _TABLES.get(None)
    if found is None:
        found = ProcessTable()
        _TABLES.set(found)
    return found


def make_mark() -> str:
    """Return a new, unique mark."""
    return uuid4().hex


def list_processes(below: int | None = None) -> list[Process]:
    """Return all processes, or those below a process id; none if the system doesn't list them."""
    has_proc = _has_proc()
    found = _by_proc() if has_proc else _by_ps()
    if below is not None:
        found = add_descendants(found, lambda one: one.parent == below)
    if not has_proc:
        return found
    return [replace(one, marks=_marks(_environment(one.pid))) for one in found]


def list_children() -> set[int]:
    """Return the ids of our children and adopted orphans, if the system lists them directly."""
    try:
        told = _read_file(f"{_PROC}/self/task/{os.getpid()}/children")
    except OSError:
        return set()
    return set(map(int, told.split()))


def add_descendants(among: Sequence[Process], chosen: Callable[[Process], bool]) -> list[Process]:
    """Return the chosen processes and all their descendants."""
    children: dict[int, list[Process]] = {}
    for one in among:
        children.setdefault(one.parent, []).append(one)
    found = {one.pid: one for one in among if chosen(one)}
    fresh = list(found.values())
    while fresh:
        below = [one for parent in fresh for one in children.get(parent.pid, ())]
        fresh = [one for one in below if one.pid not in found]
        found.update((one.pid, one) for one in fresh)
    return list(found.values())


def _has_proc() -> bool:
    return Path(_PROC, "self", "stat").exists()


def _stat(pid: int) -> list[bytes]:
    """Return the fields of /proc/PID/stat after the name, which may have blanks and parentheses."""
    text = _read_file(f"{_PROC}/{pid}/stat")
    return text[text.rindex(b")") + 2 :].split(b" ", 20)


def _read_file(path: str) -> bytes:
    """Read a file unbuffered, which is faster: there may be thousands."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        text = b""
        while chunk := os.read(descriptor, _READ_SIZE):
            text += chunk
        return text
    finally:
        os.close(descriptor)


def _of_proc(pid: int) -> Process:
    state, parent, group, session, *rest = _stat(pid)
    is_zombie = state in (b"Z", b"X")
    return Process(pid, int(parent), int(group), int(session), rest[15].decode(), is_zombie)


def _environment(pid: int) -> bytes:
    try:
        return _read_file(f"{_PROC}/{pid}/environ")
    except OSError:  # gone, or another user's
        return b""


def _marks(environment: bytes) -> tuple[str, ...]:
    if _MARK_NAME not in environment:  # most have none, and the pattern takes 50 times as long
        return ()
    found = _MARK.search(environment)
    return tuple(found[1].decode().split(":")) if found is not None else ()


def _by_proc() -> list[Process]:
    found = []
    for name in os.listdir(_PROC):  # noqa: PTH208 - much faster than pathlib
        if name.isdigit():
            with suppress(OSError):
                found.append(_of_proc(int(name)))
    return found


def _by_ps() -> list[Process]:
    env = {**os.environ, "LC_ALL": "C"}
    try:
        ran = subprocess.run(_PS, capture_output=True, check=False, env=env)
    except OSError:
        return []
    rows = (line.split(None, _BEFORE_COMMAND) for line in ran.stdout.splitlines())
    return [_of_row(row) for row in rows if len(row) > _BEFORE_COMMAND]


def _of_row(row: list[bytes]) -> Process:
    pid, parent, group = map(int, row[:3])
    started = b" ".join(row[4:_BEFORE_COMMAND]).decode()
    is_zombie = row[3].startswith(b"Z")
    return Process(pid, parent, group, 0, started, is_zombie, _marks(row[_BEFORE_COMMAND]))
