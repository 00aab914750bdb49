"""What lies over the inspector for a moment: statistics, the columns."""

from collections import Counter
from collections.abc import Iterator
from statistics import median

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import SelectionList, Static
from textual.widgets.selection_list import Selection

from acp_tui.formatting import counted, exact_duration
from acp_tui.text import clean_line
from acp_tui.ui import bindings
from acp_tui.ui.inspector.columns import COLUMNS, fit
from acp_tui.ui.textual_fixes.screens import OverlayScreen
from acp_tui.wire.log import Log
from acp_tui.wire.numbers import sparkline, turn_numbers

_HEAD = "bold $accent"
_BARS = 20
"""Columns of a row of bars."""


class InspectorPage(OverlayScreen[None]):
    """A page of lines; Esc closes it."""

    BINDINGS = bindings.HELP  # type: ignore[assignment]

    def __init__(self, title: str, lines: list[Content]) -> None:
        super().__init__()
        self._title = title
        self._lines = lines

    def compose(self) -> ComposeResult:
        with VerticalScroll() as page:
            page.border_title = self._title
            page.border_subtitle = "Esc closes"
            yield Static(Content("\n").join(self._lines), markup=False)

    def show_lines(self, lines: list[Content]) -> None:
        """Show other lines."""
        self.query_one(Static).update(Content("\n").join(lines))

    def action_close(self) -> None:
        """Close."""
        self.dismiss()


class ColumnList(SelectionList[str]):
    """The columns there are."""

    def action_page_up(self) -> None:
        """Go up by a page, unless none is laid out yet: Textual looks for its lines all the same."""
        if self.size.height:
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        """Go down by a page, unless none is laid out yet."""
        if self.size.height:
            super().action_page_down()  # type: ignore[no-untyped-call]


class ColumnsPage(OverlayScreen[set[str]]):
    """Which columns are wanted; gives those that are not."""

    BINDINGS = bindings.COLUMNS  # type: ignore[assignment]

    def __init__(self, hidden: set[str]) -> None:
        super().__init__()
        self._hidden = hidden

    def compose(self) -> ComposeResult:
        chosen = ColumnList(
            *(
                Selection(Content(column.label), column.title, column.title not in self._hidden)
                for column in COLUMNS
                if column.rank
            )
        )
        chosen.border_title = "Columns"
        chosen.border_subtitle = "Space chooses, Esc closes"
        yield chosen

    def action_close(self) -> None:
        """Close, and use what is chosen."""
        chosen = self.query_one(ColumnList).selected
        self.dismiss({column.title for column in COLUMNS if column.rank} - set(chosen))


def statistics(log: Log) -> Iterator[Content]:
    """Latencies and counts, method by method."""
    yield Content(
        f"{counted(log.unanswered, 'request')} without an answer, "
        f"{counted(log.orphans, 'answer')} to nothing"
    )
    yield Content()
    spans = "".join(f"{name:>9}" for name in ("p50", "p95", "p99", "max"))
    yield Content.styled(f"{'answered':<38}{'count':>7}{spans}  {'the last ones':<{_BARS}}", _HEAD)
    for one in log.latencies():
        by = "agent" if one.direction == "out" else "client"
        times = (one.p50, one.p95, one.p99, one.longest)
        spans = "".join(f"{exact_duration(span):>9}" for span in times)
        bars = sparkline(log.durations[one.method, one.direction], _BARS)
        yield Content(f"{fit(f'{one.method} (by the {by})', 38)}{one.count:>7,}{spans}  {bars}")
    yield from _turns(log)
    yield Content()
    yield Content.styled(f"{'messages':<38}{'count':>7}", _HEAD)
    for name, count in _called(log).most_common():
        yield Content(f"{fit(clean_line(name), 38)}{count:>7,}")


def _turns(log: Log) -> Iterator[Content]:
    """The time to the first chunk, and chunks a second, turn by turn."""
    turns = [*turn_numbers(log)]
    rates = [one.rate for one in turns if one.rate is not None]
    firsts = [one.first_chunk for one in turns if one.first_chunk is not None]
    if not firsts:
        return
    yield Content()
    yield Content.styled(
        f"{'turns':<38}{'count':>7}{'median':>9}{'max':>9}{'':<20}the last ones", _HEAD
    )
    for name, values, form in (
        ("time to the first chunk", firsts, exact_duration),
        ("chunks a second", rates, "{:,.0f}".format),
    ):
        if values:
            told = f"{form(median(values)):>9}{form(max(values)):>9}{'':<20}"
            yield Content(f"{name:<38}{len(values):>7,}{told}{sparkline(values, _BARS)}")


def _called(log: Log) -> Counter[str]:
    """How often each message and event came; answers are left to the latencies."""
    named: Counter[str] = Counter()
    for (kind, method, direction), count in log.counts.items():
        name = kind or method or "unreadable"
        named[name if direction else f"{name} (local)"] += count
    return named
