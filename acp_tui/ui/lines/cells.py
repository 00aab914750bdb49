"""Text measured and wrapped in terminal cells."""

import re
from functools import cache, lru_cache

from rich.cells import cell_len, split_graphemes

_NOT_SINGLE = re.compile(
    "[^\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u20a0-\u20bf"
    "\u2500-\u25fc\u2800-\u28ff]"
)
_EASTERN = "\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60\U0001f300-\U0001faff\U00020000-\U0003fffd"
_CLOSING = "\u3001\u3002\u3009\u300b\u300d\u300f\u3011\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f"
_NAME_AT_END = re.compile(r"\w+$")
_MODIFIER = range(0x1F3FB, 0x1F400)
_REGIONAL = range(0x1F1E6, 0x1F200)


def is_plain_text(text: str) -> bool:
    """Return whether each character of a text takes one cell and is a grapheme by itself."""
    return _NOT_SINGLE.search(text) is None


def width_of(text: str) -> int:
    """Return the width of a text in cells, as Textual counts them."""
    return len(text) if _NOT_SINGLE.search(text) is None else cell_len(text)


def graphemes(text: str) -> list[tuple[int, int, int]]:
    """Return start, end and width of each grapheme: joined emoji, flags, letters with marks."""
    found: list[tuple[int, int, int]] = []
    flag = False
    for start, end, cells in split_graphemes(text)[0]:
        code = ord(text[start])
        second = code in _REGIONAL and flag
        if found and (code in _MODIFIER or second):
            found[-1] = (found[-1][0], end, found[-1][2] + cells)
        else:
            found.append((start, end, cells))
        flag = code in _REGIONAL and not second
    return found


def line_breaks(text: str, width: int) -> list[tuple[int, int]]:
    """Return start and end of each line of wrapped text, without the spaces at the breaks."""
    if _NOT_SINGLE.search(text) is None:
        return _breaks_single(text, width)
    return _breaks_wide(text, width)


def _breaks_single(text: str, width: int) -> list[tuple[int, int]]:
    found, at, size = [], 0, len(text)
    while size - at > width:
        cut = text.rfind(" ", at, at + width + 1)
        end = at + len(text[at : max(at, cut)].rstrip(" "))
        if end > at:
            found.append((at, end))
            at = cut + 1
            while at < size and text[at] == " ":
                at += 1
        else:
            found.append((at, at + width))
            at += width
    if at < size or not found:
        found.append((at, size))
    return found


@cache
def _word_pattern() -> re.Pattern[str]:
    """Compile the pattern of a word on first use: it takes 3 ms, and many sessions have only Latin text."""
    return re.compile(
        f" +|[{_EASTERN}](?:[{_CLOSING}\ufe0f\U0001f3fb-\U0001f3ff]|\u200d.)*"
        f"|(?:[^ {_EASTERN}]|\u200d.)+",
        re.DOTALL,
    )


def _breaks_wide(text: str, width: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    start = end = used = 0  # of the line; `end` is before its trailing spaces
    for word in _word_pattern().finditer(text):
        cells = cell_len(word[0])
        if word[0][0] == " ":
            used += cells
            continue
        if used + cells > width and end > start:
            found.append((start, end))
            start, used = word.start(), 0
        if used + cells > width:
            start, used = _break_word(text, start, word.end(), width, found)
        else:
            used += cells
        end = word.end()
    if end > start or not found:
        found.append((start, end if end > start else len(text)))
    return found


def _break_word(
    text: str, base: int, end: int, width: int, found: list[tuple[int, int]]
) -> tuple[int, int]:
    """Break a word that doesn't fit in a line; return the start and width of its last line."""
    start, used = base, 0
    for begin, _, cells in graphemes(text[base:end]):
        if used + cells > width and base + begin > start:
            found.append((start, base + begin))
            start, used = base + begin, 0
        used += cells
    return start, used


def code_breaks(text: str, width: int) -> list[tuple[int, int]]:
    """Return where to wrap a text whose spaces matter, such as code, for lines of `width` cells.

    Names and numbers are kept whole unless a line would be less than half full; escapes such as
    `\\n` are always kept whole.
    """
    if _NOT_SINGLE.search(text) is not None:
        return _code_breaks_wide(text, width)
    found, start, size = [], 0, len(text)
    while size - start > width:
        end, half = start + width, start + width // 2
        name = _NAME_AT_END.search(text, half, end) if _is_name(text[end]) else None
        if name is not None and name.start() > half:
            end = name.start()
        row = text[start:end]
        if (len(row) - len(row.rstrip("\\"))) % 2:
            end = max(start + 1, end - 1)
        found.append((start, end))
        start = end
    found.append((start, size))
    return found


def _code_breaks_wide(text: str, width: int) -> list[tuple[int, int]]:
    found, start, used = [], 0, 0
    name, before, in_name = 0, 0, False  # start of the last name, and the cells before it
    escaped = False
    for begin, _, cells in graphemes(text):
        goes_on, in_name = in_name, cells == 1 and _is_name(text[begin])
        if not escaped and not (goes_on and in_name):
            name, before = begin, used
        escaped = text[begin] == "\\" and not escaped
        if used + cells > width and begin > start:
            cut, left = (name, before) if name > start and before > width // 2 else (begin, used)
            found.append((start, cut))
            start, used, before = cut, used - left, before - left
        used += cells
    found.append((start, len(text)))
    return found


def _is_name(character: str) -> bool:
    return character.isalnum() or character == "_"


def fitting_count(text: str, width: int) -> int:
    """Return how many characters of a text fit into `width` cells, but at least one grapheme."""
    if _NOT_SINGLE.search(text) is None:
        return min(len(text), width)
    used = 0
    for begin, _, cells in graphemes(text):
        if used + cells > width and begin:
            return begin
        used += cells
    return len(text)


@lru_cache(maxsize=1024)
def row_of_spaces(count: int) -> str:
    """Return a row of spaces."""
    return " " * count
