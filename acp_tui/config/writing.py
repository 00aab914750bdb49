"""Files of our own: written whole or not at all, for their owner's eyes only."""

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Put a file in place of what is there; its folder is made, too. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}.new")
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(text)
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise
