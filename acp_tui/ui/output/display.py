"""Sends changes to the terminal: at once, but no faster than it can show and read them."""

import asyncio
from collections.abc import Callable
from time import perf_counter

from acp_tui.ui.output.grid import Grid

PERIOD = 1 / 60
"""Minimum seconds between two frames."""
SMALL = 256
"""Most characters of a frame without the marks of synchronized output: it isn't split."""
BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"


class Display:
    """Sends frames of a grid while it is `on`.

    Changes made before the terminal has read the last frame go into the next one. `most` returns
    the most characters that a frame should have.
    """

    def __init__(
        self,
        grid: Grid,
        send: Callable[[str], None],
        is_busy: Callable[[], bool],
        most: Callable[[], int],
    ) -> None:
        self.grid = grid
        self._most = most
        self._send = send
        self._is_busy = is_busy
        self._timer: asyncio.TimerHandle | None = None
        self._sent = 0.0
        self.on = False
        self.is_late = False
        """Whether something has changed since the last frame."""
        self._when_drawn: list[Callable[[], object]] = []
        self.synchronizes = False
        """Whether the terminal supports synchronized output: it only shows complete frames."""

    def draw(self) -> None:
        """Update the terminal, as soon as it is ready."""
        self.is_late = True
        if not self.on or self._timer is not None or self._is_busy():
            return  # the timer, or the terminal once it has read everything, triggers the update
        left = self._sent + PERIOD - perf_counter()
        if left > 0:
            self._timer = asyncio.get_running_loop().call_later(left, self._draw_delayed)
        else:
            self._frame()

    def when_drawn(self, act: Callable[[], object]) -> None:
        """Call `act` once all changes made so far are sent."""
        self._when_drawn.append(act)
        self._note_drawn()

    def draw_now(self) -> None:
        """Send changes at once, even if the last frame was very recent."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self.is_late:
            self._sent = 0.0
            self.draw()

    def draw_late(self) -> None:
        """Send changes that were made while the terminal was reading the last frame."""
        if self.is_late:
            self.draw()

    def start(self) -> None:
        """Draw the whole screen, on a terminal with unknown content."""
        self.on = True
        self.grid.forget()
        if self.is_late:
            self.draw()

    def stop(self) -> str:
        """Stop sending frames. Return the sequences to write before another program writes."""
        self.on = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        return self.grid.reset_style()

    def _draw_delayed(self) -> None:
        self._timer = None
        self.draw()

    def _frame(self) -> None:
        self.is_late = False
        frame = self.grid.frame(self._most())
        if frame:
            self._sent = perf_counter()
            whole = not self.synchronizes or len(frame) < SMALL
            self._send(frame if whole else f"{BEGIN}{frame}{END}")
        if self.grid.is_stale:
            self.draw()
        self._note_drawn()

    def _note_drawn(self) -> None:
        while self._when_drawn and not self.is_late:
            self._when_drawn.pop(0)()
