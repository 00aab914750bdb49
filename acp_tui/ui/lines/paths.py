"""Paths of files, as they are shown."""

from pathlib import Path, PurePath
from urllib.parse import unquote, urlsplit

from acp_tui.text import count_blanks, reveal_escapes


def shown_path(path: str, cwd: str | None) -> str:
    """Return a path relative to the session's folder or to the person's home, if it is in one of them. Escape
    sequences in it are made visible, and long blanks counted.
    """
    path = reveal_escapes(count_blanks(path))
    whole = PurePath(path)
    if cwd and whole.is_relative_to(cwd) and whole != PurePath(cwd):
        return str(whole.relative_to(cwd))
    home = Path.home()
    return f"~/{whole.relative_to(home)}" if whole.is_relative_to(home) else path


def readable_address(uri: str) -> str:
    """Return the path that a file's address names; any other address as it is."""
    try:
        parts = urlsplit(uri)
        path = unquote(parts.path, errors="strict")
    except ValueError:
        return reveal_escapes(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or parts.query or not path:
        return reveal_escapes(uri)
    path = shown_path(path, None)
    return f"{path}#{reveal_escapes(parts.fragment)}" if parts.fragment else path
