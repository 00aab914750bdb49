"""Typed characters that draw nothing of their own: joiners, tags, marks of direction."""

import re
from unicodedata import category

from textual import events

from acp_tui.text import FLAGS, clean_text

_FLAG_BEGUN = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{0,5}\\Z")


def format_character(key: events.Key, before: str) -> str:
    """Return the character of a key that Textual doesn't count as printable, made safe as in a paste after
    `before`; "" for other keys.
    """
    character = key.character or ""
    if len(character) != 1 or category(character) not in ("Cf", "Mn"):
        return ""
    begun = _FLAG_BEGUN.search(before)
    if begun is not None and any(flag.startswith(begun[0] + character) for flag in FLAGS):
        return character  # alone it would be none of a flag
    last = before[-2:]
    return character if clean_text(last + character) == last + character else "\ufffd"
