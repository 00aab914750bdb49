"""The inspector's status: how much there is, and for a moment what was just done, or why not."""

from collections.abc import Callable

from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from acp_tui.ui.toolkit.notes import SECONDS

GAP = "  "
LEAST = 20
"""Cells that tell something of the counts."""


class StatusRow(Widget):
    """The counts at the left, and a word at the right, which takes the room of the last ones."""

    def __init__(self) -> None:
        super().__init__(id="counts")
        self._counts = Content()
        self._word = ""
        self._holds: Callable[[], bool] = _always
        self._timer: Timer | None = None

    def update(self, counts: Content) -> None:
        """Show other counts."""
        if counts != self._counts:
            self._counts = counts
            self.refresh()

    def say(
        self, word: str, seconds: float = SECONDS, holds: Callable[[], bool] | None = None
    ) -> None:
        """Say something for a moment, and no longer than it `holds`."""
        self.forget()
        self._word, self._holds = word, holds or _always
        self._timer = self.set_timer(seconds, self.forget)
        self.refresh()

    def look(self) -> None:
        """Forget what holds no longer."""
        if not self._holds():
            self.forget()

    def forget(self) -> None:
        """Show the counts alone."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._word, self._holds = "", _always
        self.refresh()

    def render(self) -> Content:
        width = self.content_size.width
        if not self._word:
            return self._counts.truncate(width, ellipsis=True)
        word = Content.styled(self._word, "$text-warning").truncate(width, ellipsis=True)
        room = width - word.cell_length - len(GAP)
        if room < LEAST:
            return word
        return Content.assemble(self._counts.truncate(room, ellipsis=True, pad=True), GAP, word)


def _always() -> bool:
    return True
