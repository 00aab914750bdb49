"""The files and sockets of kept runs: claims names, finds runs, and sends single requests to them.

They are in a folder that only its owner can open.
"""

import json
import os
import re
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count, islice
from pathlib import Path
from typing import Any

from acp_tui.config.private_files import make_folder
from acp_tui.errors import AcpTuiError
from acp_tui.kept.messages import MessageError, format_hello, is_ours, read_message
from acp_tui.store.files_in_use import in_use
from acp_tui.text import clean_line

try:
    import fcntl
except ImportError:  # not POSIX: no runs can be kept there
    pass

LONGEST_NAME = 40
LOG_LIFETIME = 30 * 24 * 3600.0
"""Seconds after which the log of an ended run is deleted."""
ATTEMPTS = 10
"""How often a lock is tried, as others may hold it briefly; also how many names are tried."""
_LONGEST_ADDRESS = 100
"""Longest path of a socket in bytes, a few less than any system's limit."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_STRANGE = re.compile(r"[^A-Za-z0-9_.-]+")


class KeptRunError(AcpTuiError):
    """A kept run can't be reached or started; the message says why, and what to do."""


def name_for(folder: str) -> str:
    """Return the default name of a run: its folder's."""
    return _STRANGE.sub("-", Path(folder).name).strip("-.")[:LONGEST_NAME] or "run"


def is_valid_name(text: str) -> bool:
    """Return whether a text is a valid name for a run."""
    return len(text) <= LONGEST_NAME and _NAME.fullmatch(text) is not None


class RunPlace:
    """The files of the run with this name."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name
        self.facts = folder / f"{name}.json"
        self.socket = folder / f"{name}.sock"
        self.log = folder / f"{name}.log"

    @property
    def is_alive(self) -> bool:
        """Whether the run is alive."""
        return in_use(self.facts)

    @property
    def continue_command(self) -> str:
        """The command that continues the session after the run has ended, or ""."""
        try:
            return str(json.loads(self.facts.read_bytes()).get("continue", ""))
        except (OSError, ValueError, AttributeError):
            return ""

    def connect(self, seconds: float | None = None) -> socket.socket:
        """Connect to the run. Raises KeptRunError."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(seconds)
        try:
            with _address(self.socket) as address:
                connection.connect(address)
        except OSError as error:
            connection.close()
            words = f"{self.name} can't be reached: {error.strerror or error}"
            raise KeptRunError(f"{words}; what it wrote: {self.log}") from error
        if not is_ours(connection):
            connection.close()
            raise KeptRunError(f"{self.socket} belongs to another user, and is not used")
        return connection

    def clean_up_after(self) -> None:
        """Delete the files of an ended run, holding its lock so that no other run can claim the
        name.
        """
        with suppress(FileNotFoundError):
            descriptor = os.open(self.facts, os.O_RDWR)
            try:
                if _try_lock(descriptor) and not _is_other(self.facts, descriptor):
                    self.clean_up()
            finally:
                os.close(descriptor)

    def clean_up(self) -> None:
        """Delete the run's files; the log only if it is empty."""
        self.socket.unlink(missing_ok=True)
        with suppress(OSError):
            if not self.log.stat().st_size:
                self.log.unlink()
        self.facts.unlink(missing_ok=True)


@contextmanager
def claim_name(
    folder: Path, cwd: str, name: str | None, continue_command: str = ""
) -> Iterator[tuple[RunPlace, socket.socket]]:
    """Claim the given name, or a free one, and listen on its socket. Raises KeptRunError.

    `continue_command` continues the session after the run has ended.
    """
    place, lock = _claim_name(folder, cwd, name)
    try:
        os.pwrite(lock, json.dumps({"pid": os.getpid(), "continue": continue_command}).encode(), 0)
        listener = _listen(place)
        with listener:
            yield place, listener
    finally:
        place.clean_up()
        os.close(lock)


def _claim_name(folder: Path, cwd: str, name: str | None) -> tuple[RunPlace, int]:
    _make_private(folder)
    if name is not None:
        place = RunPlace(folder, name)
        lock = _lock(place)
        if lock is None:
            raise KeptRunError(f"there is a kept run {name!r} already: acp-tui attach {name}")
        return place, lock
    for free in _names(cwd):
        place = RunPlace(folder, free)
        lock = _lock(place)
        if lock is not None:
            return place, lock
    raise AssertionError("there is always one more number")


def _names(cwd: str) -> Iterator[str]:
    base = name_for(cwd)
    yield base
    yield from (f"{base}-{number}" for number in count(2))


