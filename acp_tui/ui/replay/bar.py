"""The row that shows how far a replay is."""

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from acp_tui.formatting import counted
from acp_tui.ui.inspector.ask_bar import AskBar
from acp_tui.ui.inspector.asks import SeekAsk
from acp_tui.ui.replay.player import Player

if TYPE_CHECKING:
    from acp_tui.ui.replay.controller import ReplayController


class ReplayBar(Vertical):
    """One row; a field for the place to go to is above it while that is asked for."""

    DEFAULT_CSS = """
    ReplayBar {
        height: auto;
    }
    """

    def __init__(self, replay: "ReplayController") -> None:
        super().__init__()
        self._replay = replay
        self._position = ReplayPosition(replay.player)

    def compose(self) -> ComposeResult:
        yield self._position

    def show(self) -> None:
        """Show where the replay is now."""
        self._position.refresh()

    def ask(self) -> None:
        """Ask where to go."""
        records = self._replay.player.records
        ask = SeekAsk(records, lambda index: self._replay.seek(index + 1))
        self.mount(AskBar(ask), before=self._position)

    def on_ask_bar_closed(self, event: AskBar.Closed) -> None:
        """Return the focus to the conversation."""
        event.stop()
        self._replay.leave_bar()


class ReplayPosition(Widget):
    """A mark, the place, and the speed."""

    DEFAULT_CSS = """
    ReplayPosition {
        height: 1;
        padding: 0 1;
        background: $warning-muted;
        color: $text-warning;
        text-wrap: nowrap;
    }
    """

    def __init__(self, player: Player) -> None:
        super().__init__()
        self._player = player

    def render(self) -> Content:
        player = self._player
        if player.goal is not None:
            mark = "» seeking"
        elif player.at_end:
            mark = "■ end"
        else:
            mark = "‖ paused" if player.paused else "▶ replay"
        total = counted(len(player.records), "record")
        place = f"{player.position:,} of {total} · {player.elapsed:.1f}s of {player.length:.1f}s"
        words = f"{mark} · {place} · {player.speed:g}x"
        return Content.styled(words, "bold")
