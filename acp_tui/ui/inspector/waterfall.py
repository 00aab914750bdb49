"""Where the time of a turn went, as bars."""

from collections.abc import Callable
from time import perf_counter

from textual.app import ComposeResult
from textual.widgets import Static

from acp_tui.debug.log import Log
from acp_tui.debug.turn_times import TimeSpan, TurnTimes
from acp_tui.ui.inspector import bindings
from acp_tui.ui.inspector.bars import BarList, axis, bars, figures, shown_spans
from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.inspector.table import BUDGET, PAUSE
from acp_tui.ui.toolkit.boxes import PAGE
from acp_tui.ui.toolkit.frame import BoxFrame
from acp_tui.ui.toolkit.screens import OverlayScreen
from acp_tui.ui.turn_reader import TurnReader

TITLE = "Where the time went"
AGAIN = 0.5
"""Seconds between two looks at a turn that goes on."""
KEYS = [("enter", "to its frame"), ("escape", "back")]


class WaterfallPage(OverlayScreen[int]):
    """Reads the turn, which may be long, and shows it; while it goes on, it lasts until `now()`,
    which is None where the agent is gone. Gives the record to go to.
    """

    DEFAULT_CLASSES = PAGE
    BINDINGS = bindings.WATERFALL  # type: ignore[assignment]

    def __init__(
        self, source: LogSource, prompt: int, width: int, now: Callable[[], float | None]
    ) -> None:
        super().__init__()
        self._source = source
        self._log = source.log
        self._prompt = prompt
        self._width = width
        self._now = now
        self._turn = reading_of(self._log, prompt)
        self._read = len(self._log)
        self._times: TurnTimes | None = None
        self._marked = 0
        self._frame = BoxFrame(title=TITLE)
        self._head = Static("reading the turn", markup=False, id="figures")
        self._bars = BarList()
        self._axis = Static(markup=False, id="axis")

    def compose(self) -> ComposeResult:
        with self._frame:
            yield self._head
            yield self._bars
            yield self._axis

    def on_mount(self) -> None:
        """Show the keys, and read."""
        self._frame.offer(KEYS, "waterfall")
        self._work()

    def _work(self) -> None:
        """Read on, until all is read; of a turn that goes on, what is known so far, again and again."""
        goes_on = self._log[self._prompt].partner is None
        found = self._turn.work(perf_counter() + BUDGET, self._now() if goes_on else None)
        if found is None:
            if self._times is None:
                self._head.update(f"reading the turn: {self._turn.share:.0%}")
            self.set_timer(PAUSE, self._work)
            return
        self._show(found)
        self._frame.entitle(f"{TITLE} so far" if goes_on else TITLE)
        self._go_on()

    def _show(self, turn: TurnTimes) -> None:
        cursor = self._bars.cursor
        if self._times is not None:
            marked = shown_spans(self._times)[cursor : cursor + 1]
            same = (at for at, one in enumerate(shown_spans(turn)) if _shows_same(one, marked))
            cursor = next(same, cursor)
        self._times, self._marked = turn, cursor
        self._head.update(figures(turn, self._width - 2))
        self._bars.show([*bars(turn, self._width)], cursor)
        self._axis.update(axis(turn, self._width))

    def _go_on(self) -> None:
        """Look again when there may be more of the turn: it goes on, or the log is still being
        read.
        """
        self._source.work(perf_counter() + BUDGET)
        goes_on = self._log[self._prompt].partner is None
        if len(self._log) != self._read:
            self._read = len(self._log)
            self._turn = reading_of(self._log, self._prompt)
            self._work()
        elif goes_on:
            self.set_timer(AGAIN, self._go_on if self._now() is None else self._work)

    # Keys

    def action_move(self, step: int) -> None:
        """Mark the bar above or below."""
        self._bars.move(step)
        self._marked = self._bars.cursor

    def action_page(self, pages: int) -> None:
        """Mark a bar a page on."""
        self._bars.page(pages)
        self._marked = self._bars.cursor

    def on_listing_clicked(self, event: BarList.Clicked) -> None:
        """Mark what was clicked on; a second click leads to its frame."""
        event.stop()
        if event.index == self._marked:
            self.action_open()
        self._marked = event.index

    def action_open(self) -> None:
        """Go to the frame that shows first what is marked."""
        spans = shown_spans(self._times) if self._times is not None else []
        if self._bars.cursor < len(spans):
            self.dismiss(self._prompt + spans[self._bars.cursor].place)

    def action_close(self) -> None:
        """Close."""
        self.dismiss(None)


def _shows_same(span: TimeSpan, marked: list[TimeSpan]) -> bool:
    """Return whether a span is the marked one, of a turn that was read again."""
    return any(
        (span.place, span.start, span.share) == (one.place, one.start, one.share) for one in marked
    )


def turn_at(log: Log, index: int) -> int | None:
    """The prompt of the turn that runs at a record, in its session if it has one; else of the one
    before it.
    """
    return log.prompt_before(index, log[index].session)


def reading_of(log: Log, prompt: int) -> TurnReader:
    """Take a turn apart as far as it is read."""
    row = log[prompt]
    last = len(log) - 1 if row.partner is None else row.partner
    places = range(prompt, last + 1)
    return TurnReader(log.records, places, row.session, row.at, log.times[last])
