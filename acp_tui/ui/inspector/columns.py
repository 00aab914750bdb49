"""The columns of the frame table, and which of them fit."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from acp_tui.debug.columns import (
    ARROWS,
    LONGEST_EXCERPT,
    finding_counts,
    finding_marks,
    format_number,
    id_of,
    summarize_group,
)
from acp_tui.debug.exchanges import Status
from acp_tui.debug.rows import RowStore
from acp_tui.debug.view import Group
from acp_tui.formatting import exact_duration, narrow_size
from acp_tui.text import clean_line
from acp_tui.ui.lines.text_lines import StyledSpan
from acp_tui.ui.toolkit.shortened import path_end

LEAST_TEXT = 12
"""Cells reserved for a frame's content; all columns but those of rank 0 are dropped for it."""
GOOD_TEXT = 39
"""Cells of content that columns above `LOW_RANK` are dropped for; any more room widens the frame's
name.
"""
LOW_RANK = 4
FEW_WORDS = 8
"""Most words of a title or a path; anything longer is prose, which is read from its beginning."""
LEAST_PATH = 24
"""Cells that are kept of the file name in a long path."""
_STATUS_STYLES = {
    Status.PENDING: "warning",
    Status.IN_PROGRESS: "warning",
    Status.COMPLETED: "success",
    Status.FAILED: "error",
    Status.UNANSWERED: "error",
    Status.TIMED_OUT: "error",
    Status.OK: "success",
    Status.ERROR: "error",
    Status.ORPHAN: "error",
    Status.UNREADABLE: "error",
}
SEVERITY_STYLES = {"error": "error", "warning": "warning", "info": "accent"}


def fit_cell(text: str, width: int, right: bool = False) -> str:
    """Format text, made safe to draw, in exactly `width` cells."""
    text = clean_line(text[: 4 * width])
    size = cell_len(text)
    if size > width:
        return set_cell_size(text, width - 1) + "…" if width > 0 else ""
    space = " " * (width - size)
    return space + text if right else text + space


def fit_name(text: str, width: int, right: bool = False) -> str:
    """Format a method's name in exactly `width` cells, without its group (`session/`) if it is too
    long.
    """
    group, slash, name = text.partition("/")
    if slash and cell_len(text) > width:
        text = f"{group.rpartition(' ')[0]} …{name}".lstrip()
    return fit_cell(text, width, right)


def _muted(_: Group) -> str:
    return "muted"


def _plain(_: Group) -> str:
    return "text"


def _direction(group: Group) -> str:
    return {"in": "accent", "out": "text"}.get(group.first.direction, "muted")


def _of_status(group: Group) -> str:
    return _STATUS_STYLES.get(group.first.status, "muted")


def _of_findings(group: Group) -> str:
    worst = next(iter(finding_counts(group)), None)
    return SEVERITY_STYLES[worst] if worst is not None else "muted"


def _bytes(group: Group) -> str:
    """Format a group's size in bytes; "" for an event without output."""
    return narrow_size(group.size) if group.size or group.first.direction else ""


@dataclass(frozen=True, slots=True)
class FrameColumn:
    """A column of the table. When space is short, the highest rank is dropped first, rank 0 never."""

    title: str
    width: int
    rank: int
    show: Callable[[Group], str]
    style: Callable[[Group], str] = _muted
    right: bool = False
    name: str = ""
    widest: int = 0
    """The width up to which it grows if there is room."""
    fitted: Callable[[str, int, bool], str] = fit_cell

    def cell(self, group: Group) -> StyledSpan:
        """Draw a group's cell in this column, as wide as the column."""
        return StyledSpan(self.fitted(self.show(group), self.width, self.right), self.style(group))

    @property
    def label(self) -> str:
        """The column's display name."""
        return self.name or self.title


