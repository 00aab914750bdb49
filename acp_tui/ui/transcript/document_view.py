"""A widget that scrolls through a document and draws only the lines on screen."""

import asyncio
from collections.abc import Iterable
from time import perf_counter
from typing import NamedTuple

from textual.selection import Selection
from textual.timer import Timer

from acp_tui.ui.transcript.anchor import Anchor
from acp_tui.ui.transcript.document import Document, Place
from acp_tui.ui.transcript.drawing import DrawingView
from acp_tui.ui.transcript.entries.entry_view import SPINS
from acp_tui.ui.transcript.painter import GUTTER
from acp_tui.ui.transcript.search import Search
from acp_tui.ui.transcript.selected_text import selected_text

FRAME = 1 / 25
"""Seconds between two frames while things change."""
BUDGET = 0.008
"""Seconds of work at one go."""
PAUSE = 0.008
"""Seconds for others between two goes, when work is left."""


class Standpoint(NamedTuple):
    """The entry under the cursor, and the first line on screen; None at the end, which is followed."""

    cursor: int | None
    line: int | None


class DocumentView(DrawingView, can_focus=True):
    """Follows the end of the document until the reader scrolls up.

    Work is done in frames: each takes over what changed, lays it out, and draws, for some
    milliseconds at most. No timer runs when nothing is left to do and nothing is running.
    """

    ALLOW_SELECT = True

    def __init__(
        self, document: Document, *, name: str | None, id: str | None, classes: str | None
    ):
        super().__init__(name=name, id=id, classes=classes)
        self._waking: asyncio.TimerHandle | None = None
        self._ticker: Timer | None = None
        self._drawn = 0.0
        self._placing = False
        self.open_document(document)

    def open_document(self, document: Document) -> None:
        """Show another document, from its end."""
        self._document = document
        self._anchor: Anchor | None = None
        self._cursor = None
        self._dirty: set[int] = set()
        self._painter = None
        self.has_new_below = False
        document.grow()
        if self._is_laid_out:
            self._resized()

    @property
    def following(self) -> bool:
        """Whether the end stays in view."""
        return self._anchor is None

    @property
    def last_on_screen(self) -> int:
        """The last entry of which a line is on screen."""
        top = self.scroll_offset.y
        return self._document.between(top, top + self.size.height - 1).stop - 1

    @property
    def is_busy(self) -> bool:
        """Whether a frame will come."""
        return self._waking is not None

    @property
    def is_ticking(self) -> bool:
        """Whether a clock or a spinner is drawn again and again."""
        return self._ticker is not None

    @property
    def _is_laid_out(self) -> bool:
        region = self.scrollable_content_region
        return self.is_mounted and region.width > GUTTER and region.height > 0

    # Frames

    def wake(self, delay: float | None = None) -> None:
        """See to it that a frame comes, not too soon after the last one.

        A timer of Textual's would be a task for each frame.
        """
        if self._waking is None and self._is_laid_out:
            if delay is None:
                delay = max(0.001, self._drawn + FRAME - perf_counter())
            loop = asyncio.get_running_loop()
            self._waking = loop.call_later(delay, self.call_next, self._frame)

    def _frame(self) -> None:
        """Take over what changed and lay it out, as far as the time allows."""
        if self._waking is not None:
            self._waking.cancel()
            self._waking = None
        if not self._is_laid_out:
            return
        self._drawn = perf_counter()
        self._document.grow()
        for index in self._dirty:
            self._document.mark(index)
        self._dirty.clear()
        done = self._lay_out(self._drawn + BUDGET)
        self._place()
        self._document.touched.clear()
        if not done:
            self.wake(PAUSE)
        self._tick_if_live()

    def _lay_out(self, until: float) -> bool:
        """Lay out what is on screen, then the rest, then search; False if work is left."""
        document = self._document
        done, top = True, -1
        while done and top != self._top():
            top = self._top()
            done = document.lay_out_lines(top, top + self.size.height - 1, until)
            if self._anchor is not None:
                self._anchor.find(document)
        done = document.lay_out(until) and done
        if self._search is not None:
            self._search.changed(document.touched)
            done = self._search.run(until) and done
            self.searched(self._search)
        return done

    def searched(self, search: Search) -> None:
        """The search went on."""

    def _top(self) -> int:
        """The line that belongs at the top of the screen."""
        last = max(0, self._document.height - self.size.height)
        if self._anchor is None:
            return last
        return min(last, max(0, self._document.offset(self._anchor.place) - self._anchor.row))

    def _place(self) -> None:
        """Put the reader where the anchor says, and draw if something on screen changed."""
        before = self.scroll_offset.y
        self._placing = True
        self.set_height(self._document.height)
        self.scroll_to(y=self._top(), animate=False, force=True)
        self._placing = False
        self.move_thumb()
        if self.scroll_offset.y == before:
            self.refresh_changed()

    def on_resize(self) -> None:
        self._resized()

    def on_show(self) -> None:
        """Take over what changed while this was hidden."""
        self.wake()

    def _resized(self) -> None:
        if not self._is_laid_out:
            return
        if self._anchor is not None:
            self._anchor.remember(self._document)
        self._document.resize(self.scrollable_content_region.width - GUTTER)
        self._painter = None
        self._frame()
        self.refresh()

    # Scrolling

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if not self._placing:
            self.move_thumb()
            if round(old_value) != round(new_value):
                self._scrolled()

    def _scrolled(self) -> None:
        """The reader went somewhere: stay there, or follow the end again."""
        if self.scroll_y >= self.max_scroll_y:
            self._anchor = None
            self.has_new_below = False
        else:
            self._anchor = Anchor(self._document.locate(round(self.scroll_y)))
        top = self.scroll_offset.y
        if self._document.is_pending_in(top, top + self.size.height - 1):
            self._frame()

    def scroll_to_line(self, y: int) -> None:
        """Go to where line `y` is the first on screen."""
        self.scroll_to(y=y, animate=False, force=True)

    def follow(self) -> None:
        """Go to the end, and stay there as the document grows."""
        self._anchor = None
        self.has_new_below = False
        self.wake()

    def reveal(self, place: Place, height: int = 1) -> None:
        """Scroll as little as needed to see `height` lines from a place on, or its beginning."""
        first, rows = self._document.offset(place), self.size.height
        if height > rows or first < self.scroll_offset.y:
            self.scroll_to_line(first)
        elif first + height > self.scroll_offset.y + rows:
            self.scroll_to_line(first + height - rows)

    @property
    def standpoint(self) -> Standpoint:
        """Where the reader is, to come back to."""
        return Standpoint(self._cursor, None if self.following else self.scroll_offset.y)

    def return_to(self, standpoint: Standpoint) -> None:
        """Undo what keys that only move have done since."""
        self.screen.clear_selection()
        self._cursor = standpoint.cursor
        if standpoint.line is None:
            self.follow()
        else:
            self.scroll_to_line(standpoint.line)
        self.refresh()

    def hold(self, index: int) -> None:
        """Keep the first line of an entry where it is while its height changes."""
        row = self._document.offset(Place(index, 0)) - self.scroll_offset.y
        self._anchor = Anchor(Place(index, 0), max(0, row))
        self._document.mark(index)
        self._frame()
        if self.scroll_offset.y >= self.max_scroll_y:
            self._anchor = None

    def on_unmount(self) -> None:
        """No frame comes any more."""
        if self._waking is not None:
            self._waking.cancel()

    # The clock

    def _tick_if_live(self) -> None:
        """Run the ticker while something runs, and not longer."""
        unsettled = self._document.unsettled if self._is_laid_out else ()
        live = any(self._document.view(index).live for index in unsettled)
        if live and self._ticker is None:
            self._ticker = self.set_interval(1 / SPINS, self._tick)
        elif not live and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def _tick(self) -> None:
        for index in self._document.unsettled:
            view = self._document.view(index)
            if view.live:
                self.refresh_line(self._document.offset(Place(index, view.clock_line)))
        self._tick_if_live()

    # Selection

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selected_text(self._document, selection), "\n"

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002
        self.refresh()

    def selected_text(self) -> str | None:
        """The text that is selected here, if any."""
        selection = self.text_selection
        return selected_text(self._document, selection) if selection is not None else None

    def mark_dirty(self, indexes: Iterable[int]) -> None:
        """Entries changed; they are drawn with the next frame."""
        self._dirty.update(indexes)
        self.wake()
