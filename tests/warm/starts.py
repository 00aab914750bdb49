"""Has the tests' starts of the program, and of scripts that are agents, done by processes that have
loaded what these need.

Started as ever is what differs from that process in anything that Python or a module looks at while
it is loaded (the server says which variables that is), or is started in an uncommon way: from a
shell, by other words, with descriptors, limits or a function of its own.
"""

import ctypes
import inspect
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from tests.warm.server import LENGTH, ROOM

TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", *sys.argv[1:]])
"""
"""Makes the pty the session's own, so that its end is heard; forking in Python is not safe here."""
_PLAIN = [sys.executable, "-m", "acp_tui"]
_IN_TERMINAL = [sys.executable, "-c", TAKE_TERMINAL, "acp_tui"]
_DEMO = [sys.executable, "-m", "acp_tui.demo_agent"]
_SCRIPT = [sys.executable, "-S"]
_CHANGED = "\nfrom acp_tui.__main__ import main\nmain()\n"
"""How code ends that runs the program after a change."""
_SERVER = Path(__file__).with_name("server.py")
_SIZE = 60_000
"""Bytes that the arguments, and the environment, have room for."""
MARKER = "ACP_TUI_TEST"
"""The variable by which a test finds its processes, of which a server is none."""
OF_PYTHON = ("PYTHON", "LANG", "LC_", "LD_", "MALLOC_", "TZ")
"""How names begin that Python itself looks at."""
_COMMON = {
    "preexec_fn": (None,),
    "pass_fds": ((),),
    "close_fds": (True,),
    "shell": (False,),
    "gid": (None,),
    "gids": (None,),
    "uid": (None,),
    "umask": (-1,),
    "process_group": (-1, None),
}
_cold = subprocess.Popen._execute_child  # type: ignore[attr-defined]
_SET_SUBREAPER, _GET_SUBREAPER = 36, 37


class Server:
    """The process that forks, and what it was started with."""

    def __init__(self, kind: str) -> None:
        ours, theirs = socket.socketpair()
        self._environment = {name: os.environ[name] for name in os.environ if name != MARKER}
        with theirs:
            options = ["-S", "-E"] if kind == "scripts" else []
            words = [
                sys.executable,
                *options,
                str(_SERVER),
                kind,
                str(theirs.fileno()),
                "x" * _SIZE,
            ]
            environment = {**self._environment, ROOM: "x" * _SIZE}
            self._process = subprocess.Popen(
                words, env=environment, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
            )
        self._asked = ours
        self._answers = ours.makefile("rb")
        self._names = set(json.loads(self._answers.readline()))

    def close(self) -> None:
        """End it."""
        self._answers.close()
        self._asked.close()
        self._process.wait()

    def can_be(self, environment: Mapping[str, str], words: Sequence[str]) -> bool:
        """Whether all that was looked at is the same, and there is room for the rest."""
        names = {*environment, *self._environment}
        looked_at = {name for name in names if name in self._names or name.startswith(OF_PYTHON)}
        size = sum(len(os.fsencode(one)) + 2 for pair in environment.items() for one in pair)
        return (
            all(environment.get(name) == self._environment.get(name) for name in looked_at)
            and size < _SIZE
            and sum(len(os.fsencode(word)) + 1 for word in words) < _SIZE
        )

    def start(self, request: dict[str, Any], streams: list[int]) -> int:
        """Have it fork; return the id of our new child."""
        data = json.dumps(request).encode()
        with adopting():
            socket.send_fds(self._asked, [LENGTH.pack(len(data))], streams)
            self._asked.sendall(data)
            return int(self._answers.readline())


@contextmanager
def adopting() -> Iterator[None]:
    """Be the parent of orphans that come from below us."""
    control, before = ctypes.CDLL(None).prctl, ctypes.c_int()
    control(_GET_SUBREAPER, ctypes.byref(before), 0, 0, 0)
    control(_SET_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        control(_SET_SUBREAPER, before.value, 0, 0, 0)


class Starts:
    """Starts processes: by a server those of the program, all others as ever."""

    def __init__(self) -> None:
        self._signature = inspect.signature(_cold)
        self._servers: dict[str, Server] = {}
        self._lock = Lock()

    def close(self) -> None:
        """End the servers."""
        for server in self._servers.values():
            server.close()

    def execute_child(self, popen: Any, *given: Any) -> None:
        """Stand for the method of `subprocess.Popen`."""
        asked = self._signature.bind(popen, *given).arguments
        kind = self._kind(asked)
        if not kind or not self._start(popen, kind, asked):
            _cold(popen, *given)

    def _kind(self, asked: dict[str, Any]) -> str:
        """The kind of server for a start that is like many others; else ""."""
        args = asked["args"]
        if not isinstance(args, list | tuple) or not all(isinstance(one, str) for one in args):
            return ""
        if asked["executable"] or any(
            asked.get(key, it[0]) not in it for key, it in _COMMON.items()
        ):
            return ""
        kinds = (
            (_PLAIN, "lines"),
            (_DEMO, "demo"),
            (_IN_TERMINAL, "app"),
            (_SCRIPT, "scripts"),
        )
        if list(args[:2]) == [sys.executable, "-c"] and _CHANGED in args[2]:
            return "lines"
        return next((kind for words, kind in kinds if list(args[: len(words)]) == words), "")

    def _start(self, popen: Any, kind: str, asked: dict[str, Any]) -> bool:
        words = list(asked["args"])
        if kind == "app":
            words = [*_PLAIN, *words[len(_IN_TERMINAL) :]]
        environment = dict(os.environ if asked["env"] is None else asked["env"])
        cwd = os.path.realpath(asked["cwd"] or Path.cwd())
        with self._lock:
            if kind not in self._servers:
                self._servers[kind] = Server(kind)
            server = self._servers[kind]
            if not server.can_be(environment, words) or not os.access(cwd, os.X_OK):
                return False
            request = {
                "words": words,
                "cwd": cwd,
                "env": environment,
                "umask": _umask(),
                "terminal": kind == "app",
                "session": asked["start_new_session"],
            }
            ends = [asked[name] for name in ("p2cread", "c2pwrite", "errwrite")]
            streams = [number if end == -1 else end for number, end in enumerate(ends)]
            popen.pid = server.start(request, streams)
        popen._child_created = True
        names = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        popen._close_pipe_fds(*(asked[name] for name in names))
        return True


def _umask() -> int:
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("Umask")).split()[1], 8)


@contextmanager
def warm_starts() -> Iterator[None]:
    """Do it until the block ends, where the system can (Linux), and not with COLD_STARTS set."""
    if sys.platform != "linux" or "COLD_STARTS" in os.environ:
        yield
        return
    starts = Starts()

    def execute_child(popen: Any, *given: Any) -> None:
        starts.execute_child(popen, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess.Popen, "_execute_child", execute_child)
        try:
            yield
        finally:
            starts.close()
