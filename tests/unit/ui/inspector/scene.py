"""A session with a bit of everything, as its records; and the app on it."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from acp_tui.host.agent import Agent
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.process_events import ProcessStarted, StderrLine
from acp_tui.recordings.recording import read_events
from acp_tui.state.fold import replay_events
from acp_tui.ui.app import AcpApp
from acp_tui.ui.colors.palette import Palette
from acp_tui.ui.features import Features
from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.inspector.screen import InspectorScreen
from tests.unit.debug.scenes import Wire
from tests.unit.ui.screens import screen_rows
from tests.unit.ui.settling import pressed, settled, until

OPTIONS = [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]


def talk() -> Wire:
    """Two turns: one with a tool call that was asked about and a line of noise, one plain."""
    wire = Wire()
    wire.happened(ProcessStarted(100.0, ("agent", "--acp"), "/w", 7))
    wire.prompted()
    for text in ("Let ", "me ", "see."):
        wire.chunk(text, messageId="m1")
    wire.later(0.2).update("tool_call", toolCallId="call-1", title="Write tea.py")
    wire.ask(50, "session/request_permission", toolCall={"toolCallId": "call-1"}, options=OPTIONS)
    outcome = {"outcome": {"outcome": "selected", "optionId": "yes"}}
    wire.later(1.0).out(id=50, result=outcome)
    wire.later(0.3).update("tool_call_update", toolCallId="call-1", status="completed")
    wire.raw(Direction.IN, b"Debugger attached.")
    wire.happened(StderrLine(wire.at, "a word on stderr"))
    for text in ("All ", "done."):
        wire.chunk(text, messageId="m2", _meta={"trace": 1})
    wire.ended()
    wire.later(5).prompt(3).chunk("Again.", messageId="m3").ended(3)
    return wire


class Inspecting:
    """The app with the inspector open, with hands to type and eyes to see."""

    now = 0.0
    """What the app's clock says."""

    app: AcpApp
    pilot: Pilot[None]

    async def press(self, *keys: str) -> None:
        await pressed(self.pilot, *keys)

    @property
    def inspector(self) -> InspectorScreen:
        screen = self.app.screen
        assert isinstance(screen, InspectorScreen)
        return screen

    @property
    def rows(self) -> list[str]:
        """The screen, row by row."""
        return [row.rstrip() for row in screen_rows(self.app)]

    @property
    def screen(self) -> str:
        return "\n".join(self.rows)

    def row(self, words: str) -> str:
        """The first row with these words."""
        return next((row for row in self.rows if words in row), "")

    def ground(self, words: str) -> str:
        """What of the first row with these words is on the ground of what is marked."""
        shown = Palette.of(self.app)["row.shown"].bgcolor
        row = self.rows.index(self.row(words))
        strip = self.app.screen._compositor.render_strips()[row]
        return "".join(one.text for one in strip if one.style and one.style.bgcolor == shown)

    @property
    def selected_line(self) -> str:
        """The line that the detail is at."""
        detail = self.inspector.frames.detail
        return detail._stack.plain(detail._line)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until it is so, and all that follows from it is drawn."""
        await until(self.pilot, holds)

    async def until_read(self) -> None:
        await until_read(self.pilot)


async def until_read(pilot: Pilot[None]) -> None:
    """Wait until an inspector in front has read its whole log, and shows that."""
    await settled(pilot)
    screen = pilot.app.screen
    if isinstance(screen, InspectorScreen):
        await until(pilot, lambda: _has_read(screen.source))


def _has_read(source: LogSource) -> bool:
    return len(source.view) > 0 and len(source.log) == len(source.log.records)


@asynccontextmanager
async def inspecting(
    records: Sequence[Record], size: tuple[int, int] = (100, 40), *, opened: bool = True
) -> AsyncIterator[Inspecting]:
    """Run the app on what these records left."""
    state = replay_events(read_events(records))
    it = Inspecting()
    it.now = records[-1].at if records else 0.0
    agent = Agent(state, lambda _: None, records)
    it.app = AcpApp([agent], Features, clock=lambda: it.now, theme_name="night")
    async with it.app.run_test(size=size) as pilot:
        it.pilot = pilot
        await it.press(*["f12"] * opened)
        if opened:
            await it.until(lambda: _has_read(it.inspector.source))
        yield it
