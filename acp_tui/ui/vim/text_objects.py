"""Text objects: a word, what stands in quotes, what stands in brackets."""

from acp_tui.ui.vim.motions import Reach
from acp_tui.ui.vim.places import kind_of, line_end, line_start

_PAIRS = {"(": "()", ")": "()", "b": "()", "[": "[]", "]": "[]", "{": "{}", "}": "{}", "B": "{}",
          "<": "<>", ">": "<>"}  # fmt: skip
_QUOTES = "\"'`"


def text_object(keys: str, text: str, at: int) -> Reach | None:
    """Return what a text object covers: `iw`, `a"`, `i(`."""
    around, what = keys[0] == "a", keys[1]
    if what in "wW":
        return _word(text, at, big=what == "W", around=around)
    if what in _QUOTES:
        return _quoted(text, at, what, around=around)
    if what in _PAIRS:
        return _paired(text, at, _PAIRS[what], around=around)
    return None


def _word(text: str, at: int, *, big: bool, around: bool) -> Reach | None:
    start, end = line_start(text, at), line_end(text, at)
    if at >= end:
        return None
    kind = kind_of(text[at], big=big)
    begin, stop = at, at + 1
    while begin > start and kind_of(text[begin - 1], big=big) == kind:
        begin -= 1
    while stop < end and kind_of(text[stop], big=big) == kind:
        stop += 1
    behind = stop
    if around and not kind:
        while stop < end and kind_of(text[stop], big=big) == kind_of(text[behind], big=big) != 0:
            stop += 1
    elif around:
        return _with_blanks(text, begin, stop, start, end)
    return Reach(begin, begin, stop)


def _quoted(text: str, at: int, quote: str, *, around: bool) -> Reach | None:
    start, end = line_start(text, at), line_end(text, at)
    places = [place for place in range(start, end) if text[place] == quote]
    for begin, stop in zip(places[::2], places[1::2], strict=False):
        if stop >= at:
            if not around:
                return Reach(begin, begin + 1, stop)
            return _with_blanks(text, begin, stop + 1, start, end)
    return None


def _with_blanks(text: str, begin: int, stop: int, start: int, end: int) -> Reach:
    """Take the blanks behind along; if there are none, those before."""
    behind = stop
    while stop < end and text[stop].isspace():
        stop += 1
    while stop == behind and begin > start and text[begin - 1].isspace():
        begin -= 1
    return Reach(begin, begin, stop)


def _paired(text: str, at: int, pair: str, *, around: bool) -> Reach | None:
    opening, closing = pair[0], pair[1]
    begin, depth = at, 0
    while begin >= 0 and not (text[begin : begin + 1] == opening and depth == 0):
        if begin != at:
            depth += (text[begin] == closing) - (text[begin] == opening)
        begin -= 1
    stop, depth = begin + 1, 0
    while begin >= 0 and stop < len(text) and not (text[stop] == closing and depth == 0):
        depth += (text[stop] == opening) - (text[stop] == closing)
        stop += 1
    if begin < 0 or stop >= len(text):
        return None
    return Reach(begin, begin + (not around), stop + around)
