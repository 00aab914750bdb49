"""The screen that lists the turns to rewind to, and the changes since the marked one."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from acp_tui.git.objects import CheckpointError
from acp_tui.state.session import Session
from acp_tui.text import clean_line
from acp_tui.ui.checkpoints import TurnCheckpoints
from acp_tui.ui.keys import TURNS
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Stack, StackPart
from acp_tui.ui.lines.text_lines import LineHead, StyledSpan, TextLines, wrapped_rows
from acp_tui.ui.rewind.file_parts import Changed, file_parts, height_of, named_with_why, read_diffs
from acp_tui.ui.rewind.points import Point, Points, first_answer_line
from acp_tui.ui.rewind.turn_list import TurnList
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.toolkit.boxes import LIST, LIST_WIDTH, BoxFrame
from acp_tui.ui.toolkit.dialogs.listing import Listing
from acp_tui.ui.toolkit.screens import OverlayScreen, scroll_page
from acp_tui.ui.toolkit.shortened import from_home, path_end
from acp_tui.ui.toolkit.timers import DeferredWork

if TYPE_CHECKING:
    from acp_tui.ui.rewind.feature import RewindFeature

TITLE = "Rewind"
WIDE = 120
"""Width of a screen, in cells, from which the changes are beside the list."""
OTHERS = "The files in this folder were kept before those, too."
"""The note about the row for other sessions' turns."""
SHARE = 0.55
"""The largest fraction of the width that the list takes beside the changes."""
AROUND = 4
"""Cells and rows that the frame takes: its edges, and its padding or its row of hints."""
EDGES = 2
"""Rows of `AROUND` that are always taken."""
LIST_SHARE = 3
"""The list keeps at least one in this many rows while a dialog is below it."""


