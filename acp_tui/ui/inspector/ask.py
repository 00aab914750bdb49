"""What the line below the frames asks for."""

from collections.abc import Sequence

from acp_tui.debug.filters.completion import FilterCompletion
from acp_tui.ui.toolkit.hints import Hint


class Ask:
    """What the line is for: each kind says what can be written, and does what follows."""

    label = ""
    text = ""
    """What stands there at first."""
    hint = ""
    """What can be written, where nothing can be completed."""
    keys: Sequence[Hint] = (("enter", "go there"), ("escape", "cancel"))
    """Those that are none of the text."""

    @property
    def told(self) -> str:
        """What is said below while nothing can be completed."""
        return self.hint

    def check(self, text: str) -> None:
        """Raise FilterError if this can't be used."""

    def complete(self, text: str, cursor: int) -> Sequence[FilterCompletion]:  # noqa: ARG002
        """Return what can come next."""
        return ()

    def change(self, text: str) -> None:
        """Use what is written so far."""

    def submit(self, text: str) -> None:
        """Use what was entered."""

    def cancel(self) -> None:
        """Take back what was done for it."""
