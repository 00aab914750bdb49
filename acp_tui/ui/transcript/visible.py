"""Lines from outside that are judged by what they say: nothing in them may hide."""

import re

from acp_tui.text import clean

LONGEST = 4000
"""How many characters of one line are shown."""

_ESCAPE = re.compile("[\x1b\x90\x98\x9b\x9d-\x9f]")
_PICTURES = dict.fromkeys((0x90, 0x98, 0x9B, 0x9D, 0x9E, 0x9F), "\ufffd") | {0x1B: "\u241b"}


def visible(line: str) -> str:
    """One line made safe to draw, without tabs, cropped if it is very long.

    Escape sequences are not dropped but shown, so that no text hides inside of one.
    """
    rest = len(line) - LONGEST
    line = clean(reveal_escapes(line[:LONGEST] if rest > 0 else line))
    if "\t" in line:
        line = line.expandtabs(4)
    return f"{line} {more_characters(rest)}" if rest > 0 else line


def reveal_escapes(text: str) -> str:
    """Replace what begins escape sequences by pictures of it."""
    return text.translate(_PICTURES) if _ESCAPE.search(text) else text


def more_characters(count: int) -> str:
    """What is said in place of the rest of a long line."""
    return f"… {count:,} more characters"
