"""Inline parsing: the text of a block as spans of emphasis, code, links and formulas."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from acp_tui.ui.markdown.incomplete import SPECIAL
from acp_tui.ui.markdown.references import InlineEnv, reference_plugin
from acp_tui.ui.markdown.styled_text import PLAIN, Line, TextLook, align_to_graphemes
from acp_tui.ui.markdown.syntax import MARKS

_NEVER_ESCAPED = frozenset(",;:(){}")
"""Characters that never need a backslash in Markdown: `\\,` and `\\(` are TeX, and keep theirs."""
# Bounded: otherwise the end of an unclosed formula would be searched for at each opening delimiter.
_FORMULA = re.compile(
    r"\\\((?P<inline>.{1,1000}?)\\\)"
    r"|\\\[(?P<display>.{1,1000}?)\\\](?![(\[:])"  # an escaped link continues like this
    r"|\$\$(?P<dollars>[^$]{1,1000})\$\$"
    r"|\$(?P<dollar>(?!\s)[^$`\n]{1,300})(?<!\s)\$(?!\d)",
    re.DOTALL,
)
_TEX = re.compile(r"\\(?:[A-Za-z]{2}|[,;:!|{}])|(?<!^)\^|_\{|(?<![A-Za-z0-9])[A-Za-z]_[A-Za-z0-9]")
_EQUATION = re.compile(r"[\w\s+*/()<>|'.,-]+ ?= ?[\w\s+*/()<>|'.,=-]+")
_TERM = re.compile(r"[\w\s+*/()<>|'.-]+")
_WORD = re.compile(r"[A-Za-z]+")
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")
MOST_MARKS = 500
"""Most delimiters that are parsed in one text, as matching takes quadratic time; a text with more
is shown as is.
"""
_URL = re.compile(r"https?://[^\s<>\"'`|\u3000-\u303f]+[^\s<>\"'`|.,;:!?()\[\]*_~\u3000-\u303f/]/?")
_OPENABLE = re.compile(r"(?:https?|file)://?[^\s]", re.IGNORECASE)
_ROLES = {"strong_open": "strong", "em_open": "emphasis", "s_open": "strike"}


def formula_plugin(parser: MarkdownIt) -> None:
    """Add rules that keep formulas as written; as Markdown, they would lose their backslashes."""
    parser.inline.ruler.before("escape", "formula", _formula)
    parser.inline.ruler.after("formula", "literal_backslash", _literal_backslash)


def _formula(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "\\$":
        return False
    found = _FORMULA.match(state.src, state.pos, state.posMax)
    if found is None or not _is_formula(found, state):
        return False
    if not silent:
        first, *others = found[0].split("\n")
        state.pending += first
        for line in others:
            state.push("softbreak", "br", 0)
            state.pending += line
    state.pos = found.end()
    return True


def _is_formula(found: re.Match[str], state: StateInline) -> bool:
    """Return whether this is a formula, rather than escaped brackets or amounts of money."""
    content: str = found[found.lastgroup or 0]
    if _TEX.search(content):
        return True
    if found["display"] is None:
        return False
    before = state.src[state.pos - 1 : state.pos]
    is_checkbox = not before and content in "xX"
    if before.isalnum() or is_checkbox:
        return False
    longest = max(map(len, _WORD.findall(content)), default=0)
    return bool(
        (longest == 1 and _TERM.fullmatch(content))
        or (0 < longest <= 3 and "--" not in content and _EQUATION.fullmatch(content))
    )


def _literal_backslash(state: StateInline, silent: bool) -> bool:
    if (
        state.src[state.pos] != "\\"
        or state.src[state.pos + 1 : state.pos + 2] not in _NEVER_ESCAPED
    ):
        return False
    if not silent:
        state.pending += "\\"
    state.pos += 1
    return True


def line_end_plugin(parser: MarkdownIt) -> None:
    """Handle line ends before the parser removes the spaces and backslashes around them."""
    parser.inline.ruler.before("newline", "kept_newline", _keep_newline)


def _keep_newline(state: StateInline, silent: bool) -> bool:
    if not state.env.get("keep_lines"):
        return False
    at = state.pos
    if state.src.startswith("\\\n", at):
        at += 1
    elif state.src[at] != "\n":
        return False
    if not silent:
        state.pending += state.src[state.pos : at]
        state.push("softbreak", "br", 0)
    state.pos = at + 1
    return True


_PARSER.use(reference_plugin).use(line_end_plugin).use(formula_plugin)
_PARSER.validateLink = bool  # type: ignore[assignment]


def parse_inline(text: str, env: InlineEnv, look: TextLook = PLAIN) -> list[Line]:
    """Parse a block's text into lines, split at hard breaks; at soft ones if `env` keeps lines."""
    keep_lines = env["keep_lines"]
    # terminals jump at tabs, whatever width we assume
    text = text.expandtabs(4) if keep_lines else text.replace("\t", " ")
    if SPECIAL.search(text) is None:
        return _as_it_is(text, look, keep_lines)
    if len(MARKS.findall(text)) > MOST_MARKS:
        return _as_it_is(text, look, keep_lines)
    tokens: list[Token] = []
    _PARSER.inline.parse(text, _PARSER, {**env}, tokens)
    return _SpanReader(look, keep_lines).read(tokens)


