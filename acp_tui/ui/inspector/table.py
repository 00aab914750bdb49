"""The table of frames, which reads new frames and moves its cursor."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from time import perf_counter

from textual import events
from textual.message import Message
from textual.timer import Timer

from acp_tui.debug.view import Group, LogView
from acp_tui.ui.inspector import bindings
from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.inspector.rows_view import RowsView

FRAME = 1 / 20
"""Seconds before new records are read."""
BUDGET = 0.008
"""Seconds of reading in one slice."""
PAUSE = 0.001
"""Seconds for other tasks between slices."""
REDRAW = 0.2
"""Seconds between redraws while a long log is being read."""


class FrameTable(RowsView, can_focus=True):
    """The rows of a source. The cursor stays on its record, or follows new frames from the last
    row.
    """

    BINDINGS = bindings.FRAMES  # type: ignore[assignment]

    class CursorMoved(Message):
        """The cursor has moved to another record."""

    class Opened(Message):
        """The user opened the frame under the cursor."""

    @dataclass
    class Nothing(Message):
        """A key found nothing to go to; `words` explain that."""

        words: str

    @dataclass
    class SourceRead(Message):
        """The source was read; `news` is whether it changed."""

        news: bool

    def __init__(self, source: LogSource) -> None:
        super().__init__(source)
        self.following = True
        self.goal: int | None = None
        """The index of a record to go to once it is read."""
        self._staying = False
        self._timer: Timer | None = None
        self._seen = (0, 0)
        self._renewed = 0.0

    # Reading

    def on_mount(self) -> None:
        """Start reading: `wake` has no effect before the table is mounted."""
        self._timer = self.set_timer(PAUSE, self._read_source)

    def on_resize(self) -> None:
        self.renew()
        top, position = self.scroll_offset.y, self.position
        if position >= 0 and not top <= position < top + self.size.height - 1:
            self._center(position)

    def wake(self, delay: float = FRAME) -> None:
        """Read new records, after a delay in seconds."""
        if self._timer is None and self.is_mounted:
            self._timer = self.set_timer(delay, self._read_source)

    def _read_source(self) -> None:
        self._timer = None
        now = perf_counter()
        done = self.source.work(now + BUDGET)
        if done or now - self._renewed > REDRAW:
            self._renewed = now
            self.renew()
        if not done:
            self.wake(PAUSE)

    def renew(self) -> None:
        """Show the current rows."""
        count = len(self.source.view)
        self.set_height(count + 1)
        if self.goal is not None and self.goal < self.source.view.seen:
            self.go_to_record(self.goal)
        elif self._staying and (self._at or 0) < self.source.view.seen:
            self._staying = False
            self._center(self.position)
        elif self.following or self._at is None:
            self._put_cursor(count - 1)
        seen = (len(self.source.log), count)
        self.post_message(self.SourceRead(seen != self._seen))
        self._seen = seen
        self.refresh()

    # The cursor

    @property
    def at(self) -> int | None:
        """The index of the first record in the row under the cursor."""
        return self._at

    @property
    def group(self) -> Group | None:
        """The row under the cursor."""
        position = self.position
        return self.source.view[position] if position >= 0 else None

    @property
    def played_time(self) -> float | None:
        """The position of a replay in seconds; None if there is none, or the log isn't read that
        far.
        """
        played, times = 0 if self.played is None else self.played(), self.source.log.times
        return times[played - 1] - times[0] if 0 < played <= len(times) else None

    def move_to(self, position: int) -> None:
        """Move the cursor to a row; on the last one, follow new frames."""
        last = len(self.source.view) - 1
        self.following = position >= last
        self.goal = None
        self._put_cursor(min(max(position, 0), last))
        self.refresh()

    def go_to_record(self, index: int) -> None:
        """Move the cursor to the row of a record and center it, once the record is read."""
        self.goal = index if index >= self.source.view.seen else None
        if self.goal is not None:
            self.wake(PAUSE)
            self.post_message(self.SourceRead(False))
        elif len(self.source.view):
            position = self.source.view.position_of(index)
            self.following = False
            self._put_cursor(position)
            self._center(position)
            self.refresh()

    def refilter(self) -> None:
        """Show the rows of a changed filter, around the same record."""
        self._staying = not self.following and self._at is not None
        self.wake(PAUSE)
        self.renew()

    def _center(self, position: int) -> None:
        self._scroll_y(position + 1 - self.size.height // 2)

    def _put_cursor(self, position: int) -> None:
        at = self.source.view[position].first.index if position >= 0 else None
        if position >= 0:
            self._scroll_to_row(position)
        if at != self._at:
            self._at = at
            self.post_message(self.CursorMoved())

    def _scroll_to_row(self, position: int) -> None:
        rows = max(1, self.size.height - 1)
        top = self.scroll_offset.y
        if position < top:
            self._scroll_y(position)
        elif position >= top + rows:
            self._scroll_y(position - rows + 1)

    def _scroll_y(self, y: int) -> None:
        self.scroll_to(y=y, animate=False, force=True, immediate=True)

    # Keys

    def action_move(self, step: int) -> None:
        """Move the cursor by rows."""
        self.move_to(self.position + step)

    def action_pages(self, step: int) -> None:
        """Move the cursor by pages."""
        self.move_to(self.position + step * max(1, self.size.height - 2))

    def action_first(self) -> None:
        """Go to the first row."""
        self.move_to(0)

    def action_last(self) -> None:
        """Go to the last row, and follow new frames."""
        self.move_to(len(self.source.view) - 1)

    def action_pause(self) -> None:
        """Stop or resume following new frames."""
        if self.following:
            self.following = False
            self.post_message(self.SourceRead(False))
        else:
            self.action_last()

    def action_open(self) -> None:
        """Fold or unfold the chunks of a message; any other frame is opened in the detail."""
        group, position = self.group, self.position
        if group is None or self._at is None:
            return
        if not self.source.view.folds(group):
            self.post_message(self.Opened())
            return
        self.source.view.toggle(position)
        self.following = False
        self.go_to_record(group.first.run if len(group) == 1 else self._at)
        self.renew()
        self.post_message(self.CursorMoved())

    def action_mark(self) -> None:
        """Set or remove a bookmark."""
        if self._at is not None:
            self.bookmarks = sorted({*self.bookmarks} ^ {self._at})
            self.refresh()

    def action_next_mark(self) -> None:
        """Go to the next bookmark; wrap around at the end."""
        found = self._next(self.bookmarks, 1, "no bookmark: m sets one")
        if found is not None:
            self.go_to_record(found)

    def action_finding(self, step: int) -> None:
        """Go to the next or previous finding; unfold the message if the finding is in one of its
        chunks.
        """
        group, places = self.group, self.source.log.findings.places
        inside = list(group.among(places)) if group is not None and len(group) > 1 else []
        found = inside[0 if step > 0 else -1] if inside else self._next(places, step, "no finding")
        if found is not None:
            self._go_to_chunk(found)

    def _go_to_chunk(self, index: int) -> None:
        """Move the cursor to a record; unfold its message, so that the record has its own row."""
        view = self.source.view
        position = view.position_of(index)
        if len(view[position]) > 1:
            view.toggle(position)
            self.set_height(len(view) + 1)
            self.post_message(self.CursorMoved())
        self.go_to_record(index)

    def _next(self, indexes: Sequence[int], step: int, nothing: str) -> int | None:
        """Return the next of these records that is shown; if there is none, post `nothing` as the
        reason.
        """
        group = self.group
        found = next_shown(self.source.view, indexes, group, step) if group is not None else None
        if found is None:
            self.post_message(self.Nothing(nothing))
        return found

    def action_partner(self) -> None:
        """Go from a request to its response, or back."""
        group = self.group
        partner = group.first.partner if group is not None else None
        if partner is None:
            alone = "no pair: this is neither a request with a response nor a response"
            self.post_message(self.Nothing(alone))
        else:
            self.go_to_record(partner)

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the clicked row; a second click opens it."""
        position = event.y - 1 + self.scroll_offset.y
        if event.y < 1 or position >= len(self.source.view):
            return
        if position == self.position:
            self.action_open()
        else:
            self.move_to(position)


def next_shown(view: LogView, indexes: Sequence[int], group: Group, step: int) -> int | None:
    """Return the nearest of some records (ascending) that matches the filter: after a group, or
    before it if `step` is negative; wraps around.
    """
    return next(
        (index for index in _nearest_first(indexes, group, step) if _is_shown(view, index)), None
    )


def _nearest_first(indexes: Sequence[int], group: Group, step: int) -> Iterator[int]:
    if step > 0:
        start = bisect_right(indexes, group.last.index)
        places = chain(range(start, len(indexes)), range(start))
    else:
        start = bisect_left(indexes, group.first.index)
        places = chain(range(start - 1, -1, -1), range(len(indexes) - 1, start - 1, -1))
    return (indexes[place] for place in places)


def _is_shown(view: LogView, index: int) -> bool:
    return index < view.seen and index in view[view.position_of(index)]
