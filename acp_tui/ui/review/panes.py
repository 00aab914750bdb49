"""The panes of the review: the list of changed files, and the diff of the marked one. Keys go to
one of them.
"""

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from acp_tui.formatting import counted
from acp_tui.text import clean_line
from acp_tui.ui.lines.visible import shown_path
from acp_tui.ui.review.diff_pane import SIDES, DiffPane
from acp_tui.ui.review.file_parts import letter_of, state_of
from acp_tui.ui.review.file_rows import ChangedFileList
from acp_tui.ui.review.scopes import Reviewed
from acp_tui.ui.toolkit.boxes import EDGES
from acp_tui.ui.toolkit.shortened import path_end

ACTS = {"A": "new file", "D": "deleted"}
BESIDE = 120
"""Width of a screen, in cells, from which the list is beside the diff."""
SHARE = 0.4
"""The largest fraction of the width that the list takes there."""
BORDERS = 2
"""Cells of the edges of a pane beside another."""
AROUND = 4
"""Cells that the frame takes if the list is above the diff."""


class Panes(Container):
    """Shows the list beside the diff if there is room, otherwise above.

    It is also above if the diff is side by side, and that doesn't fit beside the list.
    """

    def __init__(self, split: bool | None) -> None:
        super().__init__()
        self.listing = ChangedFileList()
        self.diff = DiffPane(split)
        self._cwd = ""
        self.in_diff = False

    def compose(self) -> ComposeResult:
        yield self.listing
        yield self.diff

    @property
    def is_shown(self) -> bool:
        """Whether the panes are mounted and still on a screen: a read may end after the review was
        closed.
        """
        return self.listing.is_mounted and self.is_attached

    @property
    def room(self) -> int:
        """Cells for the diff if the list is above."""
        return self.screen.size.width - AROUND

    @property
    def missing(self) -> int:
        """Columns by which the window is too narrow for a diff side by side."""
        return max(0, SIDES - self.room)

    def fit(self, cwd: str, nothing: str) -> None:
        """Arrange list and diff, and draw the list; an empty list shows the text `nothing`."""
        self._cwd = cwd
        width = self.screen.size.width
        beside = self.listing.preferred_width(int(width * SHARE) - BORDERS) + BORDERS
        is_beside = bool(self.listing.files) and width >= BESIDE
        is_beside = is_beside and not self.diff.needs_more(width - beside - BORDERS)
        self.screen.set_class(is_beside, "-beside")
        self.listing.styles.width = beside if is_beside else "100%"
        self.listing.draw(beside - BORDERS if is_beside else self.room, nothing)

    def finish(self) -> None:
        """Update the titles in the edges, and the background of marked rows."""
        listing, diff = self.listing, self.diff
        listing.ground()
        diff.ground()
        listing.set_class(not self.in_diff, "-has-keys")
        diff.set_class(self.in_diff, "-has-keys")
        self.listing.border_title = list_title(listing)
        width = max(1, (diff.size.width or self.room) - EDGES)
        words = diff_title(listing.marked, self._cwd, diff.change, self.in_diff, width)
        title = words.truncate(width, ellipsis=True)
        is_beside = self.screen.has_class("-beside")  # there the edge leaves a gap by itself
        self.diff.border_title = title if is_beside else Content.assemble(" ", title, " ")

    def pass_keys(self, in_diff: bool) -> None:
        """Pass keys to the diff or to the list, and update the marks."""
        self.in_diff = in_diff
        if not in_diff:
            self.diff.move_mark(None)
        self.listing.show_focus(not in_diff)


def list_title(listing: "ChangedFileList") -> Content:
    """Return the title of the list."""
    return _titled("Files", listing.has_keys)


def diff_title(
    one: Reviewed | None, cwd: str, change: tuple[int, int], has_keys: bool, width: int
) -> Content:
    """Return the title of the diff: its file, the file's state and the marked change. Changes count from 1; the
    marked one is 0 outside of them, and both numbers are 0 until they are known.
    """
    if one is None:
        return Content()
    at, count = change
    changes = f"change {at} of {count}" if at else counted(count, "change")
    ends = [
        Content.styled(ACTS.get(letter_of(one), ""), "$text-muted"),
        state_of(one),
        Content.styled(changes if count else "", "$text-muted"),
    ]
    end = Content.assemble(*(Content.assemble("  ", text) for text in ends if text))
    place = path_end(clean_line(shown_path(one.file.path, cwd)), max(8, width - end.cell_length))
    return Content.assemble(_titled(place, has_keys), end)


def _titled(words: str, has_keys: bool) -> Content:
    return Content.styled(words, "bold $primary" if has_keys else "$text-muted")
