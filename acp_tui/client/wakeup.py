"""A condition without a lock, for tasks of one event loop."""

import anyio


class Wakeup:
    """Wakes all waiting tasks at each change; each task checks its own condition again."""

    def __init__(self) -> None:
        self._changed = anyio.Event()

    def wake(self) -> None:
        """Wake all waiting tasks."""
        changed, self._changed = self._changed, anyio.Event()
        changed.set()

    async def wait(self) -> None:
        """Wait for the next call of `wake`. Earlier calls don't count: check the condition right before."""
        await self._changed.wait()
