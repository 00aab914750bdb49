"""The text of one block to spans: emphasis, code, links, and what is still half said."""

import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from acp_tui.ui.markdown.kept_lines import kept_lines_plugin
from acp_tui.ui.markdown.looks import PLAIN, Line, Look, whole
from acp_tui.ui.markdown.references import reference_plugin

_PARSER = MarkdownIt("commonmark", {"html": False}).enable("strikethrough")
_PARSER.use(reference_plugin).use(kept_lines_plugin)
_PARSER.validateLink = bool  # type: ignore[assignment]

_SPECIAL = re.compile(r"[\\`*_~\[\]<&]|!\[|://|  \n")
MARKS = re.compile(r"[*_]+|~+|`+|\[|<")
MOST_MARKS = 500
"""Marks that are read in one text; with more of them it is shown as it is."""
_URL = re.compile(r"https?://[^\s<>\"'`|\u3000-\u303f]+[^\s<>\"'`|.,;:!?()\[\]*_~\u3000-\u303f/]/?")
_OPENABLE = re.compile(r"(?:https?|file)://?[^\s]", re.IGNORECASE)
_ROLES = {"strong_open": "strong", "em_open": "emphasis", "s_open": "strike"}


def inline(text: str, env: dict[str, Any], look: Look = PLAIN) -> list[Line]:
    """Parse the text of a block into its lines: hard breaks make them, soft ones if `env` says so.

    `env` is what the parser knows, and `keep_lines`.
    """
    keep_lines = bool(env.get("keep_lines"))
    # a terminal jumps at tabs, however wide we think they are
    text = text.expandtabs(4) if keep_lines else text.replace("\t", " ")
    if _SPECIAL.search(text) is None:
        return _as_it_is(text, look, keep_lines)
    if len(MARKS.findall(text)) > MOST_MARKS:
        return _as_it_is(text, look, keep_lines)
    tokens: list[Token] = []
    _PARSER.inline.parse(text, _PARSER, env, tokens)
    return _Reader(look, keep_lines).read(tokens)


def _as_it_is(text: str, look: Look, keep_lines: bool) -> list[Line]:
    lines = text.split("\n") if keep_lines else [text.replace("\n", " ")]
    return [[(line, look)] if line else [] for line in lines]


class _Reader:
    """Collects the spans of a token stream."""

    def __init__(self, look: Look, keep_lines: bool) -> None:
        self._keep_lines = keep_lines
        self._looks = [look]
        self._lines: list[Line] = [[]]
        self._text: list[str] = []

    def read(self, tokens: list[Token]) -> list[Line]:
        """The lines of the tokens."""
        for token in tokens:
            self._take(token)
        self._flush()
        return [whole(line) for line in self._lines]

    def _take(self, token: Token) -> None:
        kind = token.type
        if kind in ("text", "text_special", "html_inline"):
            self._text.append(token.content)
        elif kind == "softbreak" and not self._keep_lines:
            self._text.append(" ")
        elif token.nesting > 0:
            self._flush()
            self._looks.append(self._opened(token))
        elif token.nesting < 0:
            self._flush()
            self._looks.pop()
        else:
            self._flush()
            self._whole(token)

    def _opened(self, token: Token) -> Look:
        look = self._looks[-1]
        if token.type == "link_open":
            link = openable(str(token.attrs.get("href", "")))
            return Look((*look.roles, "link"), link) if link else look.also("link")
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

    def _image(self, token: Token, look: Look, address: str = "") -> None:
        link = openable(str(token.attrs.get("src", ""))) or look.link
        text = " ".join(part for part in ("🖼", token.content, address) if part)
        self._lines[-1].append((text, Look((*look.roles, "image"), link)))

    def _flush(self) -> None:
        text = "".join(self._text).replace("\t", " ").replace("\n", " ")  # &#9; is one too
        self._text.clear()
        if not text:
            return
        look = self._looks[-1]
        if "://" in text and not look.link:
            self._lines[-1].extend(_linked(text, look))
        else:
            self._lines[-1].append((text, look))


def _linked(text: str, look: Look) -> Line:
    """Split a text at the addresses in it."""
    line, at = [], 0
    for match in _URL.finditer(text):
        if match.start() > at:
            line.append((text[at : match.start()], look))
        line.append((match[0], Look((*look.roles, "link"), match[0])))
        at = match.end()
    if at < len(text):
        line.append((text[at:], look))
    return line


def openable(url: str) -> str:
    """The address if it may be opened (http, https, file), else nothing."""
    return url if _OPENABLE.match(url) else ""


MOST_BRACKETS = 200
"""Brackets that are looked after in one text; more of them are noise."""

LONGEST_HELD = 400
"""Characters of a link or an image that are waited for; with more of them it is shown as text."""

