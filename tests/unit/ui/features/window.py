"""A window without a screen: what features ask for is written down."""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from textual.screen import Screen
from textual.theme import Theme
from textual.widget import Widget

from acp_tui.config.settings import Settings
from acp_tui.config.themes import load_theme
from acp_tui.host.agent import Agent, Hosts
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.commands import Command
from acp_tui.state.state import State
from acp_tui.ui.colors.theme import to_textual
from acp_tui.ui.feature import AgentChanged, Event
from acp_tui.ui.features import Features
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.history import PromptHistory
from acp_tui.ui.prompt.pasting_text_area import Folded
from acp_tui.ui.tabs.tabs import Tabs
from acp_tui.ui.toolkit.notes import REMARK, SECONDS, NoteKind
from acp_tui.ui.window import PromptPort, QuestionPort, TerminalPort, TranscriptPort
from tests.unit.ui.app.states import NOW


@dataclass
class Prompt:
    """What is written."""

    text: str = ""
    earlier: PromptHistory = field(default_factory=PromptHistory)
    asked: object = None
    folded: Folded = field(default_factory=Folded)
    pasted: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(stored={}))
    has_focus: bool = False

    def write(self, text: str) -> None:
        self.text = text

    show_draft = write

    def use_settings(self, settings: Settings) -> None:
        self.folded.from_lines = settings.fold_pastes

    @property
    def written(self) -> str:
        """All of it: nothing is folded."""
        return self.text

    def with_chips(self, text: str) -> str:
        return self.folded.hide(text)

    def clear_by_key(self) -> bool:
        return False  # nothing is typed into it

    def insert(self, text: str) -> None:
        self.text += text

    def focus(self) -> None:
        self.has_focus = True


class Conversation:
    """The screen below all others."""

    is_modal = False


class Timer:
    """Rings once, when a test wants it."""

    def __init__(self, window: "FakeWindow", delay: float, callback: Callable[[], None]) -> None:
        self.delay = delay
        self._window = window
        self._callback = callback

    def stop(self) -> None:
        self._window.timers.remove(self)

    def ring(self) -> None:
        self.stop()
        self._callback()


class FakeWindow:
    """Draws nothing: what a test sees happens by what it calls."""

    def __init__(self, *states: State, hosts: Hosts | None = None) -> None:
        self.now = NOW
        self.asked: list[Command] = []
        self.tabs = Tabs([Agent(state, self.asked.append) for state in states], self.clock)
        self.tabs.follow()
        self.theme = "night"
        self.is_suspended = False
        self.is_watched = True
        self.rung = 0
        self.written: list[str] = []
        self.said: list[str] = []
        self.toasts: list[str] = []
        self.copied: list[str] = []
        self.opened: list[str] = []
        self.spawned: list[Coroutine[Any, Any, None]] = []
        self.timers: list[Timer] = []
        self.refreshed = 0
        self.status_drawn = 0
        self.installed: list[Screen[Any]] = []
        self.has_left = False
        self.editor = cast("PromptEditor", Prompt())
        self.transcript: TranscriptPort | None = None
        self.question: QuestionPort | None = None
        self.conversation = cast("Screen[None]", Conversation())
        self._screens: list[tuple[Screen[Any], Callable[[Any], object] | None]] = []
        self.feature = Features(self, hosts)

    def clock(self) -> float:
        return self.now

    @property
    def prompt(self) -> PromptPort:
        return self.feature.prompts

    @property
    def terminal(self) -> TerminalPort:
        return self

    @property
    def is_conversation_in_front(self) -> bool:
        return not self._screens

    def refresh_status(self) -> None:
        self.status_drawn += 1

    def show_side_pane(self, pane: Widget | None, focusable: Sequence[Widget] = ()) -> None:
        raise NotImplementedError

    def use_keys(self) -> None:
        raise NotImplementedError

    def use_icons(self) -> None:
        raise NotImplementedError

    @property
    def screens(self) -> Sequence[Screen[Any]]:
        return [self.conversation, *(screen for screen, _ in self._screens)]

    def push(
        self,
        screen: Screen[Any],
        then: Callable[[Any], object] | None = None,
        *,
        over: Screen[Any] | None = None,
    ) -> None:
        if over is None or over is self.screens[-1]:
            self._screens.append((screen, then))

    def answer(self, result: object) -> None:
        """Close the screen in front with this result."""
        _, then = self._screens.pop()
        if then is not None:
            then(result)

    def changed(self, agent: Agent, changes: Sequence[Change] = (ScreenChanged(),)) -> None:
        self.emit(AgentChanged(agent, changes))

    def emit(self, event: Event) -> None:
        self.feature.emit(event)

    def refresh_view(self) -> None:
        """Draw: that must lead to nothing."""
        self.refreshed += 1

    def show_note(
        self,
        words: str,
        seconds: float = SECONDS,
        is_valid: Callable[[], bool] | None = None,
        kind: NoteKind = REMARK,
    ) -> None:
        self.said.append(words)

    def refuse(self, words: str) -> None:
        self.said.append(words)

    def notify(self, message: str, **_: Any) -> None:
        self.toasts.append(message)

    def bell(self) -> None:
        self.rung += 1

    def write_sequence(self, sequence: str) -> None:
        self.written.append(sequence)

    def spawn(self, work: Coroutine[Any, Any, None], *, name: str = "") -> None:
        self.spawned.append(work)

    async def finish(self) -> None:
        """Wait for all that was started."""
        while self.spawned:
            await self.spawned.pop(0)

    def set_timer(self, delay: float, callback: Callable[[], None]) -> "Timer":
        """No time passes, but for who rings it."""
        self.timers.append(Timer(self, delay, callback))
        return self.timers[-1]

    @contextmanager
    def step_aside(self) -> Iterator[None]:
        self.is_suspended = True
        yield
        self.is_suspended = False

    def open_url(self, url: str) -> None:
        self.opened.append(url)

    def copy_to_clipboard(self, text: str) -> None:
        self.copied.append(text)

    def selected_text(self) -> str:
        return ""

    def exit(self) -> None:
        self.has_left = True

    def leave_overlay(self) -> bool:
        return bool(self._screens) and bool(self._screens.pop())

    def call_after_refresh(self, callback: Callable[[], None]) -> None:
        callback()

    def use_theme(self, name: str | None) -> None:
        self.theme = name or "night"

    def appearance(self) -> tuple[Theme, int]:
        return to_textual("night", load_theme("night")), 80

    async def picture(self) -> str:
        return "<svg></svg>"

    def install_screen(self, screen: Screen[Any], name: str) -> None:
        self.installed.append(screen)

    def uninstall_screen(self, screen: Screen[Any]) -> object:
        return self.installed.remove(screen)
