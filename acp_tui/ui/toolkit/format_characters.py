"""Characters that draw nothing of their own, and are typed all the same: joiners, tags, marks of direction."""

import re
from unicodedata import category

from textual import events

from acp_tui.text import FLAGS, clean

_FLAG_BEGUN = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{0,5}\\Z")


def format_character(key: events.Key, before: str) -> str:
    """Return what a key writes that Textual takes for none, as if it was pasted after `before`; nothing
    for all others.
    """
    character = key.character or ""
    if len(character) != 1 or category(character) not in ("Cf", "Mn"):
        return ""
    begun = _FLAG_BEGUN.search(before)
    if begun is not None and any(flag.startswith(begun[0] + character) for flag in FLAGS):
        return character  # alone it would be none of a flag
    last = before[-2:]
    return character if clean(last + character) == last + character else "\ufffd"
