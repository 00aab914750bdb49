"""The list of changed files: each row has the kind of change, the path, and the number of lines."""

from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

from textual.content import Content

from acp_tui.text import clean_line
from acp_tui.ui.diff.header import count_file_changes
from acp_tui.ui.lines.visible import shown_path
from acp_tui.ui.review.file_parts import is_as_before, letter_of, short_authors_of, state_of
from acp_tui.ui.review.scopes import Reviewed
from acp_tui.ui.toolkit.dialogs.listing import GroundedListing, tint_row
from acp_tui.ui.toolkit.shortened import styled_path_end

MOST_LISTED_FILES = 500
"""Most files that are listed; the most recently changed ones."""
SHORTEST = 10
"""Fewest cells of a path."""
AUTHORS = 20
"""Cells for the names of the subagents that changed a file; the diff shows them all."""
VERDICT = 24
"""Cells of a state that take precedence over paths; enough for every verdict."""
LETTERS = {"A": "$success", "D": "$error", "M": "$warning", "=": "$text-muted"}


class ChangedFileList(GroundedListing):
    """Lists up to `MOST_LISTED_FILES` changed files; the mark is brighter while the list has the
    keys.
    """

    def __init__(self) -> None:
        super().__init__()
        self.files: list[Reviewed] = []
        self.all: list[Reviewed] = []
        """All files, including those that aren't listed."""
        self.has_keys = True
        self._cells: list[_FileCells] = []
        self._nothing = ""

    @property
    def more(self) -> int:
        """The number of files that aren't listed."""
        return len(self.all) - len(self.files)

    @property
    def marked(self) -> Reviewed | None:
        """The marked file, if there is one."""
        return self.files[self.cursor] if self.cursor < len(self.files) else None

    @property
    def done(self) -> int:
        """The number of listed files that are still changed."""
        return sum(
            one.difference is not None
            or not (is_as_before(one) or one.file.undone or one.file.unchanged)
            for one in self.files
        )

    def preferred_width(self, most: int) -> int:
        """Return the cells of the longest row, with its mark and a blank at its end; without the
        states if they would exceed `most`, and at most that many.
        """
        letter, place, added, removed, state, authors = _widths(self._cells)
        width = 3 + letter + place + (added + 2 if added else 0) + (removed + 1 if removed else 0)
        width += authors + 2 if authors else 0
        return width + 2 + state if state and width + 2 + state <= most else min(width, most)

    def update_files(self, found: list[Reviewed], cwd: str) -> None:
        """Update the files; the mark stays on its file, or moves to the next one that is still
        there.
        """
        after = [one.file.path for one in self.files[self.cursor :]]
        self.all, self.files = found, found[:MOST_LISTED_FILES]
        self._cells = [_cells_of(one, cwd) for one in self.files]
        places = {one.file.path: at for at, one in enumerate(self.files)}
        last = len(self.files) - 1 if after else 0
        kept = (places[path] for path in after if path in places)
        self.cursor = self._grounded = max(0, next(kept, last))

    def on_resize(self) -> None:
        """Redraw the rows, with or without room for the scrollbar."""
        self.draw(self.size.width, self._nothing)

    def draw(self, width: int, nothing: str) -> None:
        """Draw the rows in `width` cells; if there are none, draw the text `nothing`."""
        self._nothing = nothing
        around = 2 if len(self._cells) <= self.size.height else 4  # a mark, a blank or a scrollbar
        rows = _rows(self._cells, max(1, width - around))
        if rows:
            self.show(rows, self.cursor)
        else:
            lines_of_text = wrap(nothing, max(1, width - around)) or [""]
            lines = [Content.styled(line, "$text-muted") for line in lines_of_text]
            self.show(lines, 0, frozenset(range(len(lines))))

    def show_focus(self, has_keys: bool) -> None:
        """Draw the mark brightly, or muted."""
        if has_keys != self.has_keys:
            self.has_keys = has_keys
            self.refresh()

    def draw_row(self, row: Content, is_marked: bool, width: int) -> Content:
        color = "$primary" if self.has_keys else "$text-muted"
        bar = ("▌" if is_marked and not self.is_covered else " ", color)
        drawn = Content.assemble(bar, row)
        is_tinted = bool(self.files) and self.is_grounded(row)
        return tint_row(drawn, width, self.app) if is_tinted else drawn


class _FileCells(NamedTuple):
    """The cells of a file's row."""

    letter: Content
    place: Content
    added: Content
    removed: Content
    state: Content
    is_judged: bool
    """Whether the state is a verdict: how the file compares with what was allowed."""
    authors: Content


def _cells_of(one: Reviewed, cwd: str) -> _FileCells:
    file = one.file
    letter = letter_of(one)
    place = clean_line(shown_path(file.path, cwd))
    name = "$text-muted" if letter == "=" else "$foreground"
    lines = one.difference.lines if one.difference is not None else count_file_changes(file)
    has_counts = letter != "=" and not (
        one.difference is not None and one.difference.is_of_line_ends
    )
    added, removed = (lines if has_counts else None) or (None, None)
    return _FileCells(
        Content.styled(letter, f"bold {LETTERS[letter]}"),
        Content.styled(place, name),
        Content.styled("" if added is None else f"+{added:,}", "$success"),
        Content.styled("" if removed is None else f"−{removed:,}", "$error"),
        state_of(one),
        bool(one.verdict),
        Content.styled(short_authors_of(file), "$accent").truncate(AUTHORS, ellipsis=True),
    )


def _widths(rows: Sequence[_FileCells]) -> list[int]:
    columns = (
        (row.letter, row.place, row.added, row.removed, row.state, row.authors) for row in rows
    )
    widths = [max(one.cell_length for one in cells) for cells in zip(*columns, strict=True)]
    return widths or [0] * 6


def _rows(found: Sequence[_FileCells], width: int) -> list[Content]:
    """Return the rows, in columns. If space is short, the states are dropped first, as the diff's
    title has them, too; then paths are cut.
    """
    letter, place, added, removed, state, authors = _widths(found)
    ends = [one + gap for one, gap in ((added, 2), (removed, 1), (authors, 2)) if one]
    room = width - letter - 1 - sum(ends)
    shows_states = place + 2 + state <= room
    if not shows_states and any(row.is_judged for row in found):
        state = min(state, VERDICT)
        shows_states = SHORTEST + 2 + state <= room
        room -= 2 + state if shows_states else 0
    room = min(place, max(SHORTEST, room))
    rows = []
    for row in found:
        path = styled_path_end(row.place, room)
        cells: list[Content | str] = [row.letter, " ", path.pad_right(room - path.cell_length)]
        if added:
            cells.append(row.added.pad_left(2 + added - row.added.cell_length))
        if removed:
            cells.append(row.removed.pad_left(1 + removed - row.removed.cell_length))
        if authors:
            cells += ["  ", row.authors.pad_right(authors - row.authors.cell_length)]
        if shows_states:
            cells += ["  ", row.state.truncate(state, ellipsis=True)]
        rows.append(Content.assemble(*cells))
    return rows
