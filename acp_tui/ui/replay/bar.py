"""Where a replay is."""

from textual.content import Content
from textual.widget import Widget

from acp_tui.formatting import counted
from acp_tui.ui.replay.player import Player


class ReplayBar(Widget):
    """One row: a mark, the place, and the speed."""

    DEFAULT_CSS = """
    ReplayBar {
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
