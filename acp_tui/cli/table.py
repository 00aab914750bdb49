"""Formats rows of a log as a table that fits the terminal."""

import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from acp_tui.debug.columns import (
    ARROWS,
    excerpt_group,
    finding_marks,
    format_number,
    id_of,
    summarize_group,
)
from acp_tui.debug.view import Group
from acp_tui.formatting import exact_duration, narrow_size
from acp_tui.text import clean_line


@dataclass(frozen=True)
class _Column:
    """A column. In a narrow terminal, the column with the highest `rank` is dropped first; rank 0
    is never dropped.
    """

    title: str
    width: int
    rank: int
    show: Callable[[Group], str]
    right: bool = False


_COLUMNS = (
    _Column("#", 6, 2, lambda group: format_number(group.first), right=True),
    _Column("time", 9, 1, lambda group: f"{group.first.time:.3f}", right=True),
    _Column("delta", 8, 6, lambda group: f"+{group.first.delta:.3f}", right=True),
    _Column("", 1, 0, lambda group: ARROWS[group.first.direction]),
    _Column("what", 32, 0, summarize_group),
    _Column("id", 5, 7, lambda group: id_of(group.first)),
    _Column("session", 8, 8, lambda group: group.first.session),
    _Column("bytes", 6, 5, lambda group: narrow_size(group.size), right=True),
    _Column("took", 7, 4, lambda group: exact_duration(group.first.latency), right=True),
    _Column("status", 7, 3, lambda group: group.first.status.value),
    _Column("issues", 6, 3, finding_marks),
)
_LEAST_TEXT = 12
UNBOUND = 160
"""Width of output to a file or a pipe, in columns."""


def terminal_width() -> int:
    """Return the terminal's width; `UNBOUND` for a file or a pipe."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return shutil.get_terminal_size().columns
    return UNBOUND


def format_table(
    groups: Iterable[Group], width: int, *, titles: bool = True, without: Collection[str] = ()
) -> Iterator[str]:
    """Format groups as a table of at most `width` cells, safe to print; columns in `without` are
    dropped.
    """
    columns = [one for one in _COLUMNS if one.title not in without]
    while _sum_widths(columns) + _LEAST_TEXT > width and max(one.rank for one in columns):
        columns.remove(max(columns, key=lambda one: one.rank))
    rest = width - _sum_widths(columns)
    if titles:
        yield _join_cells(
            [fit_cells(one.title, one.width, one.right) for one in columns], "", width
        )
    for group in groups:
        cells = [fit_cells(clean_line(one.show(group)), one.width, one.right) for one in columns]
        yield _join_cells(
            cells, fit_cells(clean_line(excerpt_group(group)), rest) if rest > 0 else "", width
        )


def _sum_widths(columns: list[_Column]) -> int:
    return sum(column.width + 1 for column in columns)


def _join_cells(cells: list[str], text: str, width: int) -> str:
    return fit_cells(" ".join([*cells, text]), width).rstrip()


def fit_cells(text: str, width: int, right: bool = False) -> str:
    """Pad or shorten a text to exactly `width` cells, with spaces or an ellipsis."""
    if width <= 0:
        return ""
    if cell_len(text) > width:
        text = set_cell_size(text, width - 1).rstrip() + "…"
    space = " " * (width - cell_len(text))
    return space + text if right else text + space
