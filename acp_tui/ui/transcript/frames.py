"""Work in frames: some milliseconds at a time, not too often, with room for others in between."""

import asyncio
from collections.abc import Callable
from time import perf_counter

FRAME = 1 / 25
"""Seconds between two frames while things change."""
BUDGET = 0.008
"""Seconds of work at one go."""
PAUSE = 0.008
"""Seconds for others between two goes, when work is left."""


class FrameTimer:
    """Calls for the next frame. A timer of Textual's would be a task for each."""

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
        """Call for no frame."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None
