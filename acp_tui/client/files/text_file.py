"""Reads text files for the agent, and makes the error responses about files (ACP: File System)."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from anyio import to_thread

from acp_tui.client.errors import ServiceError
from acp_tui.client.files import safe_paths
from acp_tui.client.files.encoding import NotTextError, decode_text
from acp_tui.client.files.safe_paths import Folder, OutsideError
from acp_tui.protocol.jsonrpc import Error, ErrorCode

SIZE_LIMIT = 64 * 1024 * 1024
"""The largest file that is read or written, in bytes."""
_READ_SIZE = 1024 * 1024


@dataclass(frozen=True)
class FileContent:
    """A file as read: its real path, metadata and bytes.

    `data` is None for a file that may be written but not read.
    """

    place: str
    facts: os.stat_result
    data: bytes | None

    @cached_property
    def text(self) -> str:
        """The text, without a byte order mark. Raises NotTextError."""
        return decode_text(self.data) if self.data is not None else ""

    @cached_property
    def digest(self) -> bytes:
        """A hash of the bytes."""
        return digest_of(self.data or b"")


async def read_text_file(path: str, roots: Sequence[str] | None = None) -> FileContent:
    """Read a text file (fs/read_text_file).

    With `roots` (resolved folders or files), the file that is really opened must be inside one of
    them. Raises ServiceError.
    """
    return await to_thread.run_sync(read_file_now, path, roots, abandon_on_cancel=True)


def cut_lines(text: str, line: int | None, limit: int | None) -> str:
    """Return `limit` lines starting at `line` (1-based), with their line ends; "" past the end."""
    start = _after_lines(text, 0, max(line or 1, 1) - 1)
    return text[start:] if limit is None else text[start : _after_lines(text, start, limit)]


async def resolve_file(path: str) -> Path:
    """Resolve ".." and symbolic links, up to the first missing name.

    Raises ServiceError for a path that can't exist.
    """
    return await to_thread.run_sync(resolve_file_now, path, abandon_on_cancel=True)


async def is_within(path: str, roots: Sequence[str]) -> bool:
    """Return whether the absolute `path`, resolved, is one of the resolved `roots` or below it.

    Raises ServiceError for a path that can't exist.
    """
    return await to_thread.run_sync(_inside, path, roots, abandon_on_cancel=True)


def resolve_file_now(path: str) -> Path:
    """Like `resolve_file`, but in the calling thread."""
    try:
        return safe_paths.resolve_path(path)
    except ValueError as error:
        raise invalid_error(path, "the path holds a NUL character") from error
    except OSError as error:  # for example /proc/PID/root of another user's process
        raise unavailable_error(path, f"can't tell where it is: {error.strerror}") from error


def _inside(path: str, roots: Sequence[str]) -> bool:
    return Path(path).is_absolute() and safe_paths.is_inside(resolve_file_now(path), roots)


def read_file_now(path: str, roots: Sequence[str] | None, most: int = SIZE_LIMIT) -> FileContent:
    """Read a file of at most `most` bytes, in the calling thread."""

    def attempt() -> FileContent:
        place = resolve_inside(path, roots)
        with safe_paths.open_folder(place.parent, roots_of_folder(place, roots)) as folder:
            found = read_in(folder, place.name, path, most)
            if found is None:
                raise FileNotFoundError
            return found

    with convert_errors(path, "read"):
        found = safe_paths.retry_if_swapped(attempt)
        found.text  # noqa: B018  decoded here in the thread; raises NotTextError
        found.digest  # noqa: B018
        return found


def roots_of_folder(place: Path, roots: Sequence[str] | None) -> Sequence[str] | None:
    """Return the roots for the folder of `place`; a root that is the file allows its folder."""
    if roots is None:
        return None
    return [*roots, *(str(place.parent) for root in roots if Path(root) == place)]


def read_in(folder: Folder, name: str, path: str, most: int = SIZE_LIMIT) -> FileContent | None:
    """Read a file of an open folder without blocking on FIFOs or devices; None if it is missing.

    Raises ServiceError if the file is not regular or is too large, or OSError.
    """
    place = str(folder.path / name)
    facts = folder.stat(name)
    if facts is None:
        return None
    if not stat.S_ISLNK(facts.st_mode):  # opening a link fails with a clear error
        _check_regular(path, facts)  # before opening: that could wake a FIFO's writer
    try:
        descriptor = folder.open(name, os.O_RDONLY | safe_paths.sum_flags("O_NONBLOCK"))
    except PermissionError:
        if not folder.may_write(name):
            raise
        return FileContent(place, facts, None)
    try:
        facts = os.fstat(descriptor)
        _check_regular(path, facts)
        return FileContent(place, facts, _read_all(path, descriptor, facts.st_size, most))
    finally:
        os.close(descriptor)


def _read_all(path: str, descriptor: int, size: int, most: int) -> bytes:
    """Read to the end, even if the size is unknown, as in /proc."""
    data = bytearray()
    while size <= most and (chunk := os.read(descriptor, _READ_SIZE)):
        data += chunk
        size = max(size, len(data))
    if size > most:
        raise invalid_error(
            path, f"{explain_too_large(most)}; use a command for it, or for a part of it"
        )
    return bytes(data)


def explain_too_large(most: int) -> str:
    """Return the reason why a file of more than `most` bytes is refused."""
    return f"it is too large: over {most // 2**20} MiB"


def _after_lines(text: str, start: int, count: int) -> int:
    """Return the index after `count` lines from `start`."""
    for _ in range(count):
        found = text.find("\n", start)
        if found < 0:
            return len(text)
        start = found + 1
    return start


def resolve_inside(path: str, roots: Sequence[str] | None) -> Path:
    """Resolve a path. Raises ServiceError, or OutsideError if it is outside all `roots`."""
    if not Path(path).is_absolute():
        raise invalid_error(path, "the path must be absolute")
    place = resolve_file_now(path)
    if not safe_paths.is_inside(place, roots):
        raise OutsideError
    return place


def _check_regular(path: str, found: os.stat_result) -> None:
    if stat.S_ISREG(found.st_mode):
        return
    kinds = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
    )
    kind = next((name for is_kind, name in kinds if is_kind(found.st_mode)), "a device")
    raise invalid_error(path, f"it is {kind}, not a regular file")


def digest_of(data: bytes) -> bytes:
    """Return a hash of the bytes."""
    import hashlib

    return hashlib.blake2b(data, digest_size=16).digest()


@contextmanager
def convert_errors(path: str, action: str) -> Iterator[None]:
    """Convert errors of file operations into the error response to the agent's request."""
    try:
        yield
    except NotTextError as error:
        raise invalid_error(path, str(error)) from error
    except OutsideError as error:
        raise invalid_error(path, "it is outside the session's folder") from error
    except FileNotFoundError as error:
        raise _missing(path) from error
    except BlockingIOError as error:
        raise unavailable_error(path, f"can't {action} it without waiting") from error
    except NotADirectoryError as error:
        if action == "read":
            raise _missing(path) from error
        raise unavailable_error(path, f"can't {action} it: {error.strerror}") from error
    except OSError as error:
        raise unavailable_error(path, f"can't {action} it: {error.strerror or error}") from error


def _missing(path: str) -> ServiceError:
    detail = ""
    if is_link(path):
        detail = f" (a symbolic link to {safe_paths.resolve_path(path)}, which doesn't exist)"
    message = f"No such file: {path}{detail}"
    return ServiceError(Error(ErrorCode.RESOURCE_NOT_FOUND, message, {"path": path}))


def is_link(path: str) -> bool:
    """Return whether the path is a symbolic link."""
    try:
        return Path(path).is_symlink()
    except OSError:  # the path is too long
        return False


def invalid_error(path: str, reason: str) -> ServiceError:
    """Return the error response for a request that is invalid."""
    return ServiceError(Error(ErrorCode.INVALID_PARAMS, f"{path}: {reason}", {"path": path}))


def unavailable_error(path: str, reason: str) -> ServiceError:
    """Return the error response for a request that can't be served now."""
    return ServiceError(Error(ErrorCode.INTERNAL_ERROR, f"{path}: {reason}", {"path": path}))
