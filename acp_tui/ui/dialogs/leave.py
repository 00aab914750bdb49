"""Asks whether a kept run goes on when its screen is left."""

from collections.abc import Callable

from acp_tui.ui.dialogs.confirm import ConfirmDialog


class LeaveDialog(ConfirmDialog):
    """The result is whether the run ends; None stays."""

    escape = "stay"

    def __init__(self, name: str, clock: Callable[[], float]) -> None:
        facts = [
            f"Kept running, it is found again by: acp-tui attach {name}",
            "What agents ask then waits for you, but for what rules decide.",
        ]
        keep = ("Keep it running, and leave", "●")
        super().__init__(f"Leave {name}?", facts, "End it, and its agents", clock, keep)

    def action_close(self) -> None:
        """Stay."""
        self.dismiss(None)
