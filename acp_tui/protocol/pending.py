"""Requests that wait for their answers. Very many may, so nothing is made for each but its place."""

from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Id

T = TypeVar("T")


class Pending(Generic[T]):
    """Those of both sides, by their id. Where an id is used again, they are answered in their order."""

    def __init__(self) -> None:
        self._oldest: dict[Direction, dict[Id, T]] = {side: {} for side in Direction}
        self._behind: dict[tuple[Direction, Id], deque[T]] = {}
        """Those whose id was used again before it was answered."""

    def put(self, asker: Direction, id: Id, request: T) -> None:
        """Add a request that waits for its response."""
        oldest = self._oldest[asker]
        if id in oldest:
            self._behind.setdefault((asker, id), deque()).append(request)
        else:
            oldest[id] = request

    def oldest(self, asker: Direction, id: Id) -> T | None:
        """Return the request with this id that is answered next."""
        return self._oldest[asker].get(id)

    def all(self, asker: Direction, id: Id) -> list[T]:
        """Return all requests with this id, oldest first."""
        oldest = self._oldest[asker]
        return [oldest[id], *self._behind.get((asker, id), ())] if id in oldest else []

    def newest(self, asker: Direction, id: Id) -> T | None:
        """Return the request with this id that came last."""
        behind = self._behind.get((asker, id))
        return behind[-1] if behind else self.oldest(asker, id)

    def take(self, asker: Direction, id: Id) -> T | None:
        """Remove and return the request that a response is for; None if none waits."""
        request = self._oldest[asker].pop(id, None)
        behind = self._behind.get((asker, id))
        if behind is not None:
            self._oldest[asker][id] = behind.popleft()
            if not behind:
                del self._behind[asker, id]
        elif not self._oldest[asker]:
            self._oldest[asker].clear()  # by itself a dict keeps the room that it had
        return request

    def __iter__(self) -> Iterator[T]:
        for side in self._oldest.values():
            yield from side.values()
        for requests in self._behind.values():
            yield from requests
