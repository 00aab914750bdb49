"""Text that is still arriving: open markup is closed or held back; nothing shown vanishes."""

import re

SPECIAL = re.compile(r"[\\`*_~\[\]<&]|!\[|://|  \n")
"""Any markup; text without it is shown as is."""
MOST_BRACKETS = 200
"""Most brackets that are matched in one text, as matching takes quadratic time."""

LONGEST_WITHHELD = 400
"""Characters of an open link or image that are held back; a longer one is shown as text, as a stray
bracket would otherwise hide everything after it.
"""

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
_BRACKET = re.compile(r"\\.|\[|\]", re.DOTALL)
_TRAILING = re.compile(r"(?:[*_]+|~+|`+|\\|!)$")
_UNDECIDED = re.compile(
    r"[ \t]*(?:[-+*_=#~`>|:\\! \t]+"  # delimiters whose meaning depends on what follows
    r"|\d{1,9}[.)]?"  # "1." may begin an item
    r"|[-+*][ \t]+\[[ xX]?\]?[ \t]*|\[[ xX]?\]?[ \t]*"  # "- [x] " may become a task
    r"|(?:`{3,}|~{3,}).*"  # the language of a fence
    r"|\[\^[^\]\s]*\]?:?[ \t]*"  # "[^1]:" may begin a footnote
    r"|<[/!?]?[A-Za-z]*"
    r")$"
)
_MARKS = re.compile(r"[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])[ \t]*")
_FENCE_END = re.compile(r"[ \t>]*[`~]+[ \t]*$")


def close_open_marks(text: str) -> str:
    """Return arriving text with open markup closed, or left out while its meaning is unknown."""
    if SPECIAL.search(text) is None and not text.endswith("!"):
        return text
    return _MarkCloser(text).closed_text()


class _MarkCloser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[tuple[str, int]] = []  # open emphasis delimiters, and their positions
        self._brackets = 0
        self._closed_at = -1  # the end of the last delimiter whose meaning is certain

    def closed_text(self) -> str:
        at = 0
        while match := _HALF.search(self._text, at):
            at = self._handle_mark(match)
            if at < 0:
                return self._text
        self._text = self._without_mark(_HALF_ENTITY.sub("", _ADDRESS.sub("", self._text)))
        closers = [mark for mark, _ in reversed(self._open)]
        return self._text.rstrip() + "".join(closers) if closers else self._text

    def _handle_mark(self, match: re.Match[str]) -> int:
        """Handle a delimiter; return where to continue, or -1 if the text is done."""
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
        """Hold back an unfinished link, image or footnote; one that is too long is text."""
        text = self._text
        self._brackets += 1
        if self._brackets > MOST_BRACKETS:
            return -1
        if len(text) - start > LONGEST_WITHHELD or _is_decided(text, end):
            return end
        self._text = text[:start]
        return start

    def _mark(self, mark: str, start: int, end: int) -> None:
        text = self._text
        before = text[start - 1] if start else " "
        after = text[end] if end < len(text) else " "
        if mark[0] == "_" and before.isalnum() and after.isalnum():
            return
        if not before.isspace() and self._close_mark(mark):
            self._closed_at = end
            return
        if not after.isspace() and not (_is_ascii_word(before) and after.isalnum()):
            self._open.append((mark, start))  # between letters, as in 5*3, it is more likely text

    def _close_mark(self, mark: str) -> bool:
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
        """Return the text without a delimiter at its very end whose meaning isn't known yet."""
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
    """Return whether the meaning of the brackets that open before `at` can no longer change."""
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
    """Return where the bracket that opens before `at` is closed, or -1."""
    depth = 1
    for match in _BRACKET.finditer(text, at):
        if match[0] == "[":
            depth += 1
        elif match[0] == "]":
            depth -= 1
            if depth == 0:
                return match.start()
    return -1


def shown_part(rest: str, *, going_on: bool, in_fence: bool) -> str:
    """Return the part of the last line that can be shown: nothing while more text could change its
    meaning.

    With `going_on`, `rest` continues a long line whose beginning was already read.
    """
    if not rest or going_on:
        return rest
    if in_fence:
        return "" if _FENCE_END.match(rest) else rest
    text = rest
    while match := _MARKS.match(text):
        text = text[match.end() :]
    return "" if _UNDECIDED.match(text) or not text else rest