def _as_it_is(text: str, look: TextLook, keep_lines: bool) -> list[Line]:
    lines = text.split("\n") if keep_lines else [text.replace("\n", " ")]
    return [[(line, look)] if line else [] for line in lines]


class _SpanReader:
    """Collects styled spans from a token stream."""

    def __init__(self, look: TextLook, keep_lines: bool) -> None:
        self._keep_lines = keep_lines
        self._looks = [look]
        self._lines: list[Line] = [[]]
        self._text: list[str] = []

    def read(self, tokens: list[Token]) -> list[Line]:
        """Return the tokens as lines of spans."""
        for token in tokens:
            self._read_token(token)
        self._flush_text()
        return [align_to_graphemes(line) for line in self._lines]

    def _read_token(self, token: Token) -> None:
        kind = token.type
        if kind in ("text", "text_special", "html_inline"):
            self._text.append(token.content)
        elif kind == "softbreak" and not self._keep_lines:
            self._text.append(" ")
        elif token.nesting > 0:
            self._flush_text()
            self._looks.append(self._look_inside(token))
        elif token.nesting < 0:
            self._flush_text()
            self._looks.pop()
        else:
            self._flush_text()
            self._whole(token)

    def _look_inside(self, token: Token) -> TextLook:
        look = self._looks[-1]
        if token.type == "link_open":
            link = openable_address(str(token.attrs.get("href", "")))
            return TextLook((*look.roles, "link"), link) if link else look.also("link")
        return look.also(_ROLES.get(token.type, "text"))

    def _whole(self, token: Token) -> None:
        look = self._looks[-1]
        if token.type == "code_inline":
            self._lines[-1].append((token.content, look.also("code.inline")))
        elif token.type in ("hardbreak", "softbreak"):
            self._lines.append([])
        elif token.type == "footnote_ref":
            self._lines[-1].append((token.content, look.also("footnote")))
        elif token.type == "image":
            url = str(token.attrs.get("src", ""))
            shown = url if len(url) <= 80 else url[:79] + "…"
            self._image(token, look, f"({shown})" if url else "")
        elif token.type == "image_reference":
            self._image(token, look)

    def _image(self, token: Token, look: TextLook, address: str = "") -> None:
        link = openable_address(str(token.attrs.get("src", ""))) or look.link
        text = " ".join(part for part in ("🖼", token.content, address) if part)
        self._lines[-1].append((text, TextLook((*look.roles, "image"), link)))

    def _flush_text(self) -> None:
        text = "".join(self._text).replace("\t", " ").replace("\n", " ")  # &# &#9; is a tab, too
        self._text.clear()
        if not text:
            return
        look = self._looks[-1]
        if "://" in text and not look.link:
            self._lines[-1].extend(_linked(text, look))
        else:
            self._lines[-1].append((text, look))


def _linked(text: str, look: TextLook) -> Line:
    """Split a text at the URLs in it, and link them."""
    line, at = [], 0
    for match in _URL.finditer(text):
        if match.start() > at:
            line.append((text[at : match.start()], look))
        line.append((match[0], TextLook((*look.roles, "link"), match[0])))
        at = match.end()
    if at < len(text):
        line.append((text[at:], look))
    return line


def openable_address(url: str) -> str:
    """Return the URL if it may be opened (http, https, file), else ""."""
    return url if _OPENABLE.match(url) else ""
