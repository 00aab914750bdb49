"""The app on a recording instead of an agent."""

from typing import ClassVar

from textual.binding import BindingType
from textual.timer import Timer
from textual.widgets import Input

from acp_tui.session.changes import PeerChanged
from acp_tui.session.commands import Command
from acp_tui.ui import bindings
from acp_tui.ui.app import AcpApp
from acp_tui.ui.hints import Hint
from acp_tui.ui.inspector.ask_bar import AskBar
from acp_tui.ui.inspector.detail import Detail
from acp_tui.ui.inspector.screen import InspectorScreen
from acp_tui.ui.inspector.seeking import place
from acp_tui.ui.inspector.table import FrameTable
from acp_tui.ui.replay.bar import ReplayBar
from acp_tui.ui.replay.player import Player
from acp_tui.ui.sessions.agent import Agent

REFRESH = 0.1
"""Seconds between two looks at the clock while the recording pauses."""
KEYS: list[Hint] = [
    ("space", "pause"),
    ("full_stop", "step"),
    ("g", "seek"),
    ("plus", "faster"),
    ("end", "end"),
]


class ReplayApp(AcpApp):
    """Plays the recording; all that one can do with a live session but act in it."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings.REPLAY]

    def __init__(self, player: Player, theme_name: str | None = None) -> None:
        agent = Agent(player.history.state, self._refuse, records=player.records)
        super().__init__([agent], clock=player.time, theme_name=theme_name)
        self._player = player
        self._feed(agent).checkpoints = player.checkpoints  # one fold of the log spares the other
        self._bar = ReplayBar(player)
        self._next: Timer | None = None

    @property
    def happened(self) -> int:
        """How many records have been played."""
        return self._player.position

    def _refuse(self, _: Command) -> None:
        self.notify("this is a replay: there is no agent to do that", markup=False)

    def on_conversation_screen_ready(self) -> None:
        """Take the prompt away, and play."""
        super().on_conversation_screen_ready()
        self.conversation.replay(KEYS)
        self.conversation.mount(self._bar, before=self.conversation.hints)
        self._play()

    def _play(self) -> None:
        """Play what is due, and see when the next is."""
        if self._next is not None:
            self._next.stop()
            self._next = None
        moved = self._player.play()
        if moved is None:
            self.changed(self.agent, [PeerChanged()])
        elif moved:
            self.changed(self.agent, moved)
        self._bar.refresh()
        wait = self._player.wait()
        if wait is not None:
            self._next = self.set_timer(max(0.004, min(wait, REFRESH)), self._play)

    @property
    def topic(self) -> str:
        """What the keys are for that are wanted first."""
        return super().topic or "Replay"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The replay's keys hold where they have no other meaning."""
        if action.startswith("replay_"):
            elsewhere = isinstance(self.screen, InspectorScreen)
            own = isinstance(self.focused, Input | FrameTable | Detail)
            return not elsewhere and not own
        return super().check_action(action, parameters)

    def action_replay_pause(self) -> None:
        """Pause, or go on."""
        self._player.pause()
        self._play()

    def action_replay_faster(self) -> None:
        """Play faster."""
        self._player.faster()
        self._play()

    def action_replay_slower(self) -> None:
        """Play slower."""
        self._player.slower()
        self._play()

    def action_replay_step(self, by: int) -> None:
        """Go a record on or back."""
        self._player.step(by)
        self._play()

    def action_replay_end(self) -> None:
        """Go to the end."""
        self._player.seek(len(self._player.records))
        self._play()

    def action_replay_seek(self) -> None:
        """Write where to go."""
        records = self._player.records
        bar = AskBar("go to", "", lambda text: place(text, records), lambda *_: ())
        self.conversation.mount(bar, before=self._bar)

    def on_ask_bar_submitted(self, event: AskBar.Submitted) -> None:
        """Go there."""
        index = place(event.text, self._player.records)
        if index is not None:
            self._player.seek(index + 1)
            self._play()
        self.on_ask_bar_closed()

    def on_ask_bar_closed(self) -> None:
        """Close the bar."""
        self.conversation.query(AskBar).remove()
        (self.conversation.transcript or self.conversation).focus()
