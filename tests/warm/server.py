"""Has loaded the program, and becomes it in a fork for each request: `python server.py KIND NUMBER`.
Two kinds have loaded what agents need that are scripts, and what the demo agent needs.

Requests come over the socket that is open as NUMBER: JSON with its length before it, and the three
standard streams. The answer is the id of the process, whose parent is whoever adopts orphans here:
its own parent ends at once, once it was told to go on.
"""

import atexit
import ctypes
import gc
import io
import json
import os
import pkgutil
import runpy
import socket
import struct
import sys
import threading
from contextlib import suppress
from importlib import import_module
from itertools import dropwhile
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

ROOM = "ACP_TUI_TESTS_ROOM"
"""A variable that is only long: there is room for the environments of those that are forked."""
LENGTH = struct.Struct("!I")
_KINDS = {
    "lines": [
        "cli.main",
        "cli.run",
        "cli.log",
        "cli.policy",
        "host",
        "headless",
        "client",
        "debug",
        "policy",
        "store",
        "workspace",
        "check",
        "index",
    ],
    "app": [
        "cli.main",
        "cli.ui",
        "cli.demo",
        "cli.launcher",
        "ui",
        "host",
        "client",
        "debug",
        "headless",
        "kept",
        "store",
        "workspace",
    ],
}
"""What is loaded: modules, and all within packages."""
_OTHERS = {
    "lines": ["anyio._core._signals", "platformdirs.unix"],
    "app": [
        "anyio._core._signals",
        "encodings.utf_16_le",
        "importlib.resources.readers",
        "platformdirs.unix",
        "rich._unicode_data.unicode17-0-0",
        "textual.drivers.linux_driver",
        "textual.layouts.factory",
        "textual.layouts.horizontal",
        "textual.layouts.stream",
        "textual.pilot",
    ],
}
"""What other packages load only when it is needed, as nearly always."""
_OF_SCRIPTS = [
    "base64",
    "json",
    "pathlib",
    "queue",
    "re",
    "signal",
    "subprocess",
    "threading",
    "uuid",
]
"""What scripts that are agents load of the standard library."""
_OF_DEMO = ["agent", "wire", "work"]
_PLAYER = Path(__file__).parents[2] / "acp_tui" / "testing"
"""The folder of the module that plays the fake agent's scripts."""
_OPTIONS = ("-S", "-E")
"""Options of Python that scripts are started with."""
_MEMORY = range(45, 49)
"""Where the arguments and the environment begin and end: fields of /proc/self/stat."""


class _Seen(type(os.environ)):  # type: ignore[misc]
    """An environment that knows which names were looked at."""

    names: ClassVar[set[str]] = set()

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        return super().__getitem__(name)  # type: ignore[no-any-return]


def main(kind: str, number: int) -> bool:
    """Serve until nobody asks any more; True in a process that was forked and is to run."""
    os.environ.pop(ROOM)
    names = _load(kind)
    asking = socket.socket(fileno=number)
    asking.sendall(json.dumps(sorted(names)).encode() + b"\n")
    while (request := _next(asking)) is not None:
        if _forked(asking, request[0]["session"], request[1]):
            _become(*request)
            return True
    return False


def _load(kind: str) -> set[str]:
    """Load the program; return the names of the variables that any of it looked at."""
    if kind in _KINDS:
        import_module("zoneinfo")  # reads HOME, and keeps nothing of it
    plain = type(os.environ)
    os.environ.__class__ = _Seen
    if kind in _KINDS:
        _load_program(kind)
    else:
        _load_agents(kind)
    os.environ.__class__ = plain
    gc.collect()
    gc.freeze()
    return _Seen.names


def _load_agents(kind: str) -> None:
    for name in _OF_SCRIPTS:
        import_module(name)
    if kind == "demo":
        for name in _OF_DEMO:
            import_module(f"acp_tui.demo_agent.{name}")
        return
    sys.path.insert(0, str(_PLAYER))
    import_module("script_agent")
    del sys.path[0]


def _load_program(kind: str) -> None:
    import_module("anyio._backends._asyncio")
    for name in _KINDS[kind]:
        module = import_module(f"acp_tui.{name}")
        for one in pkgutil.walk_packages(getattr(module, "__path__", []), f"{module.__name__}."):
            import_module(one.name)
    for name in _OTHERS[kind]:
        import_module(name)
    _build_models()
    if kind == "app":
        _compile_schemas()


def _build_models() -> None:
    """Build each model, which otherwise happens when the first such message or file is read."""
    due = import_module("pydantic").BaseModel.__subclasses__()
    while due:
        model = due.pop()
        if model.__module__.startswith("acp_tui."):
            model.model_rebuild()
        due += model.__subclasses__()


