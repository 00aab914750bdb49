"""Where the time of a turn went: a bar for each wait, tool and answer, which leads to its frame."""

from collections.abc import Callable, Iterator
from textwrap import wrap
from time import perf_counter

from textual.app import ComposeResult
from textual.content import Content
from textual.style import Style
from textual.widgets import Static

from acp_tui.debug.log import Log
from acp_tui.debug.turn_bounds import find_turn_end, next_prompt
from acp_tui.debug.turn_times import Share, TimeSpan, TurnTimes, summarize_times
from acp_tui.formatting import exact_duration
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.inspector import bindings
from acp_tui.ui.inspector.columns import fit_content
from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.inspector.table import BUDGET, PAUSE
from acp_tui.ui.toolkit.boxes import PAGE, BoxFrame
from acp_tui.ui.toolkit.dialogs.listing import GroundedListing
from acp_tui.ui.toolkit.screens import OverlayScreen
from acp_tui.ui.toolkit.timers import DeferredWork
from acp_tui.ui.turn_reader import TurnReader

STYLES = {
    Share.MODEL: "$primary",
    Share.TOOL: "$success",
    Share.PERSON: "$warning",
    Share.CLIENT: "$accent",
}
NAMES, MOST_NAMES = 30, 60
"""Cells for the names beside the bars: at least, and on a wide screen."""
DURATION = 8
"""Cells for a duration."""
MOST_SPANS = 500
"""Most bars of a turn; the rest are only counted, below the last bar."""
INDENT, DEEPEST = "  ", 6
"""The indent of a subagent's spans, and the deepest level that is indented: names need room."""
HARD = "\N{NO-BREAK SPACE}"
PAGE_ROWS = 8
"""Rows of the page without bars: its edges, the figures, the legend, a gap, and the axis."""
MARK_AND_BAR = 3
"""Cells of a row for the mark and the scrollbar."""


class BarList(GroundedListing):
    """The list of bars. The tint of the marked row follows once no key was pressed for a moment."""

    def __init__(self) -> None:
        super().__init__()
        self.around, self.share = PAGE_ROWS, 1.0
        self._deferred = DeferredWork(self, self.ground)

    def move_to(self, index: int) -> None:
        """Mark this row."""
        super().move_to(index)
        self._deferred.defer()

    def move(self, step: int) -> None:
        """Move the mark by `step` rows."""
        super().move(step)
        self._deferred.defer()

    def tint(self, row: Content, width: int) -> Content:
        """Tint a row; its text and bar keep their colors."""
        shown = Style.from_rich_style(Palette.of(self.app)["row.shown"])
        rest = " " * max(0, width - row.cell_length)
        return Content.assemble(row, rest).stylize_before(shown)


def draw_figures(turn: TurnTimes, width: int) -> Content:
    """Format the times of a turn, and a legend of the bars' colors."""
    there = {span.share for span in turn.spans}
    signs = Content.assemble(
        *((f"██ {share}  ", STYLES[share]) for share in Share if share in there)
    )
    return Content("\n").join([*map(Content, _wrap_figures(summarize_times(turn), width)), signs])


def shown_spans(turn: TurnTimes) -> list[TimeSpan]:
    """Return the spans that have bars: the waits for the first chunk, then the other spans by
    start.
    """
    return [*turn.waits, *turn.spans[:MOST_SPANS]]


def draw_bars(turn: TurnTimes, width: int) -> Iterator[Content]:
    """Draw a bar for each span of a turn."""
    names, room = _columns(width)
    for wait in turn.waits:
        yield _row(turn, wait, names, room, "─", "$foreground")
    for span in turn.spans[:MOST_SPANS]:
        yield _row(turn, span, names, room, "█", STYLES[span.share])


def draw_axis(turn: TurnTimes, width: int) -> Content:
    """Draw the time axis, and the number of spans without a bar."""
    names, room = _columns(width)
    left_out = len(turn.spans) - MOST_SPANS
    more = f"… {left_out:,} more" if left_out > 0 else ""
    return Content.styled(f" {more:<{names}} {_times(turn.seconds, room)}", "$text-muted")


