"""Pages over the inspector: statistics, and the choice of columns."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import median

from textual.app import ComposeResult
from textual.content import Content

from acp_tui.debug.log import Log
from acp_tui.debug.numbers import sparkline, turn_numbers
from acp_tui.formatting import NOTABLE_WAIT, exact_duration
from acp_tui.protocol import schema
from acp_tui.text import clean_line
from acp_tui.ui.inspector import bindings
from acp_tui.ui.inspector.columns import COLUMNS, ColumnNeeds, FrameColumn, fit_cell, why_not_shown
from acp_tui.ui.toolkit.boxes import QUESTION, BoxFrame
from acp_tui.ui.toolkit.dialogs.listing import tint_row
from acp_tui.ui.toolkit.dialogs.option_list import Option, Options
from acp_tui.ui.toolkit.screens import OverlayScreen, Page
from acp_tui.ui.toolkit.timers import DeferredWork

_HEAD = "bold $accent"
_NAME, _MOST_NAME, _COUNT, _SPAN = 34, 56, 7, 8
_BARS = 20
"""Most cells of a row of bars."""


class StatisticsPage(Page):
    """Shows the statistics of one log; a key opens those of all recordings."""

    BINDINGS = bindings.STATISTICS
    PLACE = "numbers"

    def __init__(self, title: str, lines: Iterable[Content]) -> None:
        super().__init__(title, lines, keys=[("S", "all recordings")])


class ColumnRows(Options):
    """The columns to choose from. The tint of the marked row follows once no key was pressed for a
    moment.
    """

    def __init__(self, options: Sequence[Option], chosen: Sequence[object]) -> None:
        super().__init__(options, chosen, several=True)
        self._grounded = self._cursor
        self._deferred = DeferredWork(self, self._ground)

    def action_move(self, step: int) -> None:
        """Move the cursor to the previous or next row."""
        super().action_move(step)
        self._deferred.defer()

    def action_choose(self) -> None:
        """Select or deselect the marked column."""
        super().action_choose()
        self._deferred.defer()

    def _ground(self) -> None:
        if self._grounded != self._cursor:
            self._grounded = self._cursor
            self.refresh()

    def render(self) -> Content:
        rows = super().render().split("\n")
        rows[self._grounded] = tint_row(rows[self._grounded], self.content_size.width, self.app)
        return Content("\n").join(rows)


class ColumnsPage(OverlayScreen[set[str]]):
    """Asks which columns to show, with the reason if one doesn't fit; dismissed with the hidden
    ones.
    """

    DEFAULT_CLASSES = QUESTION
    BINDINGS = bindings.COLUMNS  # type: ignore[assignment]

    def __init__(self, hidden: set[str], needs: ColumnNeeds, width: int) -> None:
        super().__init__()
        self._hidden = hidden
        self._needs = needs
        self._width = width
        self._frame = BoxFrame(title="Columns")
        wanted = [one for one in COLUMNS if one.rank]
        chosen = [one.title for one in wanted if one.title not in hidden]
        self._options = ColumnRows([self._option(one) for one in wanted], chosen)

    def compose(self) -> ComposeResult:
        with self._frame:
            yield self._options

    def _option(self, column: FrameColumn) -> Option:
        why = why_not_shown(column.title, self._width, self._hidden, self._needs)
        return Option(column.title, column.label, why)

    def on_mount(self) -> None:
        """Show the keys."""
        self._options.focus()
        self._frame.offer(
            [("space", "show or hide"), ("enter", "use them"), ("escape", "cancel")], "columns"
        )

    def on_options_done(self) -> None:
        """Close, and apply the choice."""
        chosen = self._options.chosen
        self.dismiss({column.title for column in COLUMNS if column.rank}.difference(chosen))


def statistics_lines(log: Log, width: int) -> Iterator[Content]:
    """Yield the latency and count of each method, and its latest values if there is room."""
    room = width - _COUNT - 4 * _SPAN - 2
    bars = min(_BARS, room - _NAME)
    wide = max(_NAME, min(_MOST_NAME, room - _BARS))
    last = "  the last ones" if bars >= len("the last ones") else ""

    def drawn(values: Sequence[float]) -> str:
        return f"  {sparkline(values, bars)}" if last and len(values) > 1 else ""

    if log.spoken is not None:
        yield Content(f"the protocol's {log.spoken.words}")
    yield Content(
        f"{log.unanswered:,} requests without an answer, {log.orphans:,} answers to nothing"
    )
    yield Content()
    yield _head("answered", wide, ("p50", "p95", "p99", "max"), last)
    for one in log.latencies():
        by = "agent" if one.direction == "out" else "client"
        times = (one.p50, one.p95, one.p99, one.longest)
        columns = (
            times if one.count > 1 else (None, None, None, one.longest)
        )  # one is no distribution
        spans = "".join(f"{exact_duration(span):>{_SPAN}}" for span in columns)
        values = log.durations[one.method, one.direction]
        name = fit_cell(f"{one.method} (by the {by})", wide)
        yield Content(f"{name}{one.count:>{_COUNT},}{spans}{drawn(values)}")
    yield from _of_turns(log, wide, drawn, last)
    found = Counter(f"{one.severity} {one.rule.id}" for one in log.findings)
    if found:
        yield Content()
        yield _head("findings", wide, (), "")
        yield Content.styled(f"checked by {schema.WORDS}", "$text-muted")
    for rule, count in found.most_common():
        yield Content(f"{fit_cell(rule, wide)}{count:>{_COUNT},}")
    yield Content()
    yield _head("messages", wide, (), "")
    for name, count in _message_counts(log).most_common():
        yield Content(f"{fit_cell(clean_line(name), wide)}{count:>{_COUNT},}")


def _of_turns(
    log: Log, wide: int, drawn: Callable[[Sequence[float]], str], last: str
) -> Iterator[Content]:
    """Yield the statistics of all turns: the time to the first chunk, and the speed of the text."""
    turns = [*turn_numbers(log)]
    if not turns:
        yield Content()
        words = "no turns yet: the times of each answer appear here after a prompt"
        yield Content.styled(words, "$text-muted")
    firsts = [one.first_chunk for one in turns if one.first_chunk is not None]
    rates = [one.rate for one in turns if one.rate is not None]
    waited = [one for one in turns if one.waited >= NOTABLE_WAIT and one.seconds is not None]
    if firsts:
        yield Content()
        yield _head("turns", wide, ("p50", "", "", "max"), last)
        yield _line("to the first chunk", wide, firsts, drawn(firsts), exact_duration)
    if waited:  # the prompt's latency above includes the waits
        own = [one.seconds for one in turns if one.seconds is not None]
        spent = [one.waited for one in waited]
        yield _line("to the end, without waits", wide, own, drawn(own), exact_duration)
        yield _line("waited for the person", wide, spent, drawn(spent), exact_duration)
    if rates:
        yield _line("chunks a second", wide, rates, drawn(rates), "{:.1f}".format)


def _head(title: str, wide: int, columns: Sequence[str], last: str) -> Content:
    spans = "".join(f"{name:>{_SPAN}}" for name in columns)
    return Content.styled(f"{title:<{wide}}{'count':>{_COUNT}}{spans}{last}", _HEAD)


def _line(
    name: str, wide: int, values: Sequence[float], bars: str, format_value: Callable[[float], str]
) -> Content:
    middle, most = (f"{format_value(value):>{_SPAN}}" for value in (median(values), max(values)))
    return Content(f"{name:<{wide}}{len(values):>{_COUNT},}{middle}{'':{2 * _SPAN}}{most}{bars}")


def _message_counts(log: Log) -> Counter[str]:
    """Count each kind of message and event; responses are counted with the latencies."""
    named: Counter[str] = Counter()
    for (kind, method, direction), count in log.counts.items():
        name = kind or method or "unreadable"
        named[name if direction else f"{name} (local)"] += count
    return named
