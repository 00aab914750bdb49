"""The row that shows how far a replay is."""

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from acp_tui.formatting import duration
from acp_tui.ui.inspector.ask_bar import AskBar, SeekAsk
from acp_tui.ui.replay.player import ReplayPlayer

if TYPE_CHECKING:
    from acp_tui.ui.replay.feature import ReplayFeature

NARROWEST, WIDEST = 8, 60
"""Cells of the bar that tells how much was played."""


class ReplayBar(Vertical):
    """One row; a field for the place to go to is above it while that is asked for."""

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
    """A mark, a bar, the place, and the speed."""

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
