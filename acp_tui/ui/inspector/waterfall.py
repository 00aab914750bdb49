"""Where the time of a turn went, as bars."""

from collections.abc import Callable, Iterator
from textwrap import wrap
from time import perf_counter

from textual.content import Content

from acp_tui.formatting import exact_duration
from acp_tui.text import clean_line
from acp_tui.ui.inspector.columns import fit
from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.inspector.table import BUDGET, PAUSE
from acp_tui.ui.inspector.turns import reading_of
from acp_tui.ui.page import Page
from acp_tui.wire.turn_times import Share, TimeSpan, TurnTimes, summary

STYLES = {
    Share.MODEL: "$primary",
    Share.TOOL: "$success",
    Share.PERSON: "$warning",
    Share.CLIENT: "$accent",
}
NAMES, MOST_NAMES = 30, 60
"""Cells for the names beside the bars of a waterfall, and where there is much room."""
DURATION = 8
"""Cells for how long it took."""
MOST_SPANS = 500
TITLE = "Where the time went"
AGAIN = 0.5
"""Seconds between two looks at a turn that goes on."""
HARD = "\N{NO-BREAK SPACE}"


class WaterfallPage(Page):
    """Reads the turn, which may be long, and shows it; while it goes on, it lasts until `now()`,
    which is None where the agent is gone.
    """

    def __init__(
        self, source: LogSource, prompt: int, width: int, now: Callable[[], float | None]
    ) -> None:
        super().__init__(TITLE, [Content("reading the turn")])
        self._source = source
        self._log = source.log
        self._prompt = prompt
        self._width = width
        self._now = now
        self._turn = reading_of(self._log, prompt)
        self._read = len(self._log)
        self._is_shown = False

    def on_mount(self) -> None:
        """Read on, until all is read; of a turn that goes on, what is known so far, again and again."""
        goes_on = self._log[self._prompt].partner is None
        found = self._turn.work(perf_counter() + BUDGET, self._now() if goes_on else None)
        if found is None:
            if not self._is_shown:
                self.show_lines([Content(f"reading the turn: {self._turn.share:.0%}")])
            self.set_timer(PAUSE, self.on_mount)
            return
        self._is_shown = True
        self.show_lines(list(waterfall(found, self._width)))
        self._frame.entitle(f"{TITLE} so far" if goes_on else TITLE)
        self._go_on()

    def _go_on(self) -> None:
        """Look again when there may be more of the turn: it goes on, or the log is still being
        read.
        """
        self._source.work(perf_counter() + BUDGET)
        goes_on = self._log[self._prompt].partner is None
        if len(self._log) != self._read:
            self._read = len(self._log)
            self._turn = reading_of(self._log, self._prompt)
            self.on_mount()
        elif goes_on:
            self.set_timer(AGAIN, self._go_on if self._now() is None else self.on_mount)


def waterfall(turn: TurnTimes, width: int) -> Iterator[Content]:
    """The spans of a turn as bars over its time."""
    yield from map(Content, _wrapped(summary(turn), width - 2))
    there = {span.share for span in turn.spans}
    yield Content.assemble(*((f"██ {share}  ", STYLES[share]) for share in Share if share in there))
    yield Content()
    names = min(MOST_NAMES, max(NAMES, width // 3))
    room = max(10, width - names - DURATION - 2)
    for span in turn.spans[:MOST_SPANS]:
        yield _bar(turn, span, names, room)
    if len(turn.spans) > MOST_SPANS:
        yield Content(f"… {len(turn.spans) - MOST_SPANS:,} more")
    yield Content.styled(f"{'':<{names}} {_axis(turn.seconds, room)}", "$text-muted")


def _axis(seconds: float, room: int) -> str:
    """The times below the bars: at their ends, and around quarters where there is room."""
    parts = 4 if room >= 4 * (DURATION + 2) else 1
    cells = [" "] * room
    for part in range(parts + 1):
        words = exact_duration(seconds * part / parts) if part else "0s"
        middle = room * part // parts - len(words) // 2
        at = max(0, min(middle, room - len(words)))
        cells[at : at + len(words)] = words
    return "".join(cells)


def _wrapped(told: str, width: int) -> Iterator[str]:
    """The figures of a turn in lines, each with its name."""
    for line in wrap(told.replace(" ", HARD).replace(f"{HARD}·{HARD}", f"{HARD}· "), width):
        yield line.replace(HARD, " ")


def _bar(turn: TurnTimes, span: TimeSpan, names: int, room: int) -> Content:
    end = turn.end if span.end is None else span.end
    scale = room / turn.seconds if turn.seconds else 0.0
    start = min(room - 1, int((span.start - turn.start) * scale))
    length = max(1, min(room - start, round((end - span.start) * scale)))
    open_end = "…" if span.end is None else ""
    took = f"{exact_duration(end - span.start):>{DURATION}}{open_end}"
    return Content.assemble(
        fit(clean_line(span.name), names),
        " " * (start + 1),
        ("█" * length, STYLES[span.share]),
        (" " * (room - start - length) + took, "$text-muted"),
    )
