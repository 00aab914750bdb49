"""When changes are sent to the terminal: at once, but no faster than it can show and take them."""

import asyncio
from collections.abc import Callable
from time import perf_counter

from acp_tui.ui.output.grid import Grid

PERIOD = 1 / 60
"""The fewest seconds between two frames."""
SMALL = 256
"""A frame of up to this many characters arrives whole in any case, without marks at its beginning
and end.
"""
BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"


class Display:
    """Sends frames of a grid while it is `on`. What changes before the last frame was taken goes
    into the next one. `most` returns how many characters a frame should have.
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
        """Whether something changed since the last frame."""
        self._when_drawn: list[Callable[[], object]] = []
        self.synchronizes = False
        """Whether the terminal holds a frame back until it has all of it."""

    def draw(self) -> None:
        """Bring the terminal up to date, as soon as that makes sense."""
        self.is_late = True
        if not self.on or self._timer is not None or self._is_busy():
            return  # the timer, or the terminal once it has taken everything, draws it
        left = self._sent + PERIOD - perf_counter()
        if left > 0:
            self._timer = asyncio.get_running_loop().call_later(left, self._draw_due)
        else:
            self._frame()

    def when_drawn(self, act: Callable[[], object]) -> None:
        """Call `act` once everything that changed by now has been sent."""
        self._when_drawn.append(act)
        self._note_drawn()

    def draw_now(self) -> None:
        """Draw what changed, however recent the last frame is."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self.is_late:
            self._sent = 0.0
            self.draw()

    def draw_late(self) -> None:
        """Draw what changed while the terminal was taking the last frame."""
        if self.is_late:
            self.draw()

    def start(self) -> None:
        """Draw the whole screen on a terminal of which nothing is known."""
        self.on = True
        self.grid.forget()
        if self.is_late:
            self.draw()

    def stop(self) -> str:
        """Stop sending frames. Return what has to be written before somebody else writes."""
        self.on = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        return self.grid.leave()

    def _draw_due(self) -> None:
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
