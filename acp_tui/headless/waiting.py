"""Waiting for the state to change, or to be interrupted."""

import anyio


class Watch:
    """Wakes whoever waits when something moved; `interrupted` is whether the turn has to stop."""

    def __init__(self) -> None:
        self.interrupted = False
        self._moved = anyio.Event()

    def wake(self) -> None:
        """Wake whoever waits: something moved."""
        self._moved.set()

    def interrupt(self) -> None:
        """Stop the turn: a signal asked for it, or the output can't be written."""
        self.interrupted = True
        self._moved.set()

    async def wait(self) -> None:
        """Wait until something moves."""
        moved = self._moved
        await moved.wait()
        if self._moved is moved:  # of several that wait, the first has done it
            self._moved = anyio.Event()
