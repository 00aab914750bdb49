"""Motions: where they lead, and what an operator takes with them."""

import re
from collections.abc import Callable

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.ui.vim.places import (
    down,
    first_letter,
    line,
    line_end,
    line_start,
    next_word,
    paragraph,
    previous_word,
    word_end,
)


class Reach(NamedTuple):
    """What a motion covers: up to `end`, exclusive; whole lines if `lines`."""

    to: int
    begin: int
    end: int
    lines: bool = False


_IN_LINE: dict[str, Callable[[str, int, int], int]] = {
    "h": lambda text, at, count: max(line_start(text, at), at - count),
    "l": lambda text, at, count: min(line_end(text, at), at + count),
    " ": lambda text, at, count: min(line_end(text, at), at + count),
    "0": lambda text, at, _: line_start(text, at),
    "^": lambda text, at, _: first_letter(text, at),
    "_": lambda text, at, _: first_letter(text, at),
    "$": lambda text, at, count: line_end(text, down(text, at, count - 1)),
}
_WORDS: dict[str, Callable[..., int]] = {"w": next_word, "b": previous_word, "e": word_end}


class Motions:
    """Knows which letter was gone to last."""

    def __init__(self) -> None:
        self._found = ("", "")

    def reach(self, keys: str, count: int | None, text: str, at: int) -> Reach | None:
        """Return what a motion reaches; None if it is none, or leads nowhere."""
        times = count or 1
        if keys in _IN_LINE:
            to = _IN_LINE[keys](text, at, times)
            return Reach(to, min(at, to), max(at, to))
        if keys.lower() in _WORDS:
            return _by_words(keys, times, text, at)
        if keys in ("j", "k"):
            to = down(text, at, times if keys == "j" else -times)
            return (
                _over_lines(text, at, to) if line_start(text, to) != line_start(text, at) else None
            )
        if keys in ("gg", "G"):
            number = times if count or keys == "gg" else text.count("\n") + 1
            return _over_lines(text, at, first_letter(text, line(text, number)))
        if keys in ("{", "}"):
            to = paragraph(text, at, times if keys == "}" else -times)
            return Reach(to, min(at, to), max(at, to))
        if keys == "%":
            return _to_partner(text, at)
        if keys in (";", ","):
            kind, letter = self._found
            turned = kind.swapcase() if keys == "," else kind
            return _to_letter(turned, letter, times, text, at, again=True) if kind else None
        if len(keys) == 2 and keys[0] in "fFtT":
            self._found = (keys[0], keys[1])
            return _to_letter(keys[0], keys[1], times, text, at)
        return None


def lines_between(text: str, first: int, last: int) -> Reach:
    """Return what whole lines cover, without the break behind the last."""
    begin = line_start(text, first)
    return Reach(begin, begin, line_end(text, last), lines=True)


def _to_partner(text: str, at: int) -> Reach | None:
    """Go from a bracket, the next one in the line, to the one that belongs to it."""
    found = re.compile(r"[()\[\]{}]").search(text, at, line_end(text, at))
    if found is None:
        return None
    sign, to = found[0], found.start()
    which = "()[]{}".index(sign)
    partner, step = ("()[]{}"[which + 1], 1) if which % 2 == 0 else ("()[]{}"[which - 1], -1)
    depth = 0
    while 0 <= to < len(text):
        depth += (text[to] == sign) - (text[to] == partner)
        if depth == 0:
            return Reach(to, min(at, to), max(at, to) + 1)
        to += step
    return None


def _over_lines(text: str, at: int, to: int) -> Reach:
    covered = lines_between(text, min(at, to), max(at, to))
    return Reach(to, covered.begin, covered.end, lines=True)


def _by_words(keys: str, times: int, text: str, at: int) -> Reach:
    to = at
    for _ in range(times):
        to = _WORDS[keys.lower()](text, to, big=keys.isupper())
    return Reach(to, min(at, to), max(at, to) + (keys in "eE" and bool(text)))


def _to_letter(
    kind: str, letter: str, count: int, text: str, at: int, *, again: bool = False
) -> Reach | None:
    """Go to a letter in the line, or before it; `again` passes one that the cursor stands before."""
    start, end = line_start(text, at), line_end(text, at)
    forward, stops_before = kind in "ft", kind in "tT"
    to = at
    if again and stops_before and text[max(0, at + (1 if forward else -1)) :][:1] == letter:
        to += 1 if forward else -1
    for _ in range(count):
        to = text.find(letter, to + 1, end) if forward else text.rfind(letter, start, to)
        if to < 0:
            return None
    if stops_before:
        to += -1 if forward else 1
    return Reach(to, at, to + 1) if forward else Reach(to, to, at)
