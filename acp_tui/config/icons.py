"""ASCII replacements of icons and borders, for terminals that lack these characters.

The table replaces single characters, so that widths don't change. The UI's driver uses it, and so
does output by lines.
"""

import codecs
import os
from collections.abc import Mapping
from io import TextIOWrapper
from typing import TextIO

from acp_tui.config.layers import load_settings
from acp_tui.config.paths import settings_file

_ASCII = {
    "-": "─━═╌╍‐‑–—−⋯▔▀⊟",
    "|": "│┃║╎╏‖▌▐▎▏▕▊▋▍▉",
    "+": "┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛╔╗╚╝▛▜▙▟▖▗▘▝±✓✔",
    "x": "✖✗✘☑⊘×",
    "o": "○◦◌☐",
    "*": "•●◉✻◆■▪◼▣",
    ">": "→▸▶❯»›⇒⇄↗",
    "v": "▾▼↓⇲",
    "^": "▲↑⏎",
    "<": "←↩␍⌫◀◂‹≤",
    "\\": "↪",
    "=": "≡≣▤⧉↔",
    "~": "✎♪",
    "%": "⚙⌨",
    "?": "⌕\ufffd",
    "!": "⚠↯",
    "i": "ℹ",
    ".": "…·",
    "#": "⠿█▓▒░🖼",
    " ": "\u00a0▁▂▃▄▅▆▇",
    '"': "“”",
    "'": "‘’",
    "$": "␛␡",
}
_SPINNER = dict(zip("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\|/-\\|/", strict=True))
ERRORS = "acp_tui.plain"
"""The name of our error handler for characters that ASCII lacks."""
TABLE: Mapping[int, str] = str.maketrans(
    {char: plain for plain, chars in _ASCII.items() for char in chars} | _SPINNER
)


def replacement_table() -> Mapping[int, str] | None:
    """Return the replacements of characters; None if the terminal can draw all of them.

    Raises:
        ConfigError: the settings are invalid.
    """
    chosen = load_settings(settings_file()).icons
    plain = _is_plain(os.environ) if chosen is None else chosen == "ascii"
    return TABLE if plain else None


def write_plainly(*streams: TextIO) -> None:
    """Restrict streams to ASCII if they are terminals that need it: icons are replaced, other
    characters escaped.

    Raises ConfigError.
    """
    terminals = [one for one in streams if isinstance(one, TextIOWrapper) and one.isatty()]
    if terminals and replacement_table() is not None:
        codecs.register_error(ERRORS, _in_ascii)
        for one in terminals:
            one.reconfigure(encoding="ascii", errors=ERRORS)


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that ASCII lacks; a handler of encoding errors."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end].translate(TABLE)
    return part.encode("ascii", "backslashreplace").decode(), error.end


def _is_plain(environ: Mapping[str, str]) -> bool:
    """Return whether a terminal has few characters: a Linux console, or a locale that isn't UTF-8.

    Without a locale, as in many containers, the terminal around it usually has all characters.
    """
    if environ.get("TERM") == "linux":
        return True
    names = (environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next((name for name in names if name), "")
    return bool(locale) and "utf" not in locale.lower()
