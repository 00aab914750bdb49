"""The frames beside a conversation, so that one can talk and watch."""

from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from acp_tui.session.state import State
from acp_tui.ui import bindings
from acp_tui.ui.inspector.counts import status
from acp_tui.ui.inspector.feed import Feed
from acp_tui.ui.inspector.frames import Frames

WIDE = 120
"""Columns of a screen that has room for both side by side."""
HIGH = 20
"""Rows of a pane that has room for a frame in full."""


class FramesPane(Vertical):
    """At the side where there is room, else above."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")
    BINDINGS = bindings.PANE  # type: ignore[assignment]

    def __init__(self, state: State, feed: Feed) -> None:
        super().__init__()
        self.feed = feed
        self.whose = ""
        """Whose frames these are, where there are several agents."""
        self.frames = Frames(state, feed)
        self._counts = Static(markup=False, id="counts")

    def compose(self) -> ComposeResult:
        yield self.frames
        yield self._counts

    def on_mount(self) -> None:
        self.frames.table.wake()

    def on_resize(self) -> None:
        """Use the room there is."""
        self.set_class(self.screen.size.width >= WIDE, "-beside")
        self.set_class(self.size.height < HIGH, "-low")

    def on_frames_counted(self) -> None:
        """Tell how much there is by now."""
        table = self.frames.table
        counts = status(self.feed, table.following, table.goal, self.whose)
        self._counts.update(counts, layout=False)

    def action_entry(self) -> None:
        """Show the entry of the frame under the cursor."""
        self.frames.tell_entry()

    def action_only(self) -> None:
        """Show only the frames of the entry that one came from, or all."""
        self.frames.toggle_only()

    def action_raw(self) -> None:
        """Show the frame's bytes, or its JSON."""
        self.frames.detail.toggle_raw()
