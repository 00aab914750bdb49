"""Undoes a write of the agent's, if nobody has changed the file since."""

import errno
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from acp_tui.client.files import safe_paths, text_file
from acp_tui.client.files.atomic_write import replace


class NotUndoneError(Exception):
    """A file is not as the agent left it; the message explains how."""


class DoneWrite(NamedTuple):
    """A finished write, as needed to undo it."""

    place: str
    digest: bytes
    created: bool


def undo(done: DoneWrite, backup: Callable[[], bytes]) -> None:
    """Restore what a write replaced, or delete what it created. Blocks on the disk.

    Raises NotUndoneError, ServiceError, OSError.
    """
    place = Path(done.place)
    if not place.parent.exists():
        raise NotUndoneError("Its folder is gone.")
    try:
        _undo(done, place, backup)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotUndoneError("It leads elsewhere by now; nothing was done.") from None
        raise


def _undo(done: DoneWrite, place: Path, backup: Callable[[], bytes]) -> None:
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
            replace(folder, place.name, backup(), found.facts)
