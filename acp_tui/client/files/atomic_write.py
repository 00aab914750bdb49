"""Writes a file completely or not at all, and preserves its attributes."""

import errno
import os
import stat
from contextlib import suppress

from acp_tui.client.files.safe_paths import Folder
from acp_tui.client.process.watchdog import watchdog

_ACCESS_LIST = "system.posix_acl_access"
_ATTRIBUTES = ("user.", _ACCESS_LIST, "security.selinux")
"""Extended attributes that are about the file, not about its content."""


def replace_file(folder: Folder, name: str, data: bytes, old: os.stat_result | None) -> bool:
    """Write a temporary file, then rename it to `name`; leave nothing behind on failure.

    Preserves mode, owner, and on Linux extended attributes and access lists, but drops set-ID bits:
    no other content may run with the rights of the file's owner or group. `old` is the expected old
    file; raises OSError with ELOOP if another is there. Returns whether the file still has its
    owner.
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
                _keep_attributes(folder, name, descriptor)
                kept = _keep_owner_and_mode(descriptor, old)
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
    """Return the mode bits that a write clears, as the kernel does when another user writes to a
    file.

    Without the group's execute bit, set-group-ID marks a lock and isn't a privilege.
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


def _keep_owner_and_mode(descriptor: int, old: os.stat_result) -> bool:
    """Restore owner, group and mode; return whether owner and group are restored.

    If the group differs, its bits are limited to those of others: nobody may get more rights than
    before.
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


def _keep_attributes(folder: Folder, name: str, descriptor: int) -> None:
    """Copy the attributes that can be copied; needs only read access."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        os.removexattr(descriptor, _ACCESS_LIST)  # the new file got the folder's default list
    with suppress(OSError):
        source = folder.open(name, os.O_RDONLY | os.O_NONBLOCK)
        try:
            for attribute in os.listxattr(source):
                if attribute.startswith(_ATTRIBUTES):
                    with suppress(OSError):
                        os.setxattr(descriptor, attribute, os.getxattr(source, attribute))
        finally:
            os.close(source)
