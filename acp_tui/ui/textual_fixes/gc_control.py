"""Garbage collection in small steps, so that the screen never stalls."""

import gc
from collections.abc import Callable
from time import perf_counter

from textual._styles_cache import StylesCache

DELAY = 1.0
"""Seconds from the closing of a screen to its garbage collection: the next key may come soon."""
SHARE = 0.02
"""Maximum share of the time that may be spent on collecting."""


class GcControl:
    """Frees what closed screens leave, which is thousands of objects in reference cycles."""

    enabled = False
    """Whether the app has the process to itself."""

    def __init__(self, set_timer: Callable[[float, Callable[[], None]], object]) -> None:
        self._set_timer = set_timer
        self._is_scheduled = False
        self._not_before = 0.0

    def begin(self) -> None:
        """Collect in small steps once the first screen is shown: startup leaves little garbage."""
        if self.enabled:
            self._set_timer(DELAY, collect_in_small_steps)

    def collect_soon(self) -> None:
        """Collect what a closed screen leaves, after a moment."""
        if self.enabled and not self._is_scheduled:
            self._is_scheduled = True
            self._set_timer(max(DELAY, self._not_before - perf_counter()), self._collect)

    def _collect(self) -> None:
        self._is_scheduled = False
        begin = perf_counter()
        StylesCache.get_inner_outer.cache_clear()  # it keeps what Textual's last 1,024 views drew
        gc.collect()
        end = perf_counter()
        self._not_before = end + (end - begin) / SHARE


def collect_in_small_steps() -> None:
    """Freeze all current objects, which stay; collect the rest in small generations."""
    gc.freeze()
    gc.set_threshold(5_000, 5, 200)


def include_old_objects() -> None:
    """Unfreeze older objects, so that they are collected, too: an early agent may be closed."""
    gc.unfreeze()
