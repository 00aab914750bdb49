"""Locks that serve the reads and writes of one file in order."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio


class FileLocks:
    """A lock per file in use; `place` is the file's real path."""

    def __init__(self) -> None:
        self._locks: dict[str, anyio.Lock] = {}
        self._users = Counter[str]()

    def __len__(self) -> int:
        """Return the number of locked files."""
        return len(self._locks)

    @asynccontextmanager
    async def held(self, place: str) -> AsyncIterator[None]:
        """Wait for earlier requests, then hold the lock; the last user removes it."""
        lock = self._locks.setdefault(place, anyio.Lock())
        self._users[place] += 1
        try:
            async with lock:
                yield
        finally:
            self._users[place] -= 1
            if not self._users[place]:
                del self._users[place], self._locks[place]
