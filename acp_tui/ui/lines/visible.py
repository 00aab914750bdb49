"""Draws lines and paths from outside so that nothing is hidden: users judge by their text."""

from pathlib import Path, PurePath
from urllib.parse import unquote, urlsplit

from acp_tui.text import begin_counted, clean_text, count_blanks, reveal_escapes

LONGEST_SHOWN_LINE = 4000
"""Most characters of a line that are shown."""


def visible_line(line: str, longest: int = LONGEST_SHOWN_LINE) -> str:
    """Return a line made safe to draw, without tabs, cropped if it is very long.

    Escape sequences are shown rather than removed, and long runs of blanks are replaced by their
    count, so that no text is hidden within or behind them.
    """
    rest = 0
    if len(line) > longest:
        line, rest = begin_counted(line, longest)
    else:
        line = count_blanks(line)
    line = clean_text(reveal_escapes(line))
    if "\t" in line:
        line = line.expandtabs(4)
    return f"{line} {more_characters(rest)}" if rest > 0 else line


def more_characters(count: int) -> str:
    """Return the words that replace the rest of a long line."""
    return f"… {count:,} more characters"


def shown_path(path: str, cwd: str | None) -> str:
    """Return a path relative to the session's folder or the user's home, if it is in one of them.

    Escape sequences are made visible, and long runs of blanks replaced by their count.
    """
    path = reveal_escapes(count_blanks(path))
    whole = PurePath(path)
    if cwd and whole.is_relative_to(cwd) and whole != PurePath(cwd):
        return str(whole.relative_to(cwd))
    home = Path.home()
    return f"~/{whole.relative_to(home)}" if whole.is_relative_to(home) else path


def readable_address(uri: str) -> str:
    """Return the path of a file URL; any other address as it is."""
    try:
        parts = urlsplit(uri)
        path = unquote(parts.path, errors="strict")
    except ValueError:
        return reveal_escapes(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or parts.query or not path:
        return reveal_escapes(uri)
    path = shown_path(path, None)
    return f"{path}#{reveal_escapes(parts.fragment)}" if parts.fragment else path