class TurnsScreen(OverlayScreen[None]):
    """Lists the turns, with the changes since the marked one; as high as both need, if there is
    room.
    """

    DEFAULT_CLASSES = LIST
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = TURNS  # type: ignore[assignment]

    def __init__(
        self,
        points: Points,
        checkpoints: TurnCheckpoints,
        tab: Tab,
        session: Session,
        rewind: "RewindFeature",
    ) -> None:
        super().__init__()
        self.checkpoints = checkpoints
        self.tab = tab
        self.session = session
        self._last_return = points.last_return
        self._feature = rewind
        self._frame = BoxFrame()
        self._listing = TurnList(points)
        self._changes = LinesView()
        self._deferred = DeferredWork(self, self._show_marked)
        self._dialog_rows = 0
        """The rows of the dialog below the list; 0 while there is none."""

    def compose(self) -> ComposeResult:
        with self._frame, Container(id="panes"):
            yield self._listing
            yield self._changes

    def on_mount(self) -> None:
        self.watch(self._changes, "show_vertical_scrollbar", self._update_keys, init=False)
        self._fit_panes()
        self._show_marked()

    def _update_keys(self) -> None:
        """Update the hints: one is for scrolling the changes."""
        if not self._dialog_rows:
            self._offer_keys()

    def on_resize(self) -> None:
        """Fit the panes."""
        self._fit_panes()

    def make_room(self, rows: int) -> int:
        """Shrink the list above a dialog that needs `rows` rows; return the first row below the
        list.

        No hints are shown until the dialog is closed.
        """
        self._dialog_rows = rows
        self._frame.show_message("")
        return self._fit_panes()

    def restore_room(self) -> None:
        """Use the whole screen again after the dialog."""
        self._dialog_rows = 0
        self._fit_panes()
        self._offer_keys()

    def show_message(self, words: str) -> None:
        """Show why nothing was done, in place of the hints until the next key."""
        self._frame.show_message(clean_line(words))

    def _offer_keys(self) -> None:
        marked, listing = self._listing.marked, self._listing
        keys = []
        if listing.is_at_others:
            keys.append(("enter", "fold" if listing.unfolded else "unfold"))
        elif marked is not None:
            does = "undo this rewind" if marked.is_return else "rewind to here"
            if marked.is_fork:
                does = "fork here"
            keys.append(("enter", does))
        if self._last_return not in (None, marked):
            keys.append(("u", "undo the last rewind"))
        if self._changes.show_vertical_scrollbar:
            keys.append(("pagedown", "scroll"))
        self._frame.offer([*keys, ("escape", "back")], "turns")

    # Layout

    def _fit_panes(self) -> int:
        """Give the list and the changes the rows that they need; return the first row below them."""
        if not self._listing.is_mounted:
            return 0
        listing = self._listing
        shown = [one for one in listing.points if one is not None]
        count = max(1, len(listing.points))
        columns, lines = self.app.size  # a screen below a dialog learns of a new size only later
        is_wide = any(map(_has_changes, shown)) and columns >= WIDE and not self._dialog_rows
        self.set_class(is_wide, "-beside")
        width = max(1, (columns if is_wide else min(columns, LIST_WIDTH)) - AROUND)
        needed = max((self._height(one, width) for one in shown), default=0)
        if self._dialog_rows:
            needed = 0  # the dialog shows the reverse of these changes
        room = max(2, lines * 9 // 10 - AROUND)
        if self._dialog_rows:
            room = max(1, min(room, max(lines // LIST_SHARE, lines - self._dialog_rows) - EDGES))
        if is_wide:
            room = height = min(max(count, needed), room)
            list_width = min(listing.wanted, int(width * SHARE))
        else:
            height = min(count, max(1, room // 2, room - needed - 1))
            list_width = width
        listing.styles.width, listing.styles.height = list_width, height
        below = max(1, room if is_wide else min(needed + 1, room - height))  # its edge is a row
        self._changes.styles.height = below
        self._changes.display = needed > 0
        listing.draw(list_width)
        where = path_end(clean_line(from_home(self.session.cwd)), max(0, width - len(TITLE) - 2))
        self._frame.entitle(Content.assemble((TITLE, "bold"), (f"  {where}", "$text-muted")))
        taken = EDGES + height + (below if needed and not is_wide else 0)
        top = lines // 20
        up = max(0, min(top, top + taken + self._dialog_rows - lines)) if self._dialog_rows else 0
        self._frame.styles.offset = (0, top - up)
        return top - up + taken

    def _height(self, point: Point, width: int) -> int:
        """Return the height of a turn's details, assuming that no line of a diff wraps."""
        changes = point.kept.changes if point.kept is not None else ()
        notes = (len(list(wrapped_rows(note, max(1, width - 1)))) for note in self._notes(point))
        return bool(first_answer_line(self.session, point)) + sum(notes) + height_of(changes)

    # Changes

    def _notes(self, point: Point) -> Iterator[str]:
        """Yield sentences about a turn that its diffs don't show."""
        kept = point.kept
        if point.is_fork:
            yield "The agent can fork the session here; the files stay as they are."
            return
        if kept is None:
            why = self.checkpoints.why or "those before this turn were not saved"
            yield f"Only the conversation can be rewound: {why}."
            return
        if kept.checkpoint.late:
            yield "The files were saved after the turn had begun: it may have changed some."
        until = "now" if kept is self.checkpoints.turns[0] else "the next turn here"
        if kept.changes:
            yield f"Changes from then until {until}, by anyone:"
        else:
            which = " that is kept" if kept.unstored or kept.lost else ""
            yield f"No file{which} changed from then until {until}."
        if kept.unstored:
            yield f"No longer saved: {named_with_why(kept.unstored)}"
        if kept.lost:
            yield f"Gone, and never saved: {named_with_why(kept.lost)}"

    def _show_marked(self) -> None:
        """Show the hints and the changes of the marked turn."""
        self._offer_keys()
        marked = self._listing.marked
        if marked is not None and _has_changes(marked):
            self.run_worker(self._read_changes(marked), group="changes", exclusive=True)
        else:
            self._show_changes(marked, Changed())

    async def _read_changes(self, point: Point) -> None:
        kept, store = point.kept, self.checkpoints.store
        assert kept is not None
        assert store is not None
        known = store, kept.changes
        try:
            changed = await to_thread.run_sync(read_diffs, *known, abandon_on_cancel=True)
        except CheckpointError as error:
            self.show_message(str(error))
            changed = Changed(kept.changes)
        if point is self._listing.marked:
            self._show_changes(point, changed)

    def _show_changes(self, point: Point | None, changed: Changed) -> None:
        others = [StackPart(TextLines(OTHERS, "muted"))] if self._listing.is_at_others else []
        parts = list(self._facts(point)) if point is not None else others
        self._changes.show(Stack([*parts, *file_parts(changed, {})]))

    def _facts(self, point: Point) -> Iterator[StackPart]:
        answer = first_answer_line(self.session, point)
        if answer:
            yield StackPart(LineHead(lambda: [StyledSpan("Answer: ", "muted"), StyledSpan(answer)]))
        for note in self._notes(point):
            yield StackPart(TextLines(note, "muted"))

    # Keys

    def action_move(self, step: int) -> None:
        """Move the mark."""
        self._listing.move(step)
        self._deferred.defer()

    def on_listing_row_clicked(self, event: Listing.RowClicked) -> None:
        """Show the clicked turn; a click on the row of other sessions unfolds them."""
        event.stop()
        if self._listing.is_at_others:
            self._unfold()
        self._deferred.defer()

    def action_scroll(self, pages: int) -> None:
        """Scroll the changes by pages."""
        scroll_page(self._changes, pages)

    def action_choose(self) -> None:
        """Ask what to restore; on the row of other sessions, unfold them."""
        if self._listing.is_at_others:
            self._unfold()
        elif self._listing.marked is not None:
            self._feature.choose(self, self._listing.marked)

    def _unfold(self) -> None:
        self._listing.unfold()
        self._fit_panes()
        self._offer_keys()

    def action_undo(self) -> None:
        """Ask to undo the last rewind."""
        if self._last_return is not None:
            self._feature.choose(self, self._last_return)
        else:
            self.app.bell()


def _has_changes(point: Point | None) -> bool:
    return point is not None and point.kept is not None and bool(point.kept.changes)
