"""The page with the statistics of all recordings, and their course over time."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.debug.log import percentile
from acp_tui.debug.numbers import sparkline
from acp_tui.formatting import counted, duration, exact_duration, narrow_size, short_count
from acp_tui.recordings.recorded_numbers import (
    FIRST_CHUNK,
    HEADS,
    RATE,
    SHARES,
    WAITED,
    Numbers,
    NumbersProgress,
)
from acp_tui.text import clean_line
from acp_tui.ui.inspector import bindings
from acp_tui.ui.inspector.columns import fit_cell
from acp_tui.ui.toolkit.boxes import PAGE, BoxFrame
from acp_tui.ui.toolkit.line_input import LineInput
from acp_tui.ui.toolkit.screens import OverlayScreen

_HEAD = "bold $accent"
_COUNT, _SPAN = 8, 8
_BARS = 24
_LEAST_NAME, _MOST_NAME = 30, 56
_ROOM_FOR_ALL = 100
"""Width, in cells, from which the maximum is shown, too."""
_MANY, _TOO_MANY = 10**6, 10**10
"""Counts from which they are abbreviated, and written as a power of ten, to fit the column."""
_LONG = 1000.0
"""Seconds from which durations are shown in minutes."""
_OVER_TIME = "over time"
_MOST_ROWS = 30
"""Most rows of a table."""


def number_lines(parts: Sequence[tuple[float, Numbers]], width: int) -> Iterator[Content]:
    """Yield the statistics as lines of `width` cells."""
    if parts:
        yield from _Lines([one for _, one in parts], width).all()


class _Lines:
    def __init__(self, parts: list[Numbers], width: int) -> None:
        self._heads = HEADS if width >= _ROOM_FOR_ALL else HEADS[:-1]
        rest = width - _COUNT - _SPAN * len(self._heads) - 2
        self._bars = min(_BARS, max(0, rest - _LEAST_NAME))
        self._name = min(_MOST_NAME, rest - self._bars)
        self._parts = _merge_neighbors(parts, max(1, self._bars))
        self._whole = _merge_numbers(parts)

    def all(self) -> Iterator[Content]:
        whole = self._whole
        yield from self._first()
        yield from self._durations("answered", lambda one: one.answers, str)
        yield from self._turns()
        yield from self._durations("tools", lambda one: one.tools, whole.tool)
        yield from self._counts("permissions", lambda one: one.outcomes)
        yield from self._counts("tokens", lambda one: one.tokens)
        yield from self._counts("findings, and whose", lambda one: one.findings)
        yield from self._counts("agents, and their recordings", lambda one: one.agents)
        yield from self._counts("messages", lambda one: one.messages)

    def _first(self) -> Iterator[Content]:
        sums = self._whole.sums
        summary = (
            counted(sums["recordings"], "recording"),
            counted(sums["turns"], "turn"),
            duration(sums["seconds"]),
        )
        yield Content(", ".join(summary))
        ways = (("to agents", "out"), ("from agents", "in"))
        yield Content(
            ", ".join(
                f"{sums[f'frames {way}']:,} frames ({narrow_size(sums[f'bytes {way}'])}) {name}"
                for name, way in ways
            )
        )
        yield Content(
            f"{sums['unanswered']:,} requests without an answer, {sums['orphans']:,} answers to nothing"
        )

    def _durations(
        self,
        title: str,
        of: Callable[[Numbers], Mapping[str, list[float]]],
        named: Callable[[str], str],
    ) -> Iterator[Content]:
        """Yield the rows of durations, longest first, with the median of each part."""
        found = sorted(of(self._whole).items(), key=lambda one: -percentile(sorted(one[1]), 0.5))
        if found:
            yield from self._title(title, self._heads, f"p50 {_OVER_TIME}")
        for name, values in found[:_MOST_ROWS]:
            yield self._row(
                named(name), values, _format_seconds, [of(part).get(name) for part in self._parts]
            )
        yield from self._draw_rest(len(found))

    def _turns(self) -> Iterator[Content]:
        spans = self._whole.spans
        if spans:
            yield from self._title("turns", self._heads, f"p50 {_OVER_TIME}")
        for name in (FIRST_CHUNK, WAITED, RATE):
            if name in spans:
                written = _format_rate if name == RATE else _format_seconds
                each = [part.spans.get(name) for part in self._parts]
                yield self._row(name, spans[name], written, each)

    def _row(
        self,
        name: str,
        values: Sequence[float],
        written: Callable[[float], str],
        each: Sequence[Sequence[float] | None],
    ) -> Content:
        ordered = sorted(values)
        spans = (
            f"{written(percentile(ordered, share)):>{_SPAN}}"
            for share in SHARES[: len(self._heads)]
        )
        medians = [percentile(sorted(one), 0.5) if one else None for one in each]
        return self._line(name, len(values), "".join(spans), medians)

    def _counts(self, title: str, of: Callable[[Numbers], Mapping[str, int]]) -> Iterator[Content]:
        """Yield the rows of counts, highest first, with the count of each part."""
        found = Counter(of(self._whole)).most_common()
        if found:
            yield from self._title(title, (), _OVER_TIME)
        for name, count in found[:_MOST_ROWS]:
            yield self._line(name, count, "", [of(part).get(name, 0) for part in self._parts])
        yield from self._draw_rest(len(found))

    def _title(self, title: str, heads: Sequence[str], bars: str) -> Iterator[Content]:
        yield Content()
        spans = "".join(f"{head:>{_SPAN}}" for head in heads)
        shown = bars if len(bars) <= self._bars else _OVER_TIME[: self._bars]
        name = fit_cell(title, self._room(spans))
        yield Content.styled(f"{name}{'count':>{_COUNT}}{spans}  {shown}", _HEAD)

    def _line(self, name: str, count: int, spans: str, values: Sequence[float | None]) -> Content:
        bars = sparkline(values, self._bars) if self._bars else ""
        text = f"{fit_cell(name, self._room(spans))}{_format_count(count):>{_COUNT}}{spans}  "
        return Content.assemble(text, (bars, "$text-primary"))

    def _room(self, spans: str) -> int:
        """Return the cells for the name, which in a line without durations gets theirs, too."""
        return self._name + _SPAN * len(self._heads) - len(spans)

    def _draw_rest(self, count: int) -> Iterator[Content]:
        if count > _MOST_ROWS:
            words = "and more: acp-tui stats --json lists them"
            yield Content.styled(words, "$text-muted")


def _merge_neighbors(parts: list[Numbers], most: int) -> list[Numbers]:
    """Merge neighboring parts until there are at most `most`."""
    size = -(-len(parts) // most)
    return [_merge_numbers(parts[at : at + size]) for at in range(0, len(parts), size)]


def _merge_numbers(parts: Iterable[Numbers]) -> Numbers:
    whole = Numbers()
    for one in parts:
        whole.merge(one)
    return whole


def _format_seconds(seconds: float) -> str:
    return exact_duration(seconds) if seconds < _LONG else duration(seconds)


def _format_count(count: int) -> str:
    """Format a count to fit its column: agents report token counts of any size."""
    if abs(count) < _MANY:
        return f"{count:,}"
    return short_count(count) if 0 < count < _TOO_MANY else f"{count:.0e}"


def _format_rate(value: float) -> str:
    return f"{value:,.1f}" if value < _LONG else f"{value:,.0f}"


_DAY = 86400.0
AGES = (
    (0.0, "of all times"),
    (_DAY, "of the last day"),
    (7 * _DAY, "of the last 7 days"),
    (30 * _DAY, "of the last 30 days"),
)
KEYS = [("slash", "agent"), ("t", "time"), ("S", "this session"), ("escape", "back")]
_AROUND = 5
"""Cells beside the lines: the border, its padding, and the scrollbar."""


class AllNumbers(Protocol):
    """Reads the statistics of all recordings in the background."""

    async def select(self, agent: str, age: float) -> None:
        """Choose recordings of agents whose names contain `agent`, at most `age` seconds old; 0 means any age."""

    def updates(self) -> AsyncIterator[NumbersProgress]:
        """Yield the statistics as recordings are read, and whenever the choice changes."""


ReadAll = Callable[[], AbstractAsyncContextManager[AllNumbers]]


class AllNumbersPage(OverlayScreen[None]):
    """Shows statistics as recordings are read, for the chosen agents and period."""

    DEFAULT_CLASSES = PAGE
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.NUMBERS  # type: ignore[assignment]

    def __init__(self, read_all: ReadAll) -> None:
        super().__init__()
        self._read_all = read_all
        self._source: AllNumbers | None = None
        self._age = 0
        self._parts: NumbersProgress | None = None
        self._progress = "reading recordings"
        self._frame = BoxFrame(title="Statistics of all recordings")
        self._head = Static(markup=False, id="head")
        self._body = Static(markup=False)
        self._scroll = VerticalScroll(self._body)
        self._agent = LineInput(placeholder="Search the agents by name or version")
        self._agent.display = False

    def compose(self) -> ComposeResult:
        with self._frame:
            yield self._head
            yield self._agent
            yield self._scroll

    def on_mount(self) -> None:
        """Show the keys, and start reading."""
        self._scroll.focus()
        self._frame.offer(KEYS, "all-numbers")
        self._show_head()
        self.run_worker(self._follow_reading())

    def on_resize(self, _: events.Resize) -> None:
        """Lay the lines out again."""
        self._show_lines()

    async def _follow_reading(self) -> None:
        try:
            async with self._read_all() as self._source:
                await self._choose()
                async for news in self._source.updates():
                    self._show_news(news)
            self._progress = "the reading has ended: Esc, and S again"
        except OSError as error:
            self._progress = f"nothing can be read: {error.strerror}"
        self._show_head()

    def _show_news(self, news: NumbersProgress) -> None:
        is_reading = news.done < news.total
        self._progress = f"reading: {news.done:,} of {news.total:,}" if is_reading else ""
        self._parts = news
        self._show_lines()
        self._show_head()

    async def _choose(self) -> None:
        if self._source is not None:
            await self._source.select(self._agent.value.strip(), AGES[self._age][0])

    # Drawing

    def _show_head(self) -> None:
        agents = (
            f"agents with “{clean_line(self._agent.value)}”" if self._agent.value else "all agents"
        )
        words = f"{agents}, {AGES[self._age][1]}"
        if self._parts is not None and self._agent.value:
            words += f" ({counted(self._count_matching_agents(self._parts), 'agent')})"
        progress = (f"   {self._progress}", "$warning") if self._progress else ""
        self._head.update(Content.assemble((words, "$text-muted"), progress))

    def _count_matching_agents(self, news: NumbersProgress) -> int:
        text = self._agent.value.strip().casefold()
        return sum(text in one.casefold() for one in news.agents)

    def _show_lines(self) -> None:
        if self._parts is None:
            return
        width = self.size.width - _AROUND
        lines = list(number_lines(self._parts.parts, width))
        if not lines:
            lines = [Content.styled("no recordings", "$text-muted")]
        self._body.update(Content("\n").join(lines))

    # Keys

    def action_choose_agent(self) -> None:
        """Show the input for part of an agent's name."""
        self._agent.display = True
        self._agent.focus()

    async def action_choose_age(self, step: int) -> None:
        """Choose the next or previous period."""
        self._age = (self._age + step) % len(AGES)
        self._show_head()
        await self._choose()

    async def on_input_changed(self, event: Input.Changed) -> None:
        """Show the agents whose names contain the text."""
        event.stop()
        self._show_head()
        await self._choose()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Apply the name, and return to the statistics."""
        event.stop()
        self._agent.display = bool(self._agent.value)
        self._scroll.focus()

    def action_close(self) -> None:
        """Clear the name if its input is shown; otherwise close the page."""
        if self._agent.display:
            self._agent.value = ""
            self._agent.display = False
            self._scroll.focus()
        else:
            self.dismiss()
