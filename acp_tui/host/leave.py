"""Handles the signals that ask the program to quit."""

import signal
from collections.abc import AsyncIterable, AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio

REPEAT_INTERVAL = 0.5
"""Seconds in which repeated signals count as one: closing a window, or signaling a process group,
delivers several.
"""


class QuitSignal:
    """A request to quit by a signal; `number` is the signal's once `requested` is set."""

    def __init__(self) -> None:
        self.requested = anyio.Event()
        self.number = 0
        self.is_lent: Callable[[], bool] = bool
        """Returns whether another program has the terminal: Ctrl+C is then for that program."""

    async def handle(self, signals: AsyncIterable[int], kill_now: Callable[[], None]) -> None:
        """Handle signals: the first one requests to quit, a later one kills the agents."""
        asked_at = 0.0
        async for number in signals:
            if number == signal.SIGINT and self.is_lent():
                continue
            if not self.requested.is_set():
                asked_at = anyio.current_time()
                self.number = number
                self.requested.set()
            elif anyio.current_time() - asked_at > REPEAT_INTERVAL:
                kill_now()

    @asynccontextmanager
    async def calling(self, stop: Callable[[], object]) -> AsyncIterator[None]:
        """Call `stop` when a signal asks to quit, or has asked already, until the block ends."""

        async def stop_on_signal() -> None:
            await self.requested.wait()
            stop()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stop_on_signal)
            yield
            tasks.cancel_scope.cancel()


def quit_signals() -> list[signal.Signals]:
    """Return the signals that ask us to quit."""
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]
