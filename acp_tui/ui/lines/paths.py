"""Paths of files, as they are shown."""

from pathlib import Path, PurePath
from urllib.parse import unquote, urlsplit

from acp_tui.text import count_blanks, reveal_escapes


def shown_path(path: str, cwd: str | None) -> str:
    """Return a path, short where that says as much: seen from the session's folder, or from the
    person's home; else as it is. It shows what is in it of escape sequences, and counts its blanks.
    """
    path = reveal_escapes(count_blanks(path))
    whole = PurePath(path)
    if cwd and whole.is_relative_to(cwd) and whole != PurePath(cwd):
        return str(whole.relative_to(cwd))
    home = Path.home()
    return f"~/{whole.relative_to(home)}" if whole.is_relative_to(home) else path


def readable(uri: str) -> str:
    """Return a file's address as the path that it is; any other as it came."""
    try:
        parts = urlsplit(uri)
        path = unquote(parts.path, errors="strict")
    except ValueError:
        return reveal_escapes(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or parts.query or not path:
        return reveal_escapes(uri)
    path = shown_path(path, None)
    return f"{path}#{reveal_escapes(parts.fragment)}" if parts.fragment else path