def _lock(place: RunPlace) -> int | None:
    """Lock the file of a name; return None if another run has locked it."""
    try:
        descriptor = os.open(place.facts, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise KeptRunError(f"can't write {place.facts}: {error.strerror or error}") from error
    if not _try_lock(descriptor):
        os.close(descriptor)
        return None
    if _is_other(place.facts, descriptor):  # deleted since, as stale
        os.close(descriptor)
        return _lock(place)
    os.truncate(descriptor, 0)
    return descriptor


def _try_lock(descriptor: int) -> bool:
    """Try to lock a file, repeatedly, as `in_use` may hold its lock briefly."""
    for _ in range(ATTEMPTS):
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(0.01)
    return False


def _is_other(path: Path, descriptor: int) -> bool:
    try:
        return not os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return True


def _make_private(folder: Path) -> None:
    """Create the folder, or ensure that nobody else can open it."""
    make_folder(folder)
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid():
        raise KeptRunError(f"{folder} is not a folder of yours: nothing is kept there")
    if stat.S_IMODE(facts.st_mode) & 0o077:
        folder.chmod(0o700)


def _listen(place: RunPlace) -> socket.socket:
    place.socket.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _address(place.socket) as address:
            listener.bind(address)
        place.socket.chmod(0o600)
        listener.listen()
    except OSError as error:
        listener.close()
        raise KeptRunError(f"can't listen at {place.socket}: {error.strerror or error}") from error
    return listener


@contextmanager
def _address(path: Path) -> Iterator[str]:
    """Yield a path that is short enough for a socket: on Linux, if necessary, one by the folder's
    descriptor.
    """
    if len(os.fsencode(path)) <= _LONGEST_ADDRESS or not Path("/proc/self/fd").exists():
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def living_runs(folder: Path) -> list[RunPlace]:
    """Return the runs that are alive, by name; delete the files of others."""
    found = []
    for path in sorted(folder.glob("*.json"), key=lambda path: path.stem):
        place = RunPlace(folder, path.stem)
        if place.is_alive:
            found.append(place)
        else:
            place.clean_up_after()
    return found


def leftover_logs(folder: Path) -> list[Path]:
    """Return the logs of ended runs; delete old ones."""
    alive = {place.log for place in living_runs(folder)}
    found = []
    for path in sorted(folder.glob("*.log")):
        with suppress(OSError):
            if path in alive:
                continue
            if time.time() - path.stat().st_mtime > LOG_LIFETIME:
                path.unlink()
            else:
                found.append(path)
    return found


def free_name(folder: Path, cwd: str) -> str:
    """Return the name that a run would get by default; another run may claim it first."""
    names = islice(_names(cwd), ATTEMPTS)
    return next((name for name in names if not RunPlace(folder, name).is_alive), name_for(cwd))


def find_run(folder: Path, name: str | None) -> RunPlace:
    """Return the run with this name; without a name, the only run. Raises KeptRunError."""
    places = living_runs(folder)
    if name is None and len(places) == 1:
        return places[0]
    for place in places:
        if place.name == name:
            return place
    if not places:
        words = "no run is kept" if name is None else f"no run is called {name!r}, and none is kept"
        raise KeptRunError(f"{words}; start one: acp-tui --keep -- COMMAND")
    names = ", ".join(place.name for place in places)
    words = "name one of the kept runs" if name is None else f"no kept run is called {name!r}"
    raise KeptRunError(f"{words}; there are: {names}")


RUN_TIMEOUT = 5.0
"""Seconds that a run may take to respond."""


def screen_name() -> str:
    """Return the name that other screens see: our terminal and the host that we are connected from,
    or "a script".
    """
    name = "a script"
    for descriptor in (0, 1, 2):
        try:
            name = os.ttyname(descriptor).removeprefix("/dev/")
        except OSError:
            continue
        break
    host = os.environ.get("SSH_CONNECTION", "").partition(" ")[0]
    return clean_line(f"{name} from {host}" if host else name)


def send_request(place: RunPlace, wants: str, **more: Any) -> dict[str, Any]:
    """Send a request to a run; return its response. Raises KeptRunError."""
    with place.connect(RUN_TIMEOUT) as end:
        return _request(place, end, wants, **more)


def stop_run(place: RunPlace, seconds: float) -> None:
    """End a run, and wait until its agents are gone. Raises KeptRunError."""
    with place.connect(RUN_TIMEOUT) as end:
        _request(place, end, "stop")
        end.settimeout(seconds)
        try:
            while end.recv(4096):
                pass
        except ConnectionError:
            pass  # the run has ended
        except OSError as error:
            words = f"{place.name} has not ended within {seconds:g} s"
            raise KeptRunError(f"{words}; what it wrote: {place.log}") from error


def _request(place: RunPlace, end: socket.socket, wants: str, **more: Any) -> dict[str, Any]:
    line = b""
    try:
        end.sendall(format_hello(wants, screen_name(), **more))
        while not line.endswith(b"\n"):
            data = end.recv(65536)
            if not data:
                raise KeptRunError(f"{place.name} has ended; what it wrote: {place.log}")
            line += data
        body = read_message(line.partition(b"\n")[0])
    except (OSError, MessageError) as error:
        words = f"{place.name} does not answer: {error}"
        raise KeptRunError(f"{words}; what it wrote: {place.log}") from error
    if "error" in body:
        raise KeptRunError(str(body["error"]))
    return body
