"""Timers: work deferred until no key is pressed, and repeated calls while something runs."""

from collections.abc import Callable

from textual.message_pump import MessagePump
from textual.timer import Timer

SECONDS = 0.05
"""Seconds without a key before deferred work runs. A held key repeats sooner, so decorations that
are slow to send to a distant terminal aren't drawn while it is held.
"""


class DeferredWork:
    """Calls a function once no key was pressed for a moment."""

    def __init__(
        self, owner: MessagePump, work: Callable[[], object], seconds: float | None = None
    ) -> None:
        """Call `work` when no key has been pressed for `seconds` (`SECONDS` if None)."""
        self._owner = owner
        self._work = work
        self._seconds = seconds
        self._timer: Timer | None = None

    @property
    def is_pending(self) -> bool:
        """Whether a call is pending."""
        return self._timer is not None

    def defer(self) -> None:
        """Call the function later; calling this again before then restarts the delay."""
        self.cancel()
        seconds = SECONDS if self._seconds is None else self._seconds
        self._timer = self._owner.set_timer(seconds, self._finish)

    def cancel(self) -> None:
        """Cancel the call, if it is pending."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _finish(self) -> None:
        self._timer = None
        self._work()


class Ticker:
    """Calls a function repeatedly while something runs: an idle program must not wake up."""

    def __init__(self, owner: MessagePump, seconds: float, work: Callable[[], object]) -> None:
        self._owner = owner
        self._seconds = seconds
        self._work = work
        self._timer: Timer | None = None

    @property
    def is_running(self) -> bool:
        """Whether the function is being called."""
        return self._timer is not None

    def run_while(self, is_running: bool) -> None:
        """Start the calls, or stop them. Call this whenever `is_running` may have changed."""
        if is_running and self._timer is None:
            self._timer = self._owner.set_interval(self._seconds, self._work)
        elif not is_running and self._timer is not None:
            self._timer.stop()
            self._timer = None
