"""Timers of one call that always make it, however late they begin.

A timer of Textual's skips the calls that it is too late for. Where only one was due, nothing is left: if the
process loses the processor for the length of the delay while such a timer begins, it is never called.
"""

from typing import Any

from textual.timer import Timer

_init = Timer.__init__


def _init_without_skipping(
    self: Timer, *args: Any, repeat: int | None = None, skip: bool = True, **options: Any
) -> None:
    _init(self, *args, repeat=repeat, skip=skip and repeat != 0, **options)


def fire_late_timers() -> None:
    """Make each timer of one call fire, from now on."""
    Timer.__init__ = _init_without_skipping  # type: ignore[method-assign]
