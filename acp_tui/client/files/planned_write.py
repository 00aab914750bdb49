"""A file write: `plan_write` reads the old file, `carry_out_write` writes the new one, and
`undo_write` restores the old one if nobody has changed the file since.
"""

import errno
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from anyio import to_thread

from acp_tui.client.files import safe_paths, text_file
from acp_tui.client.files.encoding import (
    UTF_8,
    NotTextError,
    decode_text,
    detect_encoding,
    has_surrogates,
    keeps_crlf,
)
from acp_tui.client.files.safe_paths import Folder
from acp_tui.client.files.text_file import (
    SIZE_LIMIT,
    FileContent,
    convert_errors,
    digest_of,
    explain_too_large,
    invalid_error,
    is_link,
    read_in,
    resolve_inside,
    roots_of_folder,
    unavailable_error,
)
from acp_tui.client.process.watchdog import watchdog

_ACCESS_LIST = "system.posix_acl_access"
_ATTRIBUTES = ("user.", _ACCESS_LIST, "security.selinux")
"""Extended attributes that belong to the file rather than to its content."""


def replace_file(folder: Folder, name: str, data: bytes, old: os.stat_result | None) -> bool:
    """Write a temporary file, then rename it to `name`; leave nothing behind on failure.

    Preserves the mode, the owner and, on Linux, extended attributes and access lists, but drops
    set-ID bits: no other content may run with the rights of the file's owner or group. `old` is the
    expected old file; raises OSError with ELOOP if another file is there. Returns whether the owner
    and group are the same.
    """
    kept = True
    temporary = f".acp-tui-{os.urandom(8).hex()}"
    how = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = folder.open(temporary, how, 0o666 if old is None else 0o600)
    watchdog.add_path(folder.path / temporary)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if old is not None:
                _copy_attributes(folder, name, descriptor)
                kept = _restore_owner_and_mode(descriptor, old)
            os.fsync(descriptor)
        if not _same(folder.stat(name), old):
            raise OSError(errno.ELOOP, "it is being changed at the same time")
        folder.replace(temporary, name)
        return kept
    except BaseException:
        with suppress(OSError):
            folder.unlink(temporary)
        raise
    finally:
        watchdog.remove_path(folder.path / temporary)


def cleared_mode_bits(facts: os.stat_result) -> int:
    """Return the mode bits that a write clears, as the kernel does when another user writes the
    file.

    Without the group's execute bit, set-group-ID marks mandatory locking and isn't a privilege.
    """
    bits = stat.S_ISUID
    if facts.st_mode & stat.S_IXGRP:
        bits |= stat.S_ISGID
    return facts.st_mode & bits


def _same(found: os.stat_result | None, old: os.stat_result | None) -> bool:
    if found is None or old is None:
        return found is old
    return all(
        getattr(found, one) == getattr(old, one)
        for one in ("st_dev", "st_ino", "st_mode", "st_size", "st_mtime_ns")
    )


def _restore_owner_and_mode(descriptor: int, old: os.stat_result) -> bool:
    """Restore the owner, group and mode; return whether owner and group are restored.

    If the group can't be restored, its permissions are limited to those of others: nobody may get
    more rights than before.
    """
    if not hasattr(os, "fchown"):
        return True
    mode = stat.S_IMODE(old.st_mode) & ~cleared_mode_bits(old)
    try:
        os.fchown(descriptor, old.st_uid, old.st_gid)
    except PermissionError:
        with suppress(PermissionError):
            os.fchown(descriptor, -1, old.st_gid)
    now = os.fstat(descriptor)
    if now.st_gid != old.st_gid:
        mode &= ~0o070 | (mode & 0o007) << 3
    os.fchmod(descriptor, mode)
    return (now.st_uid, now.st_gid) == (old.st_uid, old.st_gid)


