"""The list of turns: time, prompt, duration, and the changes since then."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from textual.content import Content

from acp_tui.formatting import counted, duration
from acp_tui.text import clean_line
from acp_tui.ui.rewind.file_parts import format_sums
from acp_tui.ui.rewind.points import Point, Points
from acp_tui.ui.toolkit.dialogs.listing import Listing
from acp_tui.ui.toolkit.shortened import crop_text

SHORTEST = 8
"""Fewest cells of a prompt."""
LONGEST_PROMPT = 200
"""Most characters of a prompt that are drawn."""


class TurnList(Listing):
    """Lists the session's turns, then those of other sessions, folded into one row at first."""

    def __init__(self, points: Points) -> None:
        super().__init__()
        self._points = points
        self.unfolded = False
        self.points: list[Point | None] = []
        """The point of each row; None for the row that folds the other sessions."""
        self._cells: list[_PointCells] = []
        self._arrange()

    def _arrange(self) -> None:
        own, others = self._points
        shown = others if self.unfolded else ()
        self.points = [*own, *([None] if others else []), *shown]
        self._cells = [_cells_of(one) for one in self.points if one is not None]

    @property
    def marked(self) -> Point | None:
        """The marked turn; None on the row that folds other sessions."""
        return self.points[self.cursor] if self.cursor < len(self.points) else None

    @property
    def is_at_others(self) -> bool:
        """Whether the mark is on the row that folds other sessions."""
        return self.cursor < len(self.points) and self.points[self.cursor] is None

    def unfold(self) -> None:
        """Unfold or fold the turns of other sessions."""
        self.unfolded = not self.unfolded
        self._arrange()

    @property
    def wanted(self) -> int:
        """The cells that the longest row needs, with its mark and a scrollbar."""
        others = self._others.cell_length if self._points.others else 0
        widths = _column_widths(self._cells)
        return 3 + max(widths.time + widths.words + widths.took + widths.changed, others)

    def draw(self, width: int) -> None:
        """Draw the rows in `width` cells."""
        rows = iter(_draw_rows(self._cells, max(1, width - 3)))
        shown = [self._others if one is None else next(rows) for one in self.points]
        nothing = Content.styled("no turn has begun here", "$text-muted")
        headings = frozenset[int]() if shown else frozenset({0})
        self.show(shown or [nothing], self.cursor, headings)

    @property
    def _others(self) -> Content:
        others = counted(len(self._points.others), "turn")
        sign = "▾" if self.unfolded else "▸"
        return Content.styled(f"{sign} {others} of other sessions in this folder", "$text-muted")


class _PointCells(NamedTuple):
    """The cells of a row, each including the blanks before it."""

    time: Content
    words: Content
    took: Content
    added: Content
    removed: Content
    files: Content


class _Widths(NamedTuple):
    """The widths of the columns; `changed` is the width of all columns about changes."""

    time: int
    words: int
    took: int
    added: int
    removed: int
    changed: int


def _cells_of(point: Point) -> _PointCells:
    when = datetime.fromtimestamp(point.at).astimezone()
    is_today = when.date() == datetime.now().astimezone().date()
    words = " ".join(clean_line(crop_text(point.words, LONGEST_PROMPT)).split())
    changes = point.kept.changes if point.kept is not None else ()
    added, removed = format_sums(changes)
    files = counted(len(changes), "file") if changes else "no change"
    return _PointCells(
        Content.styled(f"{when:%H:%M}" if is_today else f"{when:%d %b}", "$text-muted"),
        Content(f"  {_return_words(point)}{words}"),
        Content.styled("" if point.took is None else f"  {duration(point.took)}", "$text-muted"),
        Content.styled(f"  {added}" if added else "", "$success"),
        Content.styled(f" {removed}" if removed else "", "$error"),
        Content.styled(f"  {files}" if point.kept is not None else "", "$text-muted"),
    )


def _return_words(point: Point) -> str:
    """Return the words before a row's prompt: whether it is a fork or a rewind."""
    if point.is_fork:
        return "after: "
    if point.is_undo:
        return "↩ undid rewind to before: "
    return "↩ rewound to before: " if point.is_return else ""


def _column_widths(rows: Sequence[_PointCells]) -> _Widths:
    time, words, took, added, removed = (
        max((row[at].cell_length for row in rows), default=0) for at in range(5)
    )
    changed = max((_draw_changes(row, added, removed).cell_length for row in rows), default=0)
    return _Widths(time, words, took, added, removed, changed)


def _draw_rows(cells: Sequence[_PointCells], width: int) -> list[Content]:
    """Draw the rows in columns; prompts are cut if space is short."""
    time, words, took, added, removed, changed = _column_widths(cells)
    words = min(words, max(SHORTEST, width - time - took - changed))
    return [
        Content.assemble(
            row.time.pad_left(time - row.time.cell_length),
            row.words.truncate(words, ellipsis=True, pad=True),
            row.took.pad_left(took - row.took.cell_length),
            _draw_changes(row, added, removed),
        )
        for row in cells
    ]


def _draw_changes(row: _PointCells, added: int, removed: int) -> Content:
    """Draw the counts of changes in columns; without changes, only the text."""
    if not row.added:
        return row.files
    return Content.assemble(
        row.added.pad_left(added - row.added.cell_length),
        row.removed.pad_left(removed - row.removed.cell_length),
        row.files,
    )
