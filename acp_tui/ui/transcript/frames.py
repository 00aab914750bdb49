"""When a document is drawn: in frames while it changes, and by the clock while entries run."""

import asyncio
from collections.abc import Callable
from time import perf_counter

from textual.message_pump import MessagePump

from acp_tui.formatting import SPINS
from acp_tui.ui.toolkit.timers import Ticker
from acp_tui.ui.transcript.document import Document, LinePlace

FRAME = 1 / 25
"""Seconds between two frames while things change."""
PAUSE = 0.008
"""Seconds for other tasks between two frames, when work is left."""


class FrameTimer:
    """Schedules the next frame; a timer of Textual's would start a task for each."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._call = call
        self._handle: asyncio.TimerHandle | None = None
        self._begun = 0.0

    @property
    def is_set(self) -> bool:
        """Whether a frame will come."""
        return self._handle is not None

    def set(self, delay: float | None = None) -> None:
        """Call after `delay` seconds, else as soon as the last frame is old enough."""
        if self._handle is None:
            if delay is None:
                delay = max(0.001, self._begun + FRAME - perf_counter())
            self._handle = asyncio.get_running_loop().call_later(delay, self._call)

    def begin(self) -> float:
        """Begin a frame; return the time, as `perf_counter` has it."""
        self._begun = perf_counter()
        return self._begun

    def cancel(self) -> None:
        """Cancel the next frame."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


class EntryClocks:
    """Redraws the clocks of running entries while there are any. `document` returns the document on screen, if
    any.
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
        """Whether clocks are being drawn."""
        return self._ticker.is_running

    def update(self) -> None:
        """Start or stop the clocks: they run while an entry has one."""
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
