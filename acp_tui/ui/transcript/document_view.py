"""A widget that scrolls a document and draws only the lines on screen."""

from collections.abc import Iterable
from functools import partial

from textual.selection import Selection
from textual.strip import Strip

from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.lines.lines import BUDGET
from acp_tui.ui.textual_fixes.line_scroll_view import DrawnRow, LineScrollView
from acp_tui.ui.transcript.document import GUTTER, Document, LinePlace
from acp_tui.ui.transcript.entry_cursor import EntryCursor
from acp_tui.ui.transcript.frames import PAUSE, EntryClocks, FrameTimer
from acp_tui.ui.transcript.painter import Painter
from acp_tui.ui.transcript.reading_place import ReadingPlace, Standpoint
from acp_tui.ui.transcript.search import Search
from acp_tui.ui.transcript.selected_text import selected_text


class Painting:
    """Caches a view's painter: as long as it is the same, unchanged rows are the same objects and
    aren't sent again.
    """

    def __init__(self, view: "DocumentView") -> None:
        self._view = view
        self._is_current = False
        self._painter: Painter | None = None
        self._colors: tuple[object, ...] = ()
        """The document, colors and width for which the painter was made."""

    def renew(self) -> None:
        """Check the colors and the width again before the next row."""
        self._is_current = False

    def release(self) -> None:
        """Drop the painter, which would keep the document in memory."""
        self._painter, self._colors = None, ()

    @property
    def painter(self) -> Painter:
        """The painter for the current colors and width."""
        if self._painter is None or not self._is_current:
            self._painter = self._current_painter()
            self._is_current = True
        return self._painter

    def _current_painter(self) -> Painter:
        view = self._view
        width = view.scrollable_content_region.width
        _, background = view.background_colors
        palette, base, filters = Palette.of(view.app), view.rich_style, view.get_line_filters()
        colors = (view.document, palette, base, width, background, *filters)
        if self._painter is None or self._colors != colors:
            self._colors = colors
            applied = [partial(one.apply, background=background) for one in filters]
            return Painter(view.document, palette, base, width, applied)
        return self._painter


