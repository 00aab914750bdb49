"""Shows the numbers of all recordings."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol

from acp_tui.ui.feature import Feature
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.recordings.recorded_numbers import News
    from acp_tui.ui.inspector.feature import InspectorFeature


class AllNumbers(Protocol):
    """Reads the numbers of all recordings, apart from the screen."""

    async def ask(self, agent: str, age: float) -> None:
        """Ask for the recordings of agents whose names have this in them, not older than so many seconds;
        0 for all.
        """

    def news(self) -> "AsyncIterator[News]":
        """Yield what there is, again and again, while it is read and when something else is asked for."""


ReadAll = Callable[[], AbstractAsyncContextManager[AllNumbers]]


class NumbersFeature(Feature):
    """Opens their page. Without `read_all` there is none to open."""

    name = "numbers"
    read_all: ReadAll | None = None

    def __init__(self, window: Window, inspector: "InspectorFeature") -> None:
        self._window = window
        self._inspector = inspector

    def open(self) -> None:
        """Show the page, over whatever there is."""
        if self.read_all is None:
            self._inspector.say("recordings can't be read from here")
            return
        from acp_tui.ui.inspector.all_numbers import AllNumbersPage

        self._window.push(AllNumbersPage(self.read_all))
