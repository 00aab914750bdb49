"""Links whose target stands elsewhere, and footnotes: what they show is known at once.

A definition may come long after the text that uses it. It gives a link its target and changes
nothing that can be read: `[text][label]` shows its text, defined or not, `[label]` keeps its
brackets, `[^1]` is a footnote's mark.
"""

import re

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.rules_inline import StateInline

_NOTE = re.compile(r"\[\^([^\]\s]+)\]")
_LETTER = re.compile(r"[^\W\d_]")
_BEFORE = re.compile(r"[\w\])]$")


def reference_plugin(parser: MarkdownIt) -> None:
    """Read references instead of those that the parser reads only with their definitions."""
    parser.inline.ruler.after("link", "reference", _reference)


def note_mark(label: str) -> str:
    """Return how a footnote is called in the text and below it."""
    return f"[{label}]" if label.isdecimal() else f"[^{label}]"


def _reference(state: StateInline, silent: bool) -> bool:
    source, start = state.src, state.pos
    image = source.startswith("![", start)
    opening = start + image
    if source[opening : opening + 1] != "[":
        return False
    note = None if image else _NOTE.match(source, opening, state.posMax)
    if note is not None:
        return _note(state, note, silent)
    close = state.md.helpers.parseLinkLabel(state, opening, True)
    if close < 0:
        return False
    label, end = source[opening + 1 : close], close + 1
    explicit = _explicit(state, start, label, end)
    if explicit is not None:
        target, end = explicit
        label = target or label
    link = state.env["definitions"].get(normalizeReference(label))
    if explicit is None and (link is None or image):
        return False
    if not silent:
        href = str(link["href"]) if link else ""
        if image:
            _push_image(state, source[opening + 1 : close], href)
        else:
            inside = (opening + 1, close) if explicit is not None else (start, end)
            _push_link(state, *inside, href)
    state.pos = end
    return True


def _explicit(state: StateInline, start: int, text: str, at: int) -> tuple[str, int] | None:
    """Return the label that follows a text in brackets and where it ends; indexes are none:
    `a[0][1]`.
    """
    source = state.src
    if at >= state.posMax or source[at] != "[" or source.startswith("[^", at):
        return None
    if _LETTER.search(text) is None or _BEFORE.search(source, max(0, start - 1), start):
        return None
    close = state.md.helpers.parseLinkLabel(state, at)
    if close < 0 or source[close + 1 : close + 2] == "(":
        return None
    return source[at + 1 : close], close + 1


def _push_link(state: StateInline, start: int, end: int, href: str) -> None:
    most = state.posMax
    token = state.push("link_open", "a", 1)
    token.attrs = {"href": href}
    if state.src[start] == "[" and state.src[end - 1] == "]" and end - start > 1:
        state.push("text", "", 0).content = "["
        state.pos, state.posMax = start + 1, end - 1
        state.md.inline.tokenize(state)
        state.push("text", "", 0).content = "]"
    else:
        state.pos, state.posMax = start, end
        state.md.inline.tokenize(state)
    state.push("link_close", "a", -1)
    state.posMax = most


def _push_image(state: StateInline, text: str, href: str) -> None:
    token = state.push("image_reference", "img", 0)
    token.content = text
    token.attrs = {"src": href}


def _note(state: StateInline, note: re.Match[str], silent: bool) -> bool:
    known = note[1].isdecimal() or note[1] in state.env["footnotes"]
    if known and not silent:
        state.push("footnote_ref", "", 0).content = note_mark(note[1])
    if known:
        state.pos = note.end()
    return known
