"""What waits until keys rest: decoration, and the names of keys."""

from collections.abc import Callable

from textual.message_pump import MessagePump
from textual.timer import Timer

SECONDS = 0.05
"""How long no key has come then: one that is held down comes again sooner, and each place and color of what is
drawn is written to a terminal that may be far away.
"""


class Rest:
    """Does something once, when keys rest."""

    def __init__(self, owner: MessagePump, do: Callable[[], None]) -> None:
        self._owner = owner
        self._do = do
        self._timer: Timer | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether it is still to be done."""
        return self._timer is not None

    def wait(self) -> None:
        """Do it when no other key comes meanwhile."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._owner.set_timer(SECONDS, self._rested)

    def _rested(self) -> None:
        self._timer = None
        self._do()