COLUMNS = (
    FrameColumn(
        "#",
        4,
        3,
        lambda group: format_number(group.first),
        right=True,
        name="# number of the frame",
    ),
    FrameColumn(
        "time",
        7,
        4,
        lambda group: f"{group.first.time:.3f}",
        right=True,
        name="time since the start",
    ),
    FrameColumn(
        "delta",
        8,
        8,
        lambda group: f"+{group.first.delta:.3f}",
        right=True,
        name="delta to what came before",
    ),
    FrameColumn("", 1, 0, lambda group: ARROWS[group.first.direction], _direction),
    FrameColumn("what", 23, 0, summarize_group, _plain, widest=34, fitted=fit_name),
    FrameColumn("id", 5, 7, lambda group: id_of(group.first), name="id of the request"),
    FrameColumn("session", 8, 9, lambda group: group.first.session),
    FrameColumn("bytes", 6, 6, _bytes, right=True),
    FrameColumn(
        "took",
        7,
        5,
        lambda group: exact_duration(group.first.latency),
        right=True,
        name="took: from request to answer",
    ),
    FrameColumn("status", 11, 1, lambda group: group.first.status.value, _of_status),
    FrameColumn("issues", 6, 2, finding_marks, _of_findings, name="issues: rules that are broken"),
)
CONTENT_TITLE = "content"
"""The title of the content column."""


class ColumnNeeds(NamedTuple):
    """Properties of a log's rows that decide the columns and their widths."""

    number: int
    """Cells of the highest frame number."""
    time: int
    """Cells of the latest time."""
    absent: frozenset[str]
    """Columns in which all rows have the same value, or none."""


def column_needs(log: RowStore) -> ColumnNeeds:
    """Return what the rows read so far require: column widths, and which columns are empty."""
    absent = set()
    if not log.findings.places:
        absent.add("issues")
    if log.session_count < 2:
        absent.add("session")
    last = log[-1].time if len(log) else 0.0
    return ColumnNeeds(len(str(log.frame_count)), len(f"{last:.3f}"), frozenset(absent))


def fitting_columns(
    width: int, hidden: Collection[str], needs: ColumnNeeds, pinned: str = ""
) -> list[FrameColumn]:
    """Return the columns that fit `width` cells, without hidden and empty ones.

    The column `pinned` is never dropped for another.
    """
    left_out = needs.absent.union(hidden)
    wide = {"#": needs.number, "time": needs.time}
    columns = [
        replace(
            column,
            width=max(column.width, wide.get(column.title, 0)),
            rank=0 if column.title == pinned else column.rank,
        )
        for column in COLUMNS
        if column.title not in left_out or not column.rank
    ]
    while (first := max(columns, key=lambda column: column.rank)).rank:
        if sum_cells(columns) + (GOOD_TEXT if first.rank > LOW_RANK else LEAST_TEXT) <= width:
            break
        columns.remove(first)
    spare = max(0, width - sum_cells(columns) - GOOD_TEXT)
    for at, column in enumerate(columns):
        grown = max(column.width, min(column.widest, column.width + spare))
        spare -= grown - column.width
        columns[at] = replace(column, width=grown)
    return columns


_ABSENT = {"session": "one session only", "issues": "no issues"}
_WIDEST = 400
"""The widest screen, in cells, that is tried to find the width at which a column fits."""


def why_not_shown(title: str, width: int, hidden: Collection[str], needs: ColumnNeeds) -> str:
    """Return why a column is not shown at this width; "" if it is shown, or hidden by the user."""
    if title in hidden:
        return ""
    if title in needs.absent:
        return _ABSENT[title]
    for enough in range(width, _WIDEST):
        if any(one.title == title for one in fitting_columns(enough - 1, hidden, needs)):
            return f"needs {enough} columns" if enough > width else ""
    return ""


def sum_cells(columns: list[FrameColumn]) -> int:
    """Return the width of columns in cells, with a space after each."""
    return sum(column.width + 1 for column in columns)


def fit_content(text: str, width: int) -> str:
    """Format a frame's content in exactly `width` cells; in a short text, a long path loses its
    beginning.
    """
    text = clean_line(text[:LONGEST_EXCERPT])
    words = text.split(" ")
    path = max(words, key=lambda one: len(one) if one.startswith("/") else 0)
    over = cell_len(text) - width
    if over > 0 and path.startswith("/") and len(words) <= FEW_WORDS:
        name = f"/{path.rpartition('/')[2]}"
        kept = max(cell_len(path) - over - 1, min(cell_len(name), LEAST_PATH))
        if kept < cell_len(path) - 1:
            text = text.replace(path, path_end(path, kept + 1), 1)
    return fit_cell(text, width)
