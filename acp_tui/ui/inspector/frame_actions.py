"""What the keys do that work on the frame under the cursor."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.ui.inspector.frames import Frames


class FrameActions:
    """The actions that the inspector has in common with the frames beside a conversation."""

    frames: "Frames"

    def action_entry(self) -> None:
        """Show the entry of the frame under the cursor."""
        self.frames.show_entry_of_frame()

    def action_finding(self, step: int) -> None:
        """Go to the next finding, or to the one before."""
        self.frames.table.action_finding(step)

    def action_partner(self) -> None:
        """Go from a request to its answer, or back."""
        self.frames.table.action_partner()

    def action_copy(self) -> None:
        """Copy the frame under the cursor as one line."""
        self.frames.copy()

    def action_copy_as(self) -> None:
        """Copy it as a command that prints it, or as JSON."""
        self.frames.copy_as()

    def action_only(self) -> None:
        """Show only the frames of the entry that one came from, or all."""
        self.frames.toggle_only()

    def action_raw(self) -> None:
        """Show the frame's bytes, or its JSON."""
        self.frames.toggle_raw()
