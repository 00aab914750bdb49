"""Work deferred until no key was pressed for 50 ms: decoration, and the names of keys."""

from collections.abc import Callable

from textual.message_pump import MessagePump
from textual.timer import Timer

SECONDS = 0.05
"""Seconds without a key. A key that is held down repeats sooner, and so draws no decoration, which may be slow to send
to a distant terminal.
"""


class DeferredWork:
    """Calls a function once, as soon as no key was pressed for a moment."""

    def __init__(self, owner: MessagePump, work: Callable[[], None]) -> None:
        self._owner = owner
        self._work = work
        self._timer: Timer | None = None

    @property
    def is_pending(self) -> bool:
        """Whether the function is still to be called."""
        return self._timer is not None

    def defer(self) -> None:
        """Call the function later; a key pressed before then defers it again."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._owner.set_timer(SECONDS, self._finish)

    def _finish(self) -> None:
        self._timer = None
        self._work()