def _columns(width: int) -> tuple[int, int]:
    """Return the cells for names, and for the longest bar."""
    names = min(MOST_NAMES, max(NAMES, width // 3))
    return names, max(10, width - names - DURATION - 2 - MARK_AND_BAR)


def _times(seconds: float, room: int) -> str:
    """Format the axis: the times at both ends, and at quarters if there is room."""
    parts = 4 if room >= 4 * (DURATION + 2) else 1
    cells = [" "] * room
    for part in range(parts + 1):
        words = exact_duration(seconds * part / parts) if part else "0s"
        middle = room * part // parts - len(words) // 2
        at = max(0, min(middle, room - len(words)))
        cells[at : at + len(words)] = words
    return "".join(cells)


def _wrap_figures(summary: str, width: int) -> Iterator[str]:
    """Wrap the figures of a turn; a figure stays on one line with its name."""
    for line in wrap(summary.replace(" ", HARD).replace(f"{HARD}·{HARD}", f"{HARD}· "), width):
        yield line.replace(HARD, " ")


def _row(turn: TurnTimes, span: TimeSpan, names: int, room: int, sign: str, style: str) -> Content:
    end = turn.end if span.end is None else span.end
    scale = room / turn.seconds if turn.seconds else 0.0
    start = min(room - 1, int((span.start - turn.start) * scale))
    length = max(1, min(room - start, round((end - span.start) * scale)))
    open_end = "…" if span.end is None else ""
    took = f"{exact_duration(end - span.start):>{DURATION}}{open_end}"
    return Content.assemble(
        fit_content(f"{INDENT * min(span.depth, DEEPEST)}{span.name}", names),
        " " * (start + 1),
        (sign * length, style),
        (" " * (room - start - length) + took, "$text-muted"),
    )


TITLE = "Where the time went"
REREAD_INTERVAL = 0.5
"""Seconds between two readings of a running turn."""
KEYS = [("enter", "to its frame"), ("escape", "back")]


class WaterfallPage(OverlayScreen[int]):
    """Reads a turn in slices and draws it; dismissed with the index of the record to go to.

    A running turn lasts until `now()`, which is None once the agent is gone.
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
        self._read_turn()

    def _read_turn(self) -> None:
        """Read a slice of the turn; draw it once everything is read."""
        is_running = _end_so_far(self._log, self._prompt) is None
        found = self._turn.work(perf_counter() + BUDGET, self._now() if is_running else None)
        if found is None:
            if self._times is None:
                self._head.update(f"reading the turn: {self._turn.share:.0%}")
            self.set_timer(PAUSE, self._read_turn)
            return
        self._show_turn(found)
        self._frame.entitle(f"{TITLE} so far" if is_running else TITLE)
        self._read_again()

    def _show_turn(self, turn: TurnTimes) -> None:
        cursor = self._bars.cursor
        if self._times is not None:
            marked = shown_spans(self._times)[cursor : cursor + 1]
            same = (at for at, one in enumerate(shown_spans(turn)) if _shows_same(one, marked))
            cursor = next(same, cursor)
        self._times, self._marked = turn, cursor
        self._head.update(draw_figures(turn, self._width - 2))
        self._bars.show([*draw_bars(turn, self._width)], cursor)
        self._axis.update(draw_axis(turn, self._width))

    def _read_again(self) -> None:
        """Read the turn again if it may have grown: it is running, or the log is still being read."""
        self._source.work(perf_counter() + BUDGET)
        is_running = _end_so_far(self._log, self._prompt) is None
        if len(self._log) != self._read:
            self._read = len(self._log)
            self._turn = reading_of(self._log, self._prompt)
            self._read_turn()
        elif is_running:
            self.set_timer(
                REREAD_INTERVAL, self._read_again if self._now() is None else self._read_turn
            )

    # Keys

    def action_move(self, step: int) -> None:
        """Mark the bar above or below."""
        self._bars.move(step)
        self._marked = self._bars.cursor

    def action_page(self, pages: int) -> None:
        """Move the mark by pages."""
        self._bars.page(pages)
        self._marked = self._bars.cursor

    def on_listing_row_clicked(self, event: BarList.RowClicked) -> None:
        """Mark the clicked bar; a second click goes to its frame."""
        event.stop()
        if event.index == self._marked:
            self.action_open()
        self._marked = event.index

    def action_open(self) -> None:
        """Go to the first frame of the marked bar."""
        spans = shown_spans(self._times) if self._times is not None else []
        if self._bars.cursor < len(spans):
            self.dismiss(self._prompt + spans[self._bars.cursor].place)


def _shows_same(span: TimeSpan, marked: list[TimeSpan]) -> bool:
    """Return whether a span is the marked one, in a turn that was read again."""
    return any(
        (span.place, span.start, span.share) == (one.place, one.start, one.share) for one in marked
    )


def _end_so_far(log: Log, prompt: int) -> int | None:
    """Return the index of a turn's last record; None while it is running.

    A turn without a reported end ends before the next prompt.
    """
    end, following = find_turn_end(log, prompt), next_prompt(log, prompt)
    return following - 1 if end is None and following is not None else end


def reading_of(log: Log, prompt: int) -> TurnReader:
    """Start reading the spans of a turn, up to the last record read so far."""
    row, end = log[prompt], _end_so_far(log, prompt)
    last = len(log) - 1 if end is None else end
    places = range(prompt, last + 1)
    return TurnReader(log.records, places, row.session, row.at, log.times[last])
