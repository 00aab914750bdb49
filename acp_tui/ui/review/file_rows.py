"""The list of changed files: in each row where, how much, and whether that can be undone."""

from collections.abc import Sequence

from textual.content import Content

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.session.changed_files import ChangedFile
from acp_tui.text import clean_line
from acp_tui.ui.dialogs.listing import Listing
from acp_tui.ui.diff.diff_lines import stats
from acp_tui.ui.lines.paths import shown_path
from acp_tui.ui.review.scopes import Reviewed

MOST = 500
"""How many files are listed, those changed last."""
COUNTED = 200_000
"""Characters of a diff up to which its lines are counted here."""


class ChangedFileList(Listing):
    """Changed files, as many as `MOST`; one of them is marked."""

    def __init__(self) -> None:
        super().__init__()
        self.files: list[Reviewed] = []
        self.more = 0
        """How many aren't listed."""

    @property
    def marked(self) -> Reviewed | None:
        """The marked file, if there is any."""
        return self.files[self.cursor] if self.cursor < len(self.files) else None

    @property
    def done(self) -> int:
        """How many of the files are still changed."""
        return sum(not one.file.undone for one in self.files)

    def take(self, found: list[Reviewed]) -> None:
        """Take other files; the mark stays on its file."""
        marked = self.marked
        self.files, self.more = found[:MOST], max(0, len(found) - MOST)
        path = marked.file.path if marked is not None else None
        same = (at for at, one in enumerate(self.files) if one.file.path == path)
        self.cursor = next(same, 0)

    def draw(self, cwd: str, nothing: str) -> None:
        """Draw the rows for the width that there is; say `nothing` where there are none."""
        width = self.size.width or self.screen.size.width - 4
        rows = _rows([_cells(one, cwd) for one in self.files], width)
        headings = frozenset[int]() if rows else frozenset({0})
        self.show(rows or [Content.styled(nothing, "$text-muted")], self.cursor, headings)


class _Cells(NamedTuple):
    """What the row of a file says."""

    place: Content
    counts: Content
    state: Content


def _cells(one: Reviewed, cwd: str) -> _Cells:
    file = one.file
    place = clean_line(shown_path(file.path, cwd))
    name = "$text-muted" if file.undone else "$foreground"
    counts = _counts(file) if one.counted is None else _counted(*one.counted)
    state = Content.styled(*_state(file)) if not one.relative else Content()
    return _Cells(Content.styled(place, name), counts, state)


def _rows(found: Sequence[_Cells], width: int) -> list[Content]:
    """Return the rows, in columns; the paths give way where there is no room."""
    longest, counts, states = (
        max((row[at].cell_length for row in found), default=0) for at in range(3)
    )
    room = min(longest, max(10, width - counts - states - 6))
    return [
        Content.assemble(
            _end_of(row.place, room).pad_right(room - min(room, row.place.cell_length)),
            row.counts.pad_left(2 + counts - row.counts.cell_length),
            "  ",
            row.state,
        )
        for row in found
    ]


def _end_of(place: Content, room: int) -> Content:
    """Return the last cells of a path, for they tell more."""
    if place.cell_length <= room:
        return place
    begin = max(0, len(place) - room + 1)
    while place[begin:].cell_length >= room:
        begin += 1
    return Content.assemble("…", place[begin:]).pad_right(room - 1 - place[begin:].cell_length)


def _counts(file: ChangedFile) -> Content:
    if not file.diffs or sum(len(one.new_text) for one in file.diffs) > COUNTED:
        return Content()
    counted = [stats(one) for one in file.diffs]
    added, removed = (sum(one[side] for one in counted) for side in (0, 1))
    return _counted(added, removed)


def _counted(added: int, removed: int) -> Content:
    return Content.assemble((f"+{added}", "$success"), " ", (f"−{removed}", "$error"))


def _state(file: ChangedFile) -> tuple[str, str]:
    """Whether the change can be undone."""
    if file.undone:
        return "undone", "$text-muted"
    if file.kept is not None and file.kept.changed:
        return "changed since", "$warning"
    if file.kept is not None:
        return "u undoes", "$accent"
    if file.writes:
        return "no backup", "$warning"
    return "by its own tools", "$text-muted"
