"""Paths as they are shown: short where that says as much."""

from pathlib import Path, PurePath


def shown_path(path: str, cwd: str | None) -> str:
    """A path seen from the session's folder, or from the person's home; else as it is."""
    whole = PurePath(path)
    if cwd and whole.is_relative_to(cwd) and whole != PurePath(cwd):
        return str(whole.relative_to(cwd))
    home = Path.home()
    return f"~/{whole.relative_to(home)}" if whole.is_relative_to(home) else path
