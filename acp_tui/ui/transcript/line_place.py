"""Where lines of a transcript are."""

from typing import NamedTuple

GUTTER = 2
"""Cells at the left of every line: one for a mark, one to keep it apart."""


class LinePlace(NamedTuple):
    """A line of an entry; a negative line is in the gap above the entry."""

    entry: int
    line: int