def _compile_schemas() -> None:
    """Compile the schemas of version 1, which otherwise happens as the first messages are checked."""
    for edition in import_module("acp_tui.protocol.validation")._editions(1):
        for name in edition._names:
            edition.check(*name)
        edition.error()


def _next(asking: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next request, and the streams that came with it."""
    head, streams, _, _ = socket.recv_fds(asking, LENGTH.size, 3)
    if not head:
        return None
    (left,) = LENGTH.unpack(head)
    body = b""
    while len(body) < left:
        body += asking.recv(left - len(body))
    return json.loads(body), streams


def _forked(asking: socket.socket, leads: bool, streams: list[int]) -> bool:
    """Fork twice, so that the second is an orphan; True there. It may lead a session of its own, and
    does so before anybody knows of it. Its streams are closed here before it runs: a pipe that it
    closes has no other end then.
    """
    told, tell = os.pipe()
    adopted, adopt = os.pipe()
    child = os.fork()
    if child == 0:
        second = os.fork()
        if second == 0:
            if leads:
                os.setsid()
            os.write(tell, str(os.getpid()).encode())
            os.close(adopt)
            os.read(adopted, 1)
            return True
        os._exit(0)
    os.waitpid(child, 0)
    for descriptor in streams:
        os.close(descriptor)
    asking.sendall(os.read(told, 20) + b"\n")
    for descriptor in (told, tell, adopted, adopt):
        os.close(descriptor)
    return False


def _become(request: dict[str, Any], streams: list[int]) -> None:
    """Be the program, as if it had just been started."""
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    if request["terminal"]:
        import fcntl
        import termios

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(request["cwd"])
    os.umask(request["umask"])
    words = request["words"]
    _be_called(words, request["env"])
    for name in ("stdin", "stdout", "stderr"):
        _open(name)
    sys.argv = list(dropwhile(_OPTIONS.__contains__, words[1:]))
    sys.orig_argv, sys.path[0] = words, str(Path.cwd())
    gc.set_threshold(700, 10, 10)


def _be_called(words: list[str], environment: dict[str, str]) -> None:
    """Have this environment, and show it and the words to whoever looks at processes."""
    os.environ.clear()
    os.environ.update(environment)
    with open("/proc/self/stat", "rb") as file:  # noqa: PTH123
        fields = file.read().rpartition(b") ")[2].split()
    arguments, arguments_end, variables, variables_end = (int(fields[at]) for at in _MEMORY)
    _write(arguments, arguments_end, words)
    _write(variables, variables_end, [f"{name}={value}" for name, value in environment.items()])


def _write(begin: int, end: int, words: list[str]) -> None:
    data = b"".join(os.fsencode(word) + b"\0" for word in words)
    assert len(data) < end - begin
    ctypes.memset(begin, 0, end - begin)
    ctypes.memmove(begin, data, len(data))


def _open(name: str) -> None:
    """Open a standard stream as Python does when it starts."""
    before = getattr(sys, name)
    number = ("stdin", "stdout", "stderr").index(name)
    is_terminal = os.isatty(number)
    stream = open(number, "wb" if number else "rb", closefd=False)  # noqa: SIM115
    stream.raw.name = f"<{name}>"
    text = io.TextIOWrapper(
        stream, before.encoding, before.errors, "\n", line_buffering=is_terminal or number == 2
    )
    text.mode = "w" if number else "r"  # type: ignore[misc]
    setattr(sys, name, text)
    setattr(sys, f"__{name}__", text)


def _leave(code: object) -> None:
    """Leave as Python does, but without taking apart all that was loaded, which costs more than most
    starts do. What can't be left so is left to Python: words to print, and pipes that nobody reads.
    """
    if not isinstance(code, int | None):
        return
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)


def _run() -> None:
    """Run the module, the code or the file that Python was started with."""
    if sys.argv[0] == "-m":
        del sys.argv[0]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        return
    main = sys.modules["__main__"] = ModuleType("__main__")
    if sys.argv[0] == "-c":
        name, code, sys.path[0] = "<string>", sys.argv.pop(1), ""
    else:
        name, code = sys.argv[0], Path(sys.argv[0]).read_text("utf-8")
        main.__file__, sys.path[0] = name, str(Path(name).parent)
    exec(compile(code, name, "exec", dont_inherit=True), main.__dict__)


if __name__ == "__main__" and main(sys.argv[1], int(sys.argv[2])):
    try:
        _run()
    except SystemExit as leaving:
        _leave(leaving.code)
        raise
    _leave(None)
