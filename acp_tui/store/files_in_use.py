"""Marks the files that a running acp-tui uses with a lock, which ends with it."""

from pathlib import Path

try:
    import fcntl
except ImportError:  # not POSIX: there, only its age protects a file
    HAS_LOCKS = False
else:
    HAS_LOCKS = True


def mark_in_use(descriptor: int) -> None:
    """Mark an open file as in use, for as long as it is open."""
    if not HAS_LOCKS:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pass  # a file system without locks: then only its age protects the file


def in_use(path: Path) -> bool:
    """Return whether a running acp-tui uses this file."""
    if not HAS_LOCKS:
        return False
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
