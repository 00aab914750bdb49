"""Waiting for something to change."""

import anyio


class Wakeup:
    """Wakes every task that waits for a change; each then checks its own condition again."""

    def __init__(self) -> None:
        self._changed = anyio.Event()

    def wake(self) -> None:
        """Wake all tasks that wait now."""
        changed, self._changed = self._changed, anyio.Event()
        changed.set()

    async def wait(self) -> None:
        """Wait for the next change. What came before isn't seen: check the condition right before."""
        await self._changed.wait()
