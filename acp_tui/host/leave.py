"""Signals that ask the program to leave."""

import signal
from collections.abc import AsyncIterable, Callable

import anyio

TWICE = 0.5
"""Seconds in which a signal that comes again is the same wish: those of a closed window, and those to
a group of processes, come by more than one way.
"""


class LeaveSignal:
    """A signal's wish that we leave; `number` is the signal's once it is `asked`."""

    def __init__(self) -> None:
        self.asked = anyio.Event()
        self.number = 0
        self.is_lent: Callable[[], bool] = bool
        """Whether another program has the terminal: a Ctrl+C there is for that one."""

    async def hear(self, signals: AsyncIterable[int], kill_now: Callable[[], None]) -> None:
        """Take a signal: the first asks us to quit, a second one ends the waiting."""
        asked_at = 0.0
        async for number in signals:
            if number == signal.SIGINT and self.is_lent():
                continue
            if not self.asked.is_set():
                asked_at = anyio.current_time()
                self.number = number
                self.asked.set()
            elif anyio.current_time() - asked_at > TWICE:
                kill_now()


def leaving_signals() -> list[signal.Signals]:
    """The signals that ask us to leave."""
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]
