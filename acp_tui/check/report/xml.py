"""Texts in XML: cleaned of what XML can't have, and of what must not reach a terminal."""

import re
from xml.sax.saxutils import escape, quoteattr

from acp_tui.text import clean, reveal_escapes

_NO_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def attribute(text: str) -> str:
    """Return a text as an attribute, with its quotes."""
    return quoteattr(_clean(text))


def content(text: str) -> str:
    """Return a text as the content of an element."""
    return escape(_clean(text))


def _clean(text: str) -> str:
    return _NO_XML.sub("", clean(reveal_escapes(text)))
