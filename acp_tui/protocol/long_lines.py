"""JSON of long lines, read in slices: no step takes longer than some milliseconds.

Nearly all of a long line is one long string. So the long strings are found first and read apart,
each piece by piece; in their places stand marks, numbers that the rest has nowhere, and what is left
is little.
"""

import json
import re
from collections.abc import Generator, Iterator
from typing import NamedTuple

LONG = 1024 * 1024
"""Bytes of a line from which on it is read in slices."""
LONG_STRING = 64 * 1024
"""Bytes of a string from which on it is read apart."""
SLICE = 128 * 1024
SHOWN = 1024
"""Bytes of a long string that its outline has."""

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?P<end>"|\\?\Z)', re.DOTALL)
"""Of one that goes on in the next slice all that is in this: nothing in it is taken for another."""
_INSIDE = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_COLON = re.compile(rb"[ \t\n\r]*:")
_HIGH_HALF = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}")
_ESCAPE = 6
_DECODER = json.JSONDecoder()


class StringSpan(NamedTuple):
    """Where a string stands in a line, without its quotes."""

    start: int
    end: int


class ShortenedLine(NamedTuple):
    """A line with marks in the place of its long strings, which come by these."""

    raw: bytes
    strings: dict[str, str]

    def number(self, literal: str) -> float | str:
        """Read a number; a mark becomes the string that it stands for."""
        return self.strings[literal] if literal in self.strings else float(literal)


def without_strings(raw: bytes, *, outline: bool = False) -> Generator[None, None, ShortenedLine]:
    """Take the long strings out of a line; of an `outline` only their beginnings are read.

    Raises ValueError where one of them is not as JSON wants it.
    """
    spans = yield from _long_strings(raw)
    ends = [0, *(span.end + 1 for span in spans)]
    starts = [*(span.start - 1 for span in spans), len(raw)]
    parts = [raw[end:start] for end, start in zip(ends, starts, strict=True)]
    marks = _marks(parts)
    strings = {}
    rest = [parts[0]]
    for span, part in zip(spans, parts[1:], strict=True):
        mark = next(marks)
        strings[mark] = _beginning(raw, span) if outline else (yield from _text(raw, span))
        rest += [mark.encode(), part]
    return ShortenedLine(b"".join(rest), strings)


def _marks(parts: list[bytes]) -> Iterator[str]:
    """Numbers that stand nowhere in these."""
    salt = 0
    while any(b"0.%de-" % salt in part for part in parts):
        salt += 1
    number = 0
    while True:
        yield f"0.{salt}e-{number}"
        number += 1


def _long_strings(raw: bytes) -> Generator[None, None, list[StringSpan]]:
    """Where the long strings are; names of fields are none. Raises ValueError if one has no end."""
    found: list[StringSpan] = []
    at = 0
    while at < len(raw):
        stop = min(len(raw), at + SLICE)
        for match in _STRING.finditer(raw, at, stop):
            start, end = match.start() + 1, match.end() - 1
            if match["end"] != b'"':
                end = yield from _end(raw, start)
                stop = end + 1
            if end - start > LONG_STRING and not _COLON.match(raw, end + 1):
                found.append(StringSpan(start, end))
        at = stop
        yield
    return found


def _end(raw: bytes, at: int) -> Generator[None, None, int]:
    """Where the quote is that ends the string within which `at` is."""
    while at < len(raw):
        stop = min(len(raw), at + SLICE)
        quote = raw.find(b'"', at, stop)
        if quote == -1:
            at = stop
        elif not _is_escaped(raw, quote):
            return quote
        else:  # many may follow
            at = _after(_INSIDE, raw, quote + 1, stop)
        yield
    raise ValueError("a string has no end")


def _is_escaped(raw: bytes, at: int) -> bool:
    """Whether an odd number of backslashes stands before a place."""
    before = at
    while before and raw[before - 1] == ord("\\"):
        before -= 1
    return (at - before) % 2 == 1


def _after(pattern: re.Pattern[bytes], raw: bytes, at: int, stop: int) -> int:
    match = pattern.match(raw, at, stop)
    assert match is not None  # it may be empty
    return match.end()


def _text(raw: bytes, span: StringSpan) -> Generator[None, None, str]:
    """What a string says."""
    text = ""
    at = span.start
    while at < span.end:
        stop = _cut(raw, at, min(span.end, at + SLICE), span.end)
        text += _said(raw[at:stop])  # in place: nothing else refers to the text
        at = stop
        yield
    return text


def _beginning(raw: bytes, span: StringSpan) -> str:
    stop = _cut(raw, span.start, span.start + SHOWN, span.end)
    return f"{_said(raw[span.start : stop])}… ({span.end - stop:,} bytes more)"


def _said(part: bytes) -> str:
    text = part.decode("utf-8", "replace")
    return str(_DECODER.decode(f'"{text}"'))


def _cut(raw: bytes, start: int, stop: int, end: int) -> int:
    """The last place until `stop` where a string can be cut between two characters."""
    if stop == end:
        return end
    stop = _after(_INSIDE, raw, start, stop)
    escape = raw.rfind(b"\\u", stop - _ESCAPE + 1, stop)
    if escape > start and not _is_escaped(raw, escape):
        stop = escape
    pair = stop - _ESCAPE
    if pair > start and _HIGH_HALF.match(raw, pair, stop) and not _is_escaped(raw, pair):
        stop = pair
    places = range(stop, stop - 4, -1)  # no character of UTF-8 has more bytes
    return next((place for place in places if raw[place] & 0xC0 != 0x80), stop)
