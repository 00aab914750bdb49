"""The pane of frames beside the conversation."""

from collections.abc import Sequence
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from acp_tui.state.state import State
from acp_tui.ui.inspector import bindings
from acp_tui.ui.inspector.frames import FrameActions, Frames, FramesPort
from acp_tui.ui.inspector.log_source import LogSource
from acp_tui.ui.inspector.status import inspector_status
from acp_tui.ui.toolkit.hints import Footed, Hint

KEYS: list[Hint] = [
    ("tab", "move"),
    ("enter", "open"),
    ("n", "finding"),
    ("p", "pair"),
    ("v", "raw"),
    ("f12", "all of it"),
    ("f1", "keys"),
    ("i", "entry"),
    ("y", "copy"),
]
DETAIL_KEYS: list[Hint] = [("enter", "fold") if key == "enter" else (key, do) for key, do in KEYS]
WIDE = 120
"""Width of a screen, in cells, from which table and detail are side by side."""
HIGH = 20
"""Height of a pane, in rows, from which the detail is shown."""


class FramesPane(FrameActions, Footed, Vertical):
    """Shows frames and their counts; the detail is beside the table if there is room, otherwise
    below.
    """

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    BINDINGS = bindings.PANE  # type: ignore[assignment]

    def __init__(self, state: State, source: LogSource, outside: FramesPort) -> None:
        super().__init__()
        self._state = state
        self.source = source
        self.agent_label = ""
        """The agent's name if there are several agents."""
        self.frames = Frames(state, source, outside)
        self._counts = Static(markup=False, id="counts")

    def compose(self) -> ComposeResult:
        yield self.frames
        yield self._counts

    def on_mount(self) -> None:
        self.frames.table.wake()

    def on_resize(self) -> None:
        """Choose a layout that fits."""
        self.set_class(self.screen.size.width >= WIDE, "-beside")
        self.set_class(self.size.height < HIGH, "-low")

    @property
    def footer(self) -> Sequence[Hint]:
        if self.frames.detail.has_focus:
            return DETAIL_KEYS
        return [one for one in KEYS if one[0] != "v" or self.frames.detail.display]

    def on_frames_counted(self) -> None:
        """Update the counts."""
        table = self.frames.table
        counts = inspector_status(
            self.source, table.following, table.goal, self.agent_label, played=table.played_time
        )
        self._counts.update(counts, layout=False)
