"""Creates the files of exports, named after the agent and the time."""

import re
from datetime import datetime
from pathlib import Path

from acp_tui.config.private_files import write_new
from acp_tui.store.same_folder import SameFolder

_STRANGE = re.compile(r"[^\w.-]+")


def file_name(agent: str, when: datetime, suffix: str) -> str:
    """Return a name such as `agent-20260131-235959.md`, without characters that are special in
    shells or paths.
    """
    name = _STRANGE.sub("-", agent).strip("-.")[:40] or "agent"
    return f"{name}-{when:%Y%m%d-%H%M%S}.{suffix}"


def write_beside(path: Path, text: str, folder: SameFolder | None = None) -> Path:
    """Write a new file, under another name if the name is taken, and return its path. With a
    `folder`, the one that was shown to the user, write only there.

    Raises OSError, and leaves no file, if it can't be written.
    """
    data = text.encode()
    for number in range(1, 1000):
        at = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
        try:
            if folder is None:
                write_new(at, data)
            else:
                folder.write_new(at.name, data)
        except FileExistsError:
            continue
        return at
    raise FileExistsError(17, "a thousand files of this name are there", str(path))
