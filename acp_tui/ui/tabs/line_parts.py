"""Parts of the status line, and how they are shortened to fit."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len

GAP = 2
"""Cells between two parts."""


class StatusPart(NamedTuple):
    """A part of the line: its forms from long to short, and how long it resists shortening."""

    forms: tuple[str, ...]
    style: str
    weight: int
    right: bool = False


def fit(parts: Sequence[StatusPart], width: int) -> list[str]:
    """Return the form of each part so that all fit in `width` cells; those of the least weight give
    way first.
    """
    chosen = [0] * len(parts)
    lightest = sorted(range(len(parts)), key=lambda index: parts[index].weight)

    def texts() -> list[str]:
        return [part.forms[form] for part, form in zip(parts, chosen, strict=True)]

    for index in lightest:
        while _wide(texts()) > width and chosen[index] < len(parts[index].forms) - 1:
            chosen[index] += 1
    return texts()


def _wide(texts: list[str]) -> int:
    return sum(cell_len(text) + GAP for text in texts if text)
