"""Link references and footnotes, whose definitions may arrive after them."""

import copy
import re
from typing import Any, TypedDict

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.rules_inline import StateInline

_NOTE = re.compile(r"\[\^([^\]\s]+)\]")
_LETTER = re.compile(r"[^\W\d_]")
_BEFORE = re.compile(r"[\w\])]$")
_READER = MarkdownIt("zero").enable(["reference"])
_BEGINNING = re.compile(
    r"\[(?:[^\[\]\\\n]|\\.){0,80}\\?\]?\Z"  # the label itself, perhaps incomplete
    r"|\[(?:[^\[\]\\]|\\.){1,999}\]:\s*\S*\s*(?:\"[^\"]*\"?|'[^']*'?|\([^)]*\)?)?\s*$",
    re.DOTALL,
)


def reference_plugin(parser: MarkdownIt) -> None:
    """Add a rule for references whose definitions may follow; the parser's needs them first."""
    parser.inline.ruler.after("link", "reference", _reference)


def note_mark(label: str) -> str:
    """Return the mark of a footnote, which is the same in the text and at the footnote itself."""
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
    """Return the bracketed label after bracketed text, and its end; None for `a[0][1]`."""
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


_READER.validateLink = bool  # type: ignore[assignment]


class InlineEnv(TypedDict):
    """The environment of the inline parser; it fails at the first bracket if a key is missing."""

    definitions: dict[str, dict[str, Any]]
    footnotes: set[str]
    keep_lines: bool


class Definitions:
    """The link definitions and footnotes found so far."""

    def __init__(self) -> None:
        self.links: dict[str, dict[str, Any]] = {}
        self.footnotes: set[str] = set()
        self.version = 0  # number of labels that are defined
        self.open = True
        self.arriving = False

    def closed(self, arriving: bool) -> "Definitions":
        """Return a frozen copy for reading ahead; `arriving` if more text may follow."""
        other = copy.copy(self)
        other.open, other.arriving = False, arriving
        return other

    def add_footnote(self, label: str) -> None:
        """Record a footnote's label."""
        if label not in self.footnotes and self.open:
            self.footnotes.add(label)
            self.version += 1

    def strip_from(self, text: str) -> str:
        """Remove link definitions from the start of a paragraph; return the rest.

        While the paragraph is still arriving, text that may become a definition is removed, too.
        """
        env: dict[str, Any] = {}
        tokens = _READER.parse(text, env)
        if env.get("references"):
            text = "\n".join(token.content for token in tokens if token.type == "inline")
        if not self.open:
            return "" if self.arriving and _BEGINNING.match(text) else text
        for label, definition in env.get("references", {}).items():
            if label not in self.links:
                self.links[label] = definition
                self.version += 1
        return text

    def env(self, *, keep_lines: bool = False) -> InlineEnv:
        """Return the inline parser's environment; with `keep_lines`, soft breaks break lines."""
        return {"definitions": self.links, "footnotes": self.footnotes, "keep_lines": keep_lines}
