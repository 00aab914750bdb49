"""The prompt queue: prompts that wait until the agent is ready for them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widget import Widget

from acp_tui.formatting import counted
from acp_tui.ui.prompt import bindings

if TYPE_CHECKING:
    from acp_tui.ui.prompt.feature import PromptFeature

LOST = "↑ or ↓ marks one"
ROWS = 6
"""Most prompts shown at a time."""


class QueueView(Widget, can_focus=True):
    """One row with the number of queued prompts; with the focus, a movable row for each."""

    BINDINGS = bindings.QUEUE  # type: ignore[assignment]

    def __init__(self, prompts: "PromptFeature") -> None:
        super().__init__()
        self._feature = prompts
        self._prompts: Sequence[str] = ()
        self._paused = False
        self._cursor = 0
        self._is_lost = False
        """Whether the marked prompt is gone: keys do nothing until the user marks another."""
        self.display = False

    def show(self, prompts: Sequence[str], *, paused: bool = False) -> None:
        """Show the queue, next prompt first; a `paused` queue waits for the user."""
        self._prompts = tuple(prompts)
        self._paused = paused
        self._cursor = max(0, min(self._cursor, len(prompts) - 1))
        self.display = bool(prompts)
        self.refresh(layout=True)

    def on_focus(self) -> None:
        """Show a row for each prompt."""
        self._is_lost = False
        self.refresh(layout=True)

    def on_blur(self) -> None:
        """Show only the number of prompts."""
        self.refresh(layout=True)

    def action_mark(self, step: int) -> None:
        """Move the mark by `step` prompts."""
        step = 0 if self._is_lost else step
        self._cursor = max(0, min(self._cursor + step, len(self._prompts) - 1))
        self._is_lost = False
        self.refresh(layout=True)

    def action_shift(self, step: int) -> None:
        """Move the marked prompt up or down in the queue."""
        at = self._cursor + step
        if 0 <= at < len(self._prompts) and not self._is_lost:
            prompts = list(self._prompts)
            prompts.insert(at, prompts.pop(self._cursor))
            self._cursor = at
            self._change_queue(prompts)

    def action_remove(self) -> None:
        """Remove the marked prompt from the queue."""
        if not self._is_lost:
            self._is_lost = True
            prompts = list(self._prompts)
            del prompts[self._cursor : self._cursor + 1]
            self._change_queue(prompts)

    def _change_queue(self, prompts: list[str]) -> None:
        """Change the queue at once, as the next key may already be pending."""
        self.show(prompts, paused=self._paused)
        self._feature.reorder_queue(prompts)

    def action_edit(self) -> None:
        """Move the marked prompt back into the editor."""
        if not self._is_lost:
            self._feature.edit_queued(self._cursor)

    def action_steer(self) -> None:
        """Send the marked prompt now."""
        if not self._is_lost:
            self._is_lost = True
            self._feature.steer_queued(self._cursor)

    def action_close(self) -> None:
        """Return to the prompt: Esc goes one step back, and cancels the turn only from there."""
        self._feature.focus()

    def render(self) -> Content:
        width = max(1, self.content_size.width)
        rows = [self._head(), *self._rows()] if self.has_focus else [self._head()]
        return Content("\n").join(row.truncate(width, ellipsis=True) for row in rows)

    def _head(self) -> Content:
        count = (f"queued: {counted(len(self._prompts), 'prompt')} ", "bold $accent")
        if self.has_focus:
            lost = (LOST, "$warning") if self._is_lost else ""
            return Content.assemble(count, lost)
        first = _one_line(self._prompts[0]) if self._prompts else ""
        paused = ("held, Enter sends ", "$warning") if self._paused else ""
        return Content.assemble(count, paused, (f" {first}", "$text-muted"))

    def _rows(self) -> list[Content]:
        top = max(0, min(self._cursor - ROWS // 2, len(self._prompts) - ROWS))
        marked = None if self._is_lost else self._cursor
        return [
            Content.assemble(
                ("▌" if at == marked else " ", "$primary"),
                (f" {at + 1} ", "$text-muted"),
                (_one_line(self._prompts[at]), "bold" if at == marked else ""),
            )
            for at in range(top, min(top + ROWS, len(self._prompts)))
        ]


def _one_line(prompt: str) -> str:
    return " ".join(prompt.split())[:500]
