"""Frame timing of a document, and the clocks of its running entries."""

import asyncio
from collections.abc import Callable
from time import perf_counter

from textual.message_pump import MessagePump

from acp_tui.formatting import SPINS
from acp_tui.ui.toolkit.timers import Ticker
from acp_tui.ui.transcript.document import Document, LinePlace

FRAME = 1 / 25
"""Minimum seconds between two frames."""
PAUSE = 0.008
"""Seconds left to other tasks between two frames while work remains."""


class FrameTimer:
    """Schedules the next frame; Textual's timers would start a task for each."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._call = call
        self._handle: asyncio.TimerHandle | None = None
        self._started = 0.0

    @property
    def is_set(self) -> bool:
        """Whether a frame is scheduled."""
        return self._handle is not None

    def set(self, delay: float | None = None) -> None:
        """Schedule a frame, in `delay` seconds or once the last one was `FRAME` seconds ago."""
        if self._handle is None:
            if delay is None:
                delay = max(0.001, self._started + FRAME - perf_counter())
            self._handle = asyncio.get_running_loop().call_later(delay, self._call)

    def begin(self) -> float:
        """Begin a frame; return the current `perf_counter` time."""
        self._started = perf_counter()
        return self._started

    def cancel(self) -> None:
        """Cancel the scheduled frame."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class EntryClocks:
    """Redraws the clocks of running entries as long as there are any. `document` returns the
    document on screen, or None.
    """

    def __init__(
        self,
        owner: MessagePump,
        document: Callable[[], Document | None],
        draw_line: Callable[[int], object],
    ) -> None:
        self._document = document
        self._draw_line = draw_line
        self._ticker = Ticker(owner, 1 / SPINS, self._tick)

    @property
    def are_running(self) -> bool:
        """Whether clocks are being redrawn."""
        return self._ticker.is_running

    def update(self) -> None:
        """Start the clocks if any entry is running, else stop them."""
        document = self._document()
        live = document is not None and any(
            document.view(index).live for index in document.unsettled
        )
        self._ticker.run_while(live)

    def _tick(self) -> None:
        document = self._document()
        if document is not None:
            for index in document.unsettled:
                view = document.view(index)
                if view.live:
                    for line in view.clock_lines:
                        self._draw_line(document.offset(LinePlace(index, line)))
        self.update()