class DocumentView(LineScrollView, can_focus=True):
    """Shows a document, and follows its end until the user scrolls up.

    Works in frames of a few milliseconds, each of which applies changes, lays them out, and draws.
    No timer runs while there is nothing to do and no entry has a running clock.
    """

    ALLOW_SELECT = True

    document: Document

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.cursor = EntryCursor(self)
        self._frames = FrameTimer(lambda: self.call_next(self.frame))
        self._clocks = EntryClocks(
            self, lambda: self.document if self._is_laid_out else None, self.refresh_line
        )
        self._painting = Painting(self)
        self._placing = False
        self.open_document(document)

    def open_document(self, document: Document) -> None:
        """Show another document, from its end."""
        self.document = document
        self.cursor.index = None
        self._reader = ReadingPlace()
        self._dirty: set[int] = set()
        self._painting.renew()
        document.grow()
        if self._is_laid_out:
            self.rewrap()

    def on_unmount(self) -> None:
        """Cancel the next frame."""
        self._frames.cancel()
        self._painting.release()

    @property
    def top(self) -> int:
        """The first line on screen."""
        return self.scroll_offset.y

    @property
    def rows(self) -> int:
        """The number of lines on screen."""
        return self.size.height

    @property
    def following(self) -> bool:
        """Whether the end stays in view."""
        return self._reader.following

    @property
    def last_on_screen(self) -> int:
        """The last entry with a line on screen."""
        return self.document.between(self.top, self.top + self.rows - 1).stop - 1

    @property
    def is_busy(self) -> bool:
        """Whether a frame is scheduled."""
        return self._frames.is_set

    @property
    def is_ticking(self) -> bool:
        """Whether a clock or a spinner is being redrawn."""
        return self._clocks.are_running

    @property
    def _is_laid_out(self) -> bool:
        region = self.scrollable_content_region
        return self.is_mounted and region.width > GUTTER and region.height > 0

    def show_new_below(self) -> None:
        """Show a note in the last row about new output below, until the end is followed again."""
        self._reader.has_new_below = True

    # Frames

    def mark_dirty(self, indexes: Iterable[int]) -> None:
        """Redraw these changed entries in the next frame."""
        self._dirty.update(indexes)
        self.wake()

    def wake(self, delay: float | None = None) -> None:
        """Schedule a frame, in `delay` seconds or as soon as the frame rate allows."""
        if self._is_laid_out:
            self._frames.set(delay)

    def frame(self) -> None:
        """Apply changes, and lay out as much as fits into one frame."""
        self._frames.cancel()
        if not self._is_laid_out:
            return
        started = self._frames.begin()
        if not self.is_wrapped:  # its Resize is still pending
            self.wrap_for_width()
        self.document.grow()
        for index in self._dirty:
            self.document.mark(index)
        self._dirty.clear()
        done = self.lay_out(started + BUDGET)
        self._scroll_to_reader()
        if done and self.has_focus:
            self.cursor.place()
        self._reader.release(self.document, self.top, self.max_scroll_y)
        self.document.touched.clear()
        if not done:
            self.wake(PAUSE)
        self._clocks.update()

    def lay_out(self, until: float) -> bool:
        """Lay out what is on screen, then the rest; return False if work is left."""
        document = self.document
        done, before, top = True, -1, self._reader.top(document, self.rows)
        while done and top != before:
            done = document.lay_out_lines(top, top + self.rows - 1, until)
            self._reader.find(document)
            before, top = top, self._reader.top(document, self.rows)
        return document.lay_out(until) and done

    def _scroll_to_reader(self) -> None:
        """Scroll to the reading place, and draw if anything on screen changed."""
        before = self.top
        self._placing = True
        self.set_height(self.document.height)
        self.scroll_to_line(self._reader.top(self.document, self.rows))
        self._placing = False
        self.move_thumb()
        if self.top == before:
            self.refresh_changed()

    def on_show(self) -> None:
        """Apply changes made while the view was hidden, such as another prose width."""
        self.rewrap()

    def on_resize(self) -> None:
        self.rewrap()

    def rewrap(self) -> None:
        """Wrap all lines again, keeping the same text at the top of the screen."""
        if not self._is_laid_out:
            return
        self.wrap_for_width()
        self.frame()
        self.refresh()

    @property
    def _text_width(self) -> int:
        return self.scrollable_content_region.width - GUTTER

    @property
    def is_wrapped(self) -> bool:
        """Whether all lines are wrapped, or scheduled to be, for the current width."""
        return self.document.is_laid_out_for(self._text_width)

    def wrap_for_width(self) -> None:
        """Schedule all lines to be wrapped again if the width or the prose width has changed."""
        self._reader.remember(self.document)
        if self.document.resize(self._text_width):
            self._painting.renew()

    def split_diffs(self) -> bool:
        """Toggle between side-by-side diffs and one column; return whether they are now split."""
        self._reader.remember(self.document)
        split = self.document.split_diffs()
        self.frame()
        return split

    # Scrolling

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if not self._placing:
            self.move_thumb()
            if round(old_value) != round(new_value):
                self.scrolled()

    def scrolled(self) -> None:
        """Stay where the user scrolled to, or follow the end again."""
        if self.scroll_y >= self.max_scroll_y:
            self._reader.follow()
        else:
            self._reader.anchor_at(self.document.locate(round(self.scroll_y)))
        self.cursor.keep_on_screen()
        if self.document.is_pending_in(self.top, self.top + self.rows - 1):
            self.frame()

    def scroll_to_line(self, y: int) -> None:
        """Make line `y` the first on screen."""
        self.scroll_to(y=y, animate=False, force=True)

    def follow(self) -> None:
        """Go to the end, and stay there as the document grows."""
        self._reader.follow()
        self.wake()

    def stop_following(self) -> None:
        """Keep the lines on screen where they are as the document grows."""
        if self.document.height:
            self._reader.anchor_at(self.document.locate(self.top))

    def reveal(self, place: LinePlace, height: int = 1) -> None:
        """Scroll as little as needed to show `height` lines from a place, or the first of them."""
        first = self.document.offset(place)
        if height > self.rows or first < self.top:
            self.scroll_to_line(first)
        elif first + height > self.top + self.rows:
            self.scroll_to_line(first + height - self.rows)

    def pin_entry(self, index: int, *, reveal: bool = False) -> None:
        """Keep an entry's first line in its row while its height changes.

        With `reveal`, scroll up until the whole entry is on screen, or until it fills half of the
        screen if it doesn't fit.
        """
        row = self.document.offset(LinePlace(index, 0)) - self.top
        self._reader.pin(LinePlace(index, 0), row, reveal=reveal)
        self.document.mark(index)
        self.frame()

    @property
    def standpoint(self) -> Standpoint:
        """The current reading place, for `return_to`."""
        return Standpoint(self.cursor.index, None if self.following else self.top)

    def return_to(self, standpoint: Standpoint) -> None:
        """Go back to a saved reading place, and clear the selection."""
        self.screen.clear_selection()
        self.cursor.index = standpoint.cursor
        if standpoint.line is None:
            self.follow()
        else:
            self.scroll_to_line(standpoint.line)
        self.refresh()

    # Drawing

    def forget_rows(self) -> None:
        self._painting.renew()

    @property
    def matches(self) -> Search | None:
        """The search whose matches are highlighted."""
        return None

    @property
    def grounded(self) -> LinePlace | None:
        """The line that is drawn on the background of the marked entry."""
        return None

    def row(self, y: int) -> DrawnRow:
        painter = self._painting.painter
        line = y + self.top
        if line >= self.document.height:
            return painter.blank
        place = self.document.locate(line)
        is_marked = self.has_focus or self.grounded is not None  # the sign needs its background
        has_cursor = is_marked and place.entry == self.cursor.index
        row = painter.row(place, has_cursor, place == self.grounded)
        if self.matches is not None and (parts := self.matches.in_line(place)):
            row = painter.matched(row, parts)
        selection = self.text_selection
        span = selection.get_span(line) if selection is not None else None
        if span is not None:
            row = painter.selected(row, span)
        is_last = y == self.rows - 1
        return painter.with_new_below(row) if self._reader.has_new_below and is_last else row

    def render_line(self, y: int) -> Strip:
        """Return row `y` of the screen with the offsets by which Textual finds the text under the
        mouse.

        `row` leaves them out: they depend on the lines above, so a change there would redraw all
        rows below it.
        """
        row, line = self.row(y), y + self.top
        return row.apply_offsets(0, line) if line < self.document.height else row

    # Selection

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selected_text(self.document, selection), "\n"

    def selected_text(self) -> str | None:
        """Return the text that is selected here; None if there is no selection."""
        selection = self.text_selection
        return selected_text(self.document, selection) if selection is not None else None
