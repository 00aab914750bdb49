"""The replay feature: plays a recording as if it were live, and shows its position in a row."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input

from acp_tui.formatting import duration
from acp_tui.host.agent import Agent
from acp_tui.state.changes import ScreenChanged
from acp_tui.state.commands import Command
from acp_tui.ui.app import AcpApp
from acp_tui.ui.feature import AppReady, Feature
from acp_tui.ui.features import Features
from acp_tui.ui.inspector.ask_bar import AskBar, SeekAsk
from acp_tui.ui.inspector.detail import Detail
from acp_tui.ui.inspector.table import FrameTable
from acp_tui.ui.keys import REPLAY
from acp_tui.ui.replay.player import ReplayPlayer
from acp_tui.ui.toolkit.hints import Hint

NARROWEST, WIDEST = 8, 60
"""Cells of the bar, which is left out if the narrowest doesn't fit."""
REFRESH = 0.1
"""Seconds between updates of the elapsed time while no record is due."""
KEYS: list[Hint] = [
    ("full_stop", "one frame on"),
    ("comma", "back"),
    ("g", "go to"),
    ("plus", "faster"),
    ("end", "to the end"),
]
WHAT_TO_DO = "Space pauses it, a period goes one frame on, End goes to the end."


class ReplayBar(Vertical):
    """Shows the position of a replay in one row, and an input line above it while a new position is
    asked for.
    """

    DEFAULT_CSS = """
    ReplayBar {
        height: auto;
    }
    """

    def __init__(self, replay: "ReplayFeature") -> None:
        super().__init__()
        self._replay = replay
        self._position = ReplayPosition(replay.player)

    def compose(self) -> ComposeResult:
        yield self._position

    def show(self) -> None:
        """Update the position."""
        self._position.refresh()

    def ask(self) -> None:
        """Ask for a position to go to."""
        records = self._replay.player.records
        ask = SeekAsk(records, lambda index: self._replay.seek(index + 1))
        self.mount(AskBar(ask), before=self._position)

    def on_ask_bar_input_closed(self, event: AskBar.InputClosed) -> None:
        """Return the focus to the conversation."""
        event.stop()
        self._replay.leave_bar()


class ReplayPosition(Widget):
    """Draws the state of the replay, a bar, the position and the speed."""

    DEFAULT_CSS = """
    ReplayPosition {
        height: 1;
        padding: 0 1;
        background: $warning-muted;
        color: $text-warning;
        text-wrap: nowrap;
    }
    """

    def __init__(self, player: ReplayPlayer) -> None:
        super().__init__()
        self._player = player
        self._last_frame = player.last_frame

    def render(self) -> Content:
        player = self._player
        if player.goal is not None:
            mark = "» replay: seeking"
        elif player.at_end:
            mark = "■ end of replay"
        else:
            mark = "‖ replay paused" if player.paused else "▶ replay"
        time = f"{duration(player.elapsed)} of {duration(player.length)}"
        frame = f"frame {player.frame:,} of {self._last_frame:,}"
        words = f"{time} · {frame} · {player.speed:g}x"
        room = min(WIDEST, self.content_size.width - len(mark) - len(words) - 4)
        if room < NARROWEST:
            return Content.styled(f"{mark} · {words}", "bold")
        played = round((room - 1) * player.position / max(1, len(player.records)))
        return Content.assemble(
            (f"{mark}  ", "bold"),
            "━" * played,
            ("●", "bold"),
            ("─" * (room - 1 - played), "$text-muted"),
            (f"  {words}", "bold"),
        )


def make_replay_app(
    player: ReplayPlayer, recorded: str = "", theme_name: str | None = None
) -> AcpApp:
    """Create an app that shows the played part of a recording as if it were live. Raises
    ConfigError.
    """
    agent = Agent(player.history.state, lambda _: None, records=player.records)
    app = AcpApp([agent], Features, clock=player.time, theme_name=theme_name)
    app.add_bindings(REPLAY)
    app.feature.add(ReplayFeature(app, player, recorded))
    return app


class ReplayFeature(Feature):
    """Plays a recording in the app, where everything works except acting in the session.

    `recorded` is its date.
    """

    name = "replay"
    handlers: ClassVar = {AppReady: "start"}
    topic = "Replay"

    def __init__(self, app: AcpApp, player: ReplayPlayer, recorded: str = "") -> None:
        self.player = player
        date = [f"Recorded on {recorded}"] if recorded else []
        self._welcome = (*date, WHAT_TO_DO)
        self.agent = app.tabs.agent
        self.agent.do = self._refuse_command
        self._bar = ReplayBar(self)
        self._next: Timer | None = None
        self._app = app
        self._inspector = app.feature.inspector
        self._inspector.logs.record_count = self._inspector.played = lambda: self.player.position
        source = self._inspector.logs.source(self.agent)
        # Otherwise the inspector would replay the log a second time.
        source.checkpoints = self.player.checkpoints

    def _refuse_command(self, _: Command) -> None:
        self._app.notify("this is a replay: there is no agent to do that")

    def start(self, _: AppReady) -> None:
        """Hide the prompt, and play."""
        conversation = self._app.conversation
        conversation.only_show(self._keys(), "A replay: nothing can be sent", self._welcome)
        conversation.prompt.display = False  # its rows show more of the transcript
        conversation.mount(self._bar, before=conversation.hints)
        self._play_due()

    def _keys(self) -> list[Hint]:
        """Return the hints for the keys that matter now."""
        player = self.player
        if player.at_end and not player.paused:
            return [("space", "play again"), *(one for one in KEYS if one[0] in ("comma", "g"))]
        return [("space", "play" if player.paused else "pause"), *KEYS]

    def _play_due(self) -> None:
        """Play the records that are due, and set a timer for the next one."""
        if self._next is not None:
            self._next.stop()
            self._next = None
        moved = self.player.play()
        if moved is None:
            self._app.changed(self.agent, [ScreenChanged()])
        elif moved:
            self._app.changed(self.agent, moved)
        self._bar.show()
        self._app.conversation.show_only_keys(self._keys())
        wait = self.player.wait()
        if wait is not None:
            self._next = self._app.set_timer(max(0.004, min(wait, REFRESH)), self._play_due)

    def allows(self, action: str) -> bool:  # noqa: ARG002
        """Return whether the replay's keys work here, which they don't if they have another
        meaning.
        """
        front = self._app.screens[-1]
        own = isinstance(front.focused, Input | FrameTable | Detail)
        return self._inspector.front is None and not own

    # Actions

    def pause(self) -> None:
        """Pause or resume."""
        self.player.pause()
        self._play_due()

    def faster(self) -> None:
        """Play faster."""
        self.player.faster()
        self._play_due()

    def slower(self) -> None:
        """Play slower."""
        self.player.slower()
        self._play_due()

    def step(self, by: int) -> None:
        """Go one record forward (`by` 1) or back (-1)."""
        self.player.step(by)
        self._play_due()

    def seek_end(self) -> None:
        """Go to the end."""
        self.seek(len(self.player.records))

    def seek(self, position: int) -> None:
        """Go to the position after `position` records."""
        self.player.seek(position)
        self._play_due()

    def ask_goal(self) -> None:
        """Ask for a position to go to."""
        self._bar.ask()

    def leave_bar(self) -> None:
        """Return the focus to the conversation."""
        conversation = self._app.conversation
        (conversation.transcript or conversation).focus()