def _copy_attributes(folder: Folder, name: str, descriptor: int) -> None:
    """Copy the extended attributes that can be copied; needs only read access."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        os.removexattr(descriptor, _ACCESS_LIST)  # a new file inherits the folder's default list
    with suppress(OSError):
        source = folder.open(name, os.O_RDONLY | os.O_NONBLOCK)
        try:
            for attribute in os.listxattr(source):
                if attribute.startswith(_ATTRIBUTES):
                    with suppress(OSError):
                        os.setxattr(descriptor, attribute, os.getxattr(source, attribute))
        finally:
            os.close(source)


LONGEST_LOGGED_TEXT = 1_000_000
"""Most characters of texts that are logged, to be shown as a diff."""


@dataclass(frozen=True)
class PlannedWrite:
    """A planned write: the file's real path, the new bytes, and the `old` file.

    `remarks` are sentences about what differs from the agent's request.
    """

    path: str
    place: Path
    roots: Sequence[str] | None
    data: bytes
    old: FileContent | None
    remarks: tuple[str, ...]

    @cached_property
    def digest(self) -> bytes:
        """A hash of the bytes."""
        return digest_of(self.data)

    @property
    def is_same(self) -> bool:
        """Whether the file already contains these bytes."""
        return self.old is not None and self.old.data == self.data

    def contains(self, text: str | None) -> bool:
        """Return whether the file contains this text; for None, whether it is missing."""
        if self.old is None or text is None:
            return self.old is None and text is None
        try:
            return self.old.data is not None and self.old.text == text
        except NotTextError:
            return False

    def texts(self) -> tuple[str | None, str | None]:
        """Return the texts before and after; None for both if they are too long to log or aren't
        text.
        """
        old = self.old
        try:
            before = old.text if old is not None and old.data is not None else None
            after = decode_text(self.data)
        except NotTextError:
            return None, None
        return (
            (before, after)
            if len(before or "") + len(after) <= LONGEST_LOGGED_TEXT
            else (None, None)
        )


async def plan_write(path: str, content: str, roots: Sequence[str] | None = None) -> PlannedWrite:
    """Read the old file and prepare a write (fs/write_text_file).

    An existing file keeps its mode, owner, encoding, byte order mark and line endings, and symbolic
    links to it remain links. With `roots` (resolved folders or files), the file that is really
    written must be inside one of them. Raises ServiceError.
    """
    return await to_thread.run_sync(_plan_now, path, content, roots, abandon_on_cancel=True)


def carry_out_write(planned: PlannedWrite) -> tuple[str, ...] | None:
    """Write a file completely or not at all, creating its missing folders.

    Returns the remarks, or None if another file is there by now and nothing was written. Blocks on
    the disk; raises ServiceError.
    """
    place, old, remarks = planned.place, planned.old, planned.remarks
    roots = roots_of_folder(place, planned.roots)
    try:
        with safe_paths.open_folder(place.parent, roots, make=True) as folder:
            facts = old.facts if old is not None else None
            if not replace_file(folder, place.name, planned.data, facts):
                remarks = (*remarks, "It belonged to somebody else; it is yours now.")
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None
        with convert_errors(planned.path, "write"):
            raise
    if is_link(planned.path):
        remarks = (*remarks, f"{planned.path} is a link to it.")
    return remarks


def _plan_now(path: str, content: str, roots: Sequence[str] | None) -> PlannedWrite:
    def attempt() -> PlannedWrite:
        place = resolve_inside(path, roots)
        old = _read_old(path, place, roots)
        data, remarks = _stored(content, old)
        if len(data) > SIZE_LIMIT:
            raise invalid_error(path, explain_too_large(SIZE_LIMIT))
        planned = PlannedWrite(path, place, roots, data, old, remarks)
        planned.digest  # noqa: B018  computed here in the thread, not on the event loop
        return planned

    with convert_errors(path, "write"):
        if path.endswith(os.sep):
            raise invalid_error(path, "it is the name of a folder")
        return safe_paths.retry_if_swapped(attempt)


def _read_old(path: str, place: Path, roots: Sequence[str] | None) -> FileContent | None:
    """Return the old file, or None if it or its folder is missing."""
    try:
        with safe_paths.open_folder(place.parent, roots_of_folder(place, roots)) as folder:
            old = read_in(folder, place.name, path)
            if old is not None and not folder.may_write(place.name):
                raise unavailable_error(path, "it is write-protected")
            return old
    except FileNotFoundError:
        return None


def _stored(content: str, old: FileContent | None) -> tuple[bytes, tuple[str, ...]]:
    """Return the bytes to write, and remarks about them. Raises NotTextError."""
    remarks = []
    encoding = UTF_8
    if old is not None and old.data is not None:
        encoding = detect_encoding(old.data[:4])
        if keeps_crlf(content, old.text):
            content = content.replace("\n", "\r\n")
            remarks.append("Its line ends are still CRLF; the agent wrote LF.")
        if old.facts.st_nlink > 1:
            remarks.append("It had other names (hard links); those keep the old text.")
    if old is not None and cleared_mode_bits(old.facts):
        remarks.append(
            "It runs with the rights of whoever starts it now, not of its owner or group."
        )
    if has_surrogates(content):
        remarks.append("Characters that no file can hold were written as \ufffd.")
    return encoding.encode(content), tuple(remarks)


class NotUndoneError(Exception):
    """The file isn't as the agent left it; the message explains how."""


class DoneWrite(NamedTuple):
    """What is needed to undo a finished write: the file, the digest of its new content, and whether
    the write created it.
    """

    place: str
    digest: bytes
    created: bool


def undo_write(done: DoneWrite, backup: Callable[[], bytes]) -> None:
    """Restore the content that a write replaced, or delete the file that it created. Blocks on the
    disk.

    Raises NotUndoneError, ServiceError or OSError.
    """
    place = Path(done.place)
    if not place.parent.exists():
        raise NotUndoneError("Its folder is gone.")
    try:
        _undo_write(done, place, backup)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotUndoneError("It leads elsewhere by now; nothing was done.") from None
        raise


def _undo_write(done: DoneWrite, place: Path, backup: Callable[[], bytes]) -> None:
    with safe_paths.open_folder(place.parent, None) as folder:
        found = text_file.read_in(folder, place.name, done.place)
        if found is None:
            raise NotUndoneError("The file is gone.")
        if found.data is None or found.digest != done.digest:
            raise NotUndoneError("It has changed since the agent wrote it; nothing was done.")
        if done.created:
            folder.unlink(place.name)
            folder.sync()
        else:
            replace_file(folder, place.name, backup(), found.facts)
