"""The numbers of all recordings, with how they went over time."""

from pathlib import Path
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.formatting import counted
from acp_tui.recordings.recorded_numbers import News
from acp_tui.text import clean_line
from acp_tui.ui.inspector import bindings
from acp_tui.ui.inspector.number_lines import number_lines
from acp_tui.ui.toolkit.boxes import PAGE
from acp_tui.ui.toolkit.frame import BoxFrame
from acp_tui.ui.toolkit.line_input import LineInput
from acp_tui.ui.toolkit.screens import OverlayScreen

if TYPE_CHECKING:
    from acp_tui.ui.inspector.feature import AllNumbers, ReadAll

_DAY = 86400.0
AGES = (
    (0.0, "of all times"),
    (_DAY, "of the last day"),
    (7 * _DAY, "of the last 7 days"),
    (30 * _DAY, "of the last 30 days"),
)
KEYS = [("slash", "agent"), ("t", "time"), ("S", "this session"), ("escape", "back")]
_AROUND = 5
"""Cells beside the lines: the border, its padding, and the bar at the right."""


class AllNumbersPage(OverlayScreen[None]):
    """Follows the reading, which goes on elsewhere; what is chosen here is asked for there."""

    DEFAULT_CLASSES = PAGE
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.NUMBERS  # type: ignore[assignment]

    def __init__(self, read_all: "ReadAll") -> None:
        super().__init__()
        self._read_all = read_all
        self._source: AllNumbers | None = None
        self._age = 0
        self._parts: News | None = None
        self._progress = "reading recordings"
        self._frame = BoxFrame(title="Statistics of all recordings")
        self._head = Static(markup=False, id="head")
        self._body = Static(markup=False)
        self._scroll = VerticalScroll(self._body)
        self._agent = LineInput(placeholder="a part of the agent's name or version")
        self._agent.display = False

    def compose(self) -> ComposeResult:
        with self._frame:
            yield self._head
            yield self._agent
            yield self._scroll

    def on_mount(self) -> None:
        """Begin to read."""
        self._scroll.focus()
        self._frame.offer(KEYS, "all-numbers")
        self._show_head()
        self.run_worker(self._follow())

    def on_resize(self, _: events.Resize) -> None:
        """Lay the lines out again."""
        self._show_lines()

    async def _follow(self) -> None:
        try:
            async with self._read_all() as self._source:
                await self._ask()
                async for news in self._source.news():
                    self._take(news)
            self._progress = "the reading has ended: Esc, and S again"
        except OSError as error:
            self._progress = f"nothing can be read: {error.strerror}"
        self._show_head()

    def _take(self, news: News) -> None:
        goes_on = news.done < news.due
        self._progress = f"reading: {news.done:,} of {news.due:,}" if goes_on else ""
        self._parts = news
        self._show_lines()
        self._show_head()

    async def _ask(self) -> None:
        if self._source is not None:
            await self._source.ask(self._agent.value.strip(), AGES[self._age][0])

    # What is shown

    def _show_head(self) -> None:
        agents = (
            f"agents with “{clean_line(self._agent.value)}”" if self._agent.value else "all agents"
        )
        words = f"{agents}, {AGES[self._age][1]}"
        if self._parts is not None and self._agent.value:
            words += f" ({counted(self._matching(self._parts), 'agent')})"
        progress = (f"   {self._progress}", "$warning") if self._progress else ""
        self._head.update(Content.assemble((words, "$text-muted"), progress))

    def _matching(self, news: News) -> int:
        wanted = self._agent.value.strip().casefold()
        return sum(wanted in one.casefold() for one in news.agents)

    def _show_lines(self) -> None:
        if self._parts is None:
            return
        width = self.size.width - _AROUND
        lines = list(number_lines(self._parts.parts, width))
        if not lines:
            lines = [Content.styled("no recordings", "$text-muted")]
        self._body.update(Content("\n").join(lines))

    # What is chosen

    def action_choose_agent(self) -> None:
        """Write a part of an agent's name."""
        self._agent.display = True
        self._agent.focus()

    async def action_choose_age(self, step: int) -> None:
        """Show the recordings of another time."""
        self._age = (self._age + step) % len(AGES)
        self._show_head()
        await self._ask()

    async def on_input_changed(self, event: Input.Changed) -> None:
        """Show the agents with that in their names."""
        event.stop()
        self._show_head()
        await self._ask()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Leave the name as it is."""
        event.stop()
        self._agent.display = bool(self._agent.value)
        self._scroll.focus()

    def action_close(self) -> None:
        """Take the name away; then leave."""
        if self._agent.display:
            self._agent.value = ""
            self._agent.display = False
            self._scroll.focus()
        else:
            self.dismiss()
