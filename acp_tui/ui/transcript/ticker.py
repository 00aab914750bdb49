"""The clocks and spinners of entries that are still running."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.timer import Timer

from acp_tui.ui.transcript.document import LinePlace
from acp_tui.ui.transcript.entries.context import SPINS

if TYPE_CHECKING:
    from acp_tui.ui.transcript.document import Document


class Ticker:
    """Draws running clocks again and again; its timer runs only while there are any.

    `document` returns the document on screen, or None while there is none.
    """

    def __init__(
        self,
        document: Callable[[], "Document | None"],
        set_interval: Callable[[float, Callable[[], None]], Timer],
        draw_line: Callable[[int], object],
    ) -> None:
        self._document = document
        self._set_interval = set_interval
        self._draw_line = draw_line
        self._timer: Timer | None = None

    @property
    def is_ticking(self) -> bool:
        """Whether clocks are being drawn."""
        return self._timer is not None

    def update(self) -> None:
        """Start or stop, as the entries of the document require."""
        document = self._document()
        live = document is not None and any(
            document.view(index).live for index in document.unsettled
        )
        if live and self._timer is None:
            self._timer = self._set_interval(1 / SPINS, self._tick)
        elif not live and self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _tick(self) -> None:
        document = self._document()
        if document is not None:
            for index in document.unsettled:
                view = document.view(index)
                if view.live:
                    for line in view.clock_lines:
                        self._draw_line(document.offset(LinePlace(index, line)))
        self.update()
