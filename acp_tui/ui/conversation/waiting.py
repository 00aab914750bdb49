"""Prompts that wait until the agent can take them."""

from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget

from acp_tui.ui.words import counted


class WaitingPrompts(Widget):
    """One row that tells how many wait, and how the next begins."""

    def __init__(self) -> None:
        super().__init__()
        self._prompts: Sequence[str] = ()
        self.display = False

    def show(self, prompts: Sequence[str]) -> None:
        """Show these, the next to be sent first."""
        self._prompts = tuple(prompts)
        self.display = bool(prompts)
        self.refresh()

    def render(self) -> Content:
        first = " ".join(self._prompts[0].split()) if self._prompts else ""
        row = Content.assemble(
            (f"queued: {counted(len(self._prompts), 'prompt')} ", "bold $accent"),
            (f" {first[:500]}", "$text-muted"),
        )
        return row.truncate(max(1, self.content_size.width), ellipsis=True)
