"""The list of changed files and the diff of the marked one: keys go to one of them."""

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from acp_tui.ui.review import titles
from acp_tui.ui.review.diff_pane import SIDES, DiffPane
from acp_tui.ui.review.file_rows import ChangedFileList
from acp_tui.ui.toolkit.boxes import EDGES

BESIDE = 120
"""From how many cells on the list stands beside the diff."""
SHARE = 0.4
"""Which part of the width the list takes there, at most."""
BORDERS = 2
"""Cells of the edges of a pane that stands beside another."""
AROUND = 4
"""Cells that the frame takes where the list stands above."""


class Panes(Container):
    """Beside each other where there is room for both, else the list above. So it stands, too, where
    both sides of a diff are wanted beside each other, and find no room beside the list.
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
    def room(self) -> int:
        """How many cells the diff can have, if the list stands above."""
        return self.screen.size.width - AROUND

    @property
    def missing(self) -> int:
        """How many columns more the window needs for both sides of a diff."""
        return max(0, SIDES - self.room)

    def fit(self, cwd: str, nothing: str) -> None:
        """Put both where there is room, and draw the list for that; it says `nothing` if it is empty."""
        self._cwd = cwd
        width = self.screen.size.width
        beside = self.listing.wanted(int(width * SHARE) - BORDERS) + BORDERS
        is_beside = bool(self.listing.files) and width >= BESIDE
        is_beside = is_beside and not self.diff.needs_more(width - beside - BORDERS)
        self.screen.set_class(is_beside, "-beside")
        self.listing.styles.width = beside if is_beside else "100%"
        self.listing.draw(beside - BORDERS if is_beside else self.room, nothing)

    def finish(self) -> None:
        """Say in the edges what is shown and which has the keys, and give what is marked its ground."""
        listing, diff = self.listing, self.diff
        listing.ground()
        diff.ground()
        listing.set_class(not self.in_diff, "-has-keys")
        diff.set_class(self.in_diff, "-has-keys")
        self.listing.border_title = titles.of_list(listing)
        width = max(1, (diff.size.width or self.room) - EDGES)
        about = titles.of_diff(listing.marked, self._cwd, diff.change, self.in_diff, width)
        title = about.truncate(width, ellipsis=True)
        is_beside = self.screen.has_class("-beside")  # there the edge has room around it by itself
        self.diff.border_title = title if is_beside else Content.assemble(" ", title, " ")

    def give_keys(self, in_diff: bool) -> None:
        """Let keys go to the diff, or to the list: its mark is bright at once."""
        self.in_diff = in_diff
        if not in_diff:
            self.diff.move_mark(None)
        self.listing.give_keys(not in_diff)
