"""An app on a state made by hand; what it asks for is written down."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from textual import events
from textual.pilot import Pilot

from acp_tui.host.agent import Agent, RunProgram
from acp_tui.state.changes import ScreenChanged
from acp_tui.state.commands import AnswerPermission, Command
from acp_tui.state.state import State
from acp_tui.state.subject_parts import Parts
from acp_tui.ui.app import AcpApp
from acp_tui.ui.features import Features
from acp_tui.ui.question.panel import QuestionPanel
from tests.unit.ui.app.states import NOW
from tests.unit.ui.screens import screen_rows, screen_text
from tests.unit.ui.settling import keys_in_time, moment, pressed, settled, until

LATEST = 100
"""Hundredths of a second in which a question notes what is on the screen."""


@dataclass
class Clock:
    """A clock that stands still until it is moved."""

    now: float = NOW

    def __call__(self) -> float:
        return self.now


@dataclass
class Running:
    """The running app, with hands to type and eyes to see."""

    app: AcpApp
    state: State
    clock: Clock
    asked: list[Command]
    in_view: list[Parts] = field(default_factory=list)
    """What was in view at the answers to permission requests."""
    pilot: Pilot[None] = field(init=False)

    async def press(self, *keys: str) -> None:
        await pressed(self.pilot, *keys)

    async def write(self, text: str) -> None:
        await self.press(*text)

    async def paste(self, text: str) -> None:
        """Paste a text: for a field whose list is searched, once instead of with each letter."""
        self.app.post_message(events.Paste(text))
        await settled(self.pilot)

    async def press_at_once(self, *keys: str | tuple[int, int]) -> None:
        """Press keys, and click at places, faster than any of them is done."""
        with keys_in_time():
            for key in keys:
                if isinstance(key, str):
                    self.app.post_message(events.Key(key, key if len(key) == 1 else None))
                    continue
                for kind in (events.MouseDown, events.MouseUp):
                    self.app.post_message(mouse(kind, *key))
            await settled(self.pilot)

    async def press_late(self, key: str) -> None:
        """Press a key that the app handles only a minute later."""
        event = events.Key(key, key)
        event.time -= 60
        self.app.post_message(event)
        await settled(self.pilot)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until it is so, and all that follows from it is drawn."""
        await until(self.pilot, holds)

    async def changed(self) -> None:
        """Tell the app that the state moved, and wait until it has drawn that."""
        for agent in self.app.tabs.agents:
            self.app.changed(agent, [ScreenChanged()])
        await settled(self.pilot)

    async def wait_until_armed(self) -> None:
        """Let so much time pass that a dialog takes keys."""
        await settled(self.pilot)
        for _ in range(LATEST):  # what a key scrolled is noted a frame or two later
            if not any(is_behind(one) for one in self.app.screen.query(QuestionPanel)):
                break
            await moment(self.pilot)
        self.clock.now += 1
        await until_armed(self.pilot)

    def rows(self) -> list[str]:
        """The screen, row by row."""
        return screen_rows(self.app)

    @property
    def screen(self) -> str:
        return screen_text(self.app)

    @property
    def note(self) -> str:
        """What is said in passing in front, the newest of it."""
        return self.app.notes[-1].words if self.app.notes else ""

    @property
    def row_of_keys(self) -> str:
        """The last row: the keys that count."""
        return self.rows()[-1].strip()

    @property
    def prompt(self) -> str:
        return self.app.conversation.prompt.text


def mouse(kind: type[events.MouseEvent], x: int, y: int) -> events.MouseEvent:
    """What a terminal tells of the mouse, its left button held."""
    return kind(None, x, y, 0, 0, 1, False, False, False)


def is_behind(panel: QuestionPanel) -> bool:
    """Return whether a question hasn't noted yet what is on the screen."""
    return panel.display and not panel.question.shows(panel.in_view())


async def until_armed(pilot: Pilot[None]) -> None:
    """Wait until the dialog in front has noticed that it takes keys."""
    await until(pilot, lambda: not is_guarded(pilot))


def is_guarded(pilot: Pilot[None]) -> bool:
    """Return whether the dialog in front, or a question, takes no keys yet."""
    screen = pilot.app.screen
    questions = [one for one in screen.query(QuestionPanel) if one.display]
    guarded = (one._guarded or not one.question.is_armed(one._clock()) for one in questions)
    return bool(screen.query("Choices.-guarded")) or any(guarded)


@asynccontextmanager
async def running(
    state: State,
    size: tuple[int, int] = (80, 24),
    run_program: RunProgram | None = None,
) -> AsyncIterator[Running]:
    """Run the app without a terminal."""
    clock = Clock()
    asked: list[Command] = []
    in_view: list[Parts] = []

    def do(command: Command) -> None:
        if isinstance(command, AnswerPermission):
            in_view.append(command.in_view)
            command = replace(command, in_view=())
        asked.append(command)

    agent = Agent(state, do, run_program=run_program)
    app = AcpApp([agent], Features, clock=clock, theme_name="night")
    it = Running(app, state, clock, asked, in_view)
    async with app.run_test(size=size) as pilot:
        it.pilot = pilot
        await settled(pilot)
        yield it
