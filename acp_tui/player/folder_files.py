"""The files of one folder, and no others."""

import os
from pathlib import Path


class FolderFiles:
    """Reads and writes what is in a folder; links that lead out of it are not followed."""

    def __init__(self, folder: Path) -> None:
        self.folder = os.path.realpath(folder)

    def read(self, path: str) -> str | None:
        """Read a file; None if there is none in the folder."""
        place = self._place(path)
        if place is None or not place.is_file():
            return None
        try:
            return place.read_text("utf-8", errors="replace")
        except OSError:
            return None

    def write(self, path: str, text: str) -> bool:
        """Write a file; return False if it isn't in the folder, or can't be written."""
        place = self._place(path)
        if place is None:
            return False
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8", errors="replace", newline="")
        except OSError:
            return False
        return True

    def _place(self, path: str) -> Path | None:
        try:
            real = Path(os.path.realpath(path))
        except (OSError, ValueError):
            return None
        return real if Path(path).is_absolute() and real.is_relative_to(self.folder) else None