_HALF = re.compile(
    r"(?P<escape>\\.)"
    r"|(?P<code>`+)"
    r"|(?P<auto><[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>)"
    r"|(?P<link>!?\[)"
    r"|(?P<mark>\*{1,3}|_{1,3}|~~)",
    re.DOTALL,
)
_TARGET = re.compile(r"\((?:[^()\\]|\\.|\([^()]*\))*\)", re.DOTALL)
_HALF_TARGET = re.compile(
    r"\(\s*(?:<[^<>\n]*(?:>|$)|(?!<)(?:[^\s()\\]|\\.|\([^\s()]*(?:\)|$))*\\?)"
    r"(?:\s+(?:\"[^\"]*\"?|'[^']*'?|\([^()]*\)?)?\s*)?$"
)
_ADDRESS = re.compile(r"<(?=[A-Za-z][\w+.-]*:[^\s<>]*$)|<[A-Za-z]?[\w+.-]*$")
_HALF_ENTITY = re.compile(r"&(?:#[0-9A-Fa-fXx]{0,7}|[A-Za-z][A-Za-z0-9]{0,31})?$")
_TRAILING = re.compile(r"(?:[*_]+|~+|`+|\\|!)$")


def mend(text: str) -> str:
    """Text whose end is still to come, made whole: half marks are closed or left out."""
    if _SPECIAL.search(text) is None and not text.endswith("!"):
        return text
    return _Mender(text).mended()


class _Mender:
    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[tuple[str, int]] = []  # marks of emphasis, and where they are
        self._brackets = 0
        self._closed_at = -1  # where the last mark with a meaning that is certain ends

    def mended(self) -> str:
        at = 0
        while match := _HALF.search(self._text, at):
            at = self._step(match)
            if at < 0:
                return self._text
        self._text = self._without_mark(_HALF_ENTITY.sub("", _ADDRESS.sub("", self._text)))
        closers = [mark for mark, _ in reversed(self._open)]
        return self._text.rstrip() + "".join(closers) if closers else self._text

    def _step(self, match: re.Match[str]) -> int:
        """Take a mark; where to go on, or -1 when the text is done."""
        kind, start, end = match.lastgroup, match.start(), match.end()
        if kind == "escape":
            self._closed_at = end
        if kind == "code":
            return self._code(match[0], end)
        if kind == "link":
            return self._link(start, end)
        if kind == "mark":
            self._mark(match[0], start, end)
        return end

    def _code(self, ticks: str, end: int) -> int:
        close = re.compile(f"(?<!`){ticks}(?!`)").search(self._text, end)
        if close:
            self._closed_at = close.end()
            return close.end()
        rest = self._text[end:]
        if not rest.strip("` "):
            self._text = self._text[: end - len(ticks)].rstrip(" ")
        else:
            self._text = self._text.rstrip("`") + (" " if rest.endswith("`") else "") + ticks
            self._closed_at = len(self._text)
        return len(self._text)

    def _link(self, start: int, end: int) -> int:
        """Wait for the rest of a link, an image or a footnote; too long a one is text."""
        text = self._text
        self._brackets += 1
        if self._brackets > MOST_BRACKETS:
            return -1
        if len(text) - start > LONGEST_HELD or _is_decided(text, end):
            return end
        self._text = text[:start]
        return start

    def _mark(self, mark: str, start: int, end: int) -> None:
        text = self._text
        before = text[start - 1] if start else " "
        after = text[end] if end < len(text) else " "
        if mark[0] == "_" and before.isalnum() and after.isalnum():
            return
        if not before.isspace() and self._close(mark):
            self._closed_at = end
            return
        if not after.isspace() and not (_is_ascii_word(before) and after.isalnum()):
            self._open.append((mark, start))  # between letters, as in 5*3, it rather is text

    def _close(self, mark: str) -> bool:
        for index in range(len(self._open) - 1, -1, -1):
            if self._open[index][0] == mark:
                del self._open[index:]
                return True
        joined = "".join(one for one, _ in self._open[-2:])
        if mark in ("***", "___") and joined in (mark, mark[::-1]):
            del self._open[-2:]
            return True
        return False

    def _without_mark(self, text: str) -> str:
        """Leave out a mark at the very end: what it means is not known yet."""
        match = _TRAILING.search(text)
        if match is None or self._closed_at == len(text):
            return text
        mark = match[0]
        if any(at >= match.start() for _, at in self._open):
            self._open = [one for one in self._open if one[1] < match.start()]
            return text[: match.start()]
        if self._open and self._open[-1][0].startswith(mark):
            return text[: match.start()]
        before = text[match.start() - 1 : match.start()]
        return text if _is_ascii_word(before) and mark not in "\\!" else text[: match.start()]


def _is_ascii_word(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _is_decided(text: str, at: int) -> bool:
    """Whether more text can't change what brackets that opened before `at` are."""
    close = _closing(text, at)
    if close < 0 or close + 1 == len(text):
        return False
    if text[close + 1] == "(":
        return bool(_TARGET.match(text, close + 1)) or not _HALF_TARGET.match(text, close + 1)
    if text[close + 1] == "[":
        end = _closing(text, close + 2)
        return 0 <= end < len(text) - 1
    return True


def _closing(text: str, at: int) -> int:
    """Where the bracket that opened before `at` closes, or -1."""
    depth = 1
    for match in _BRACKET.finditer(text, at):
        if match[0] == "[":
            depth += 1
        elif match[0] == "]":
            depth -= 1
            if depth == 0:
                return match.start()
    return -1


_BRACKET = re.compile(r"\\.|\[|\]", re.DOTALL)
