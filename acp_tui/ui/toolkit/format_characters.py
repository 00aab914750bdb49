"""Typed characters without a glyph of their own: joiners, tags, directional marks."""

import re
from unicodedata import category

from textual import events

from acp_tui.text import FLAGS, clean_text

_FLAG_START = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{0,5}\\Z")


def format_character(key: events.Key, before: str) -> str:
    """Return a key's character if Textual doesn't count it as printable, made safe as if pasted
    after `before`; "" for other keys.
    """
    character = key.character or ""
    if len(character) != 1 or category(character) not in ("Cf", "Mn"):
        return ""
    flag_start = _FLAG_START.search(before)
    if flag_start is not None and any(flag.startswith(flag_start[0] + character) for flag in FLAGS):
        return character  # by itself it wouldn't count as part of a flag
    last = before[-2:]
    return character if clean_text(last + character) == last + character else "\ufffd"
