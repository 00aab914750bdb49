"""The files that an agent reads and writes through us (ACP: File System)."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from anyio import to_thread

from acp_tui.client.encoding import UTF_8, Encoding, NotTextError, decode, detect
from acp_tui.client.errors import RequestError
from acp_tui.protocol.jsonrpc import Error, ErrorCode

SIZE_LIMIT = 64 * 1024 * 1024
"""Bytes of the largest file that is read."""
_CHUNK = 1024 * 1024


async def read_text(
    path: str, line: int | None = None, limit: int | None = None, roots: Sequence[str] | None = None
) -> str:
    """The text of a file (fs/read_text_file): `limit` lines from line `line`, counted from 1.

    Line endings stay as they are; past the end there is "". With `roots` (folders or files), the
    file that was really opened must be inside one of them. Raises RequestError.
    """
    return await to_thread.run_sync(_read, path, line, limit, roots, abandon_on_cancel=True)


async def write_text(path: str, content: str, roots: Sequence[str] | None = None) -> None:
    """Write a file whole or not at all (fs/write_text_file), its folders too where missing.

    A file that exists keeps its mode, owner, encoding and byte order mark, and the links to it.
    With `roots` (folders or files), what is really written must be inside one of them. Raises
    RequestError.
    """
    await to_thread.run_sync(_write, path, content, roots)


async def resolve(path: str) -> Path:
    """The path without "..", and symbolic links as far as it exists.

    Raises RequestError for a path that can't exist.
    """
    return await to_thread.run_sync(_resolve, path, abandon_on_cancel=True)


async def inside(path: str, roots: Sequence[str]) -> bool:
    """Whether the absolute `path`, resolved, is one of `roots` or below it.

    Raises RequestError for a path that can't exist.
    """
    return await to_thread.run_sync(_inside, path, roots, abandon_on_cancel=True)


def _resolve(path: str) -> Path:
    try:
        return Path(os.path.realpath(path))
    except ValueError as error:
        raise _bad(path, "the path holds a NUL character") from error


def _inside(path: str, roots: Sequence[str]) -> bool:
    if not Path(path).is_absolute():
        return False
    found = _resolve(path)
    return any(found.is_relative_to(_resolve(root)) for root in roots)


def _read(path: str, line: int | None, limit: int | None, roots: Sequence[str] | None) -> str:
    with _errors_of(path, "read"):
        _check_path(path)
        _check_regular(path, Path(path).stat())  # first: an open can wake a FIFO's writer
        descriptor = os.open(path, os.O_RDONLY | _flags("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
        try:
            _check_regular(path, os.fstat(descriptor))
            _check_place(path, _opened(descriptor, Path(path)), roots)
            data = _read_all(path, descriptor)
        finally:
            os.close(descriptor)
        return _lines(decode(data), max(line or 1, 1), limit)


def _read_all(path: str, descriptor: int) -> bytes:
    """Read to the end, also where the size is not known before, as in /proc."""
    size = os.fstat(descriptor).st_size
    data = bytearray()
    while size <= SIZE_LIMIT and (chunk := os.read(descriptor, _CHUNK)):
        data += chunk
        size = max(size, len(data))
    if size > SIZE_LIMIT:
        raise _bad(
            path,
            f"it is too large: over {SIZE_LIMIT // 2**20} MiB; read a part of it with a command",
        )
    return bytes(data)


def _lines(text: str, line: int, limit: int | None) -> str:
    start = _after_lines(text, 0, line - 1)
    return text[start:] if limit is None else text[start : _after_lines(text, start, limit)]


def _after_lines(text: str, start: int, count: int) -> int:
    """Where `count` lines from `start` on end."""
    for _ in range(count):
        found = text.find("\n", start)
        if found < 0:
            return len(text)
        start = found + 1
    return start


def _write(path: str, content: str, roots: Sequence[str] | None) -> None:
    with _errors_of(path, "write"):
        _check_path(path)
        if path.endswith(os.sep):
            raise _bad(path, "it is the name of a folder")
        target = _resolve(path)
        old = _stat_of_target(path, target)
        _check_place(path, target, roots)
        target.parent.mkdir(parents=True, exist_ok=True)
        with _folder(target.parent) as folder:
            if folder is not None:
                _check_place(path, _opened(folder, target.parent) / target.name, roots)
            _replace(target, folder, content, old)


def _stat_of_target(path: str, target: Path) -> os.stat_result | None:
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    _check_regular(path, found)
    if not os.access(target, os.W_OK):
        raise _failed(path, "it is write-protected")
    return found


@contextmanager
def _folder(folder: Path) -> Iterator[int | None]:
    """The open folder, so that what follows can't be led elsewhere; None where it can't be had."""
    if os.open not in os.supports_dir_fd:
        yield None
        return
    descriptor = os.open(folder, _flags("O_DIRECTORY", "O_CLOEXEC", "O_PATH"))
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _replace(target: Path, folder: int | None, content: str, old: os.stat_result | None) -> None:
    """Write beside the target, then take its place; nothing is left behind on failure."""
    data = (UTF_8 if old is None else _encoding_of(target)).encode(content)
    temporary = _name_in(folder, target.with_name(f".acp-tui-{secrets.token_hex(8)}"))
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _flags("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY")
    descriptor = os.open(temporary, flags, 0o666 if old is None else 0o600, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if old is not None:
                _keep_owner_and_mode(descriptor, old)
            os.fsync(descriptor)
        os.replace(temporary, _name_in(folder, target), src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _name_in(folder: int | None, path: Path) -> str:
    return str(path) if folder is None else path.name


def _encoding_of(target: Path) -> Encoding:
    """The encoding to keep; a file that may be written but not read shows none."""
    try:
        with target.open("rb") as file:
            return detect(file.read(4))
    except PermissionError:
        return UTF_8


def _keep_owner_and_mode(descriptor: int, old: os.stat_result) -> None:
    if not hasattr(os, "fchown"):
        return
    mode = stat.S_IMODE(old.st_mode)
    try:
        os.fchown(descriptor, old.st_uid, old.st_gid)
    except PermissionError:
        mode &= 0o777  # never pass set-user-id on to another owner
    os.fchmod(descriptor, mode)


def _check_path(path: str) -> None:
    if not Path(path).is_absolute():
        raise _bad(path, "the path must be absolute")
    if "\0" in path:
        raise _bad(path, "the path holds a NUL character")


def _check_regular(path: str, found: os.stat_result) -> None:
    if stat.S_ISREG(found.st_mode):
        return
    kinds = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
    )
    kind = next((name for is_kind, name in kinds if is_kind(found.st_mode)), "a device")
    raise _bad(path, f"it is {kind}, not a regular file")


def _check_place(path: str, place: Path, roots: Sequence[str] | None) -> None:
    if roots is not None and not _inside(str(place), roots):
        raise _bad(path, "it is outside the session's folder")


def _opened(descriptor: int, path: Path) -> Path:
    """Where the open file or folder is, though a link may have been laid since `path` was read."""
    try:
        return Path(f"/proc/self/fd/{descriptor}").readlink()
    except OSError:
        return _resolve(str(path))


def _flags(*names: str) -> int:
    """Those of open's flags that this system has."""
    return sum(getattr(os, name, 0) for name in names)


@contextmanager
def _errors_of(path: str, action: str) -> Iterator[None]:
    """Turn what goes wrong with a file into the answer to the agent's request."""
    try:
        yield
    except NotTextError as error:
        raise _bad(path, str(error)) from error
    except FileNotFoundError as error:
        raise _missing(path) from error
    except BlockingIOError as error:
        raise _failed(path, f"can't {action} it without waiting") from error
    except OSError as error:
        if error.errno == errno.ENOTDIR and action == "read":
            raise _missing(path) from error
        raise _failed(path, f"can't {action} it: {error.strerror or error}") from error


def _missing(path: str) -> RequestError:
    detail = ""
    if Path(path).is_symlink():
        detail = f" (a symbolic link to {_resolve(path)}, which doesn't exist)"
    message = f"No such file: {path}{detail}"
    return RequestError(Error(ErrorCode.RESOURCE_NOT_FOUND, message, {"path": path}))


def _bad(path: str, reason: str) -> RequestError:
    return RequestError(Error(ErrorCode.INVALID_PARAMS, f"{path}: {reason}", {"path": path}))


def _failed(path: str, reason: str) -> RequestError:
    return RequestError(Error(ErrorCode.INTERNAL_ERROR, f"{path}: {reason}", {"path": path}))
