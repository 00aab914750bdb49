"""Where a replay is, and the keys that move it."""

from textual.content import Content
from textual.widget import Widget

from acp_tui.ui.replay.player import Player
from acp_tui.ui.words import counted

KEYS = "   Space pause   +/− speed   ./, step   g seek   End"


class ReplayBar(Widget):
    """One row: a mark, the place, the speed, and the keys."""

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
        line = Content.styled(words, "bold")
        if len(words) + len(KEYS) <= self.size.width:
            line = line.append(Content(KEYS))
        return line
