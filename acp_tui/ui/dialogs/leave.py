"""Asks whether a run goes on when its screen is left."""

from collections.abc import Callable

from acp_tui.ui.bindings import key_name
from acp_tui.ui.dialogs.confirm import ConfirmDialog


class LeaveDialog(ConfirmDialog):
    """The result is whether the run ends; None stays."""

    escape = "stay"

    def __init__(self, name: str, clock: Callable[[], float], *, goes_on: bool) -> None:
        """`goes_on` says whether the run is kept as it is."""
        again = "keeps it running" if goes_on else "ends it"
        facts = [
            f"If you keep it running, show it again with: acp-tui attach {name}",
            "Questions from agents then wait for you, unless a rule decides them.",
            f"{key_name('ctrl+q')} again {again}.",
        ]
        keep = ("Keep it running, and leave", "●")
        super().__init__(f"Leave {name}?", facts, "End it, and its agents", clock, keep)

    def action_close(self) -> None:
        """Stay."""
        self.dismiss(None)
