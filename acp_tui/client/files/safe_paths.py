"""Opens paths one name at a time, so that a link created meanwhile can't lead elsewhere."""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

TRIES = 5
"""Attempts to open a path if something on it is swapped between resolving and opening."""

Result = TypeVar("Result")


class OutsideError(Exception):
    """The path leads outside the allowed folders."""


def sum_flags(*names: str) -> int:
    """Return the sum of the `os.open` flags that this system has."""
    return sum(getattr(os, name, 0) for name in names)


def resolve_path(path: str) -> Path:
    """Resolve ".." and symbolic links, up to the first missing name. Raises ValueError for NUL."""
    return Path(os.path.realpath(path))


def is_inside(place: Path, roots: Sequence[str] | None) -> bool:
    """Return whether a resolved path is one of `roots` or below it; always True if `roots` is None.

    The roots must be resolved in advance: one that was swapped for a link meanwhile must not count.
    """
    return roots is None or any(place.is_relative_to(root) for root in roots)


class Folder(NamedTuple):
    """An open folder: no link can redirect operations on the names in it.

    On systems without support, `descriptor` is None and the path is used instead.
    """

    path: Path
    descriptor: int | None

    def open(self, name: str, how: int, mode: int = 0o600) -> int:
        """Open a file in this folder, never through a link."""
        how |= sum_flags("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY")
        return os.open(self._name(name), how, mode, dir_fd=self.descriptor)

    def stat(self, name: str) -> os.stat_result | None:
        """Return the metadata of a file or link, or None if it is missing."""
        try:
            return os.stat(self._name(name), dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def may_write(self, name: str) -> bool:
        """Return whether permissions allow writing to this file."""
        return os.access(self._name(name), os.W_OK, dir_fd=self.descriptor)

    def replace(self, source: str, target: str) -> None:
        """Replace `target` by `source` atomically, and sync the folder to disk."""
        descriptor = self.descriptor
        os.replace(
            self._name(source),
            self._name(target),
            src_dir_fd=descriptor,
            dst_dir_fd=descriptor,
        )
        self.sync()

    def unlink(self, name: str) -> None:
        """Delete a file."""
        os.unlink(self._name(name), dir_fd=self.descriptor)

    def sync(self) -> None:
        """Sync the folder to disk, if its file system can."""
        how = os.O_RDONLY | sum_flags("O_CLOEXEC")
        with suppress(OSError):
            readable = os.open(self._name("."), how, dir_fd=self.descriptor)
            try:
                os.fsync(readable)
            finally:
                os.close(readable)

    def _name(self, name: str) -> str:
        return str(self.path / name) if self.descriptor is None else name


@contextmanager
def open_folder(path: Path, roots: Sequence[str] | None, *, make: bool = False) -> Iterator[Folder]:
    """Open a resolved folder, creating it if `make`, and check again where it is.

    Raises OutsideError, or OSError (ELOOP if a link is there by now).
    """
    if os.open not in os.supports_dir_fd:
        if make:
            path.mkdir(parents=True, exist_ok=True)
        yield Folder(path, None)
        return
    descriptor = _open_folders(path, make=make)
    try:
        if not is_inside(_real_path(descriptor) or path, roots):
            raise OutsideError
        yield Folder(path, descriptor)
    finally:
        os.close(descriptor)


def retry_if_swapped(attempt: Callable[[], Result]) -> Result:
    """Retry an attempt that failed because a link was swapped in."""
    for _ in range(TRIES - 1):
        try:
            return attempt()
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
    return attempt()


def _open_folders(path: Path, *, make: bool) -> int:
    """Open a folder one name at a time from the root, following no link."""
    how = sum_flags("O_DIRECTORY", "O_CLOEXEC", "O_PATH")
    descriptor = os.open(path.anchor, how)
    try:
        for name in path.parts[1:]:
            inner = _open_name(descriptor, name, how | sum_flags("O_NOFOLLOW"), make=make)
            os.close(descriptor)
            descriptor = inner
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _open_name(descriptor: int, name: str, how: int, *, make: bool) -> int:
    try:
        return os.open(name, how, dir_fd=descriptor)
    except FileNotFoundError:
        if not make:
            raise
    except NotADirectoryError:
        found = os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode
        if stat.S_ISLNK(found) or stat.S_ISDIR(found):  # swapped, and maybe swapped back
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None
        raise
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=descriptor)
    return _open_name(descriptor, name, how, make=False)


def _real_path(descriptor: int) -> Path | None:
    """Return an open folder's real path, or None on systems without support."""
    try:
        return Path(f"/proc/self/fd/{descriptor}").readlink()
    except OSError:
        pass
    try:
        import fcntl

        found = fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024))  # type: ignore[attr-defined]
    except (ImportError, AttributeError, OSError):
        return None
    return Path(os.fsdecode(found.rstrip(b"\0")))
