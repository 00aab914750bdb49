"""The requests of a log that have no answer yet."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Id, Request
from acp_tui.protocol.pending import Pending

_NOTHING: dict[str, Any] = {}
"""One for all."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The facts about a request that are stored until its answer; the frame isn't."""

    index: int
    at: float
    direction: Direction
    id: Id
    method: str
    session_id: str
    params: dict[str, Any]
    """Of requests for files nothing: no rule compares them with the answer."""


Recall = Callable[[int, dict[str, Any]], Asked]
"""Tells what a request was by its place in the log; its params are given."""


class Unanswered:
    """Very many may wait, so of each only its place is kept, and of few the params."""

    def __init__(self, recall: Recall) -> None:
        self._recall = recall
        self._places: Pending[int] = Pending()
        self._params: dict[int, dict[str, Any]] = {}

    def put(
        self, direction: Direction, request: Request, index: int, params: dict[str, Any]
    ) -> None:
        """Add the request at a place of the log."""
        self._places.put(direction, request.id, index)
        if not request.method.startswith("fs/"):
            self._params[index] = params

    def pop_request(self, direction: Direction, id: Id) -> Asked | None:
        """Remove and return the request that a response answers; None if none waits."""
        index = self._places.take(direction, id)
        if index is None:
            return None
        return self._recall(index, self._params.pop(index, _NOTHING))

    def oldest(self, direction: Direction, id: Id) -> Asked | None:
        """Return the request with this id that is answered next."""
        return self._at(self._places.oldest(direction, id))

    def newest(self, direction: Direction, id: Id) -> Asked | None:
        """Return the request with this id that came last."""
        return self._at(self._places.newest(direction, id))

    def since(self, start: int) -> Iterator[Asked]:
        """Yield the requests from a place of the log on, oldest first."""
        for index in sorted(self._places):
            if index >= start:
                yield self._recall(index, self._params.get(index, _NOTHING))

    def __iter__(self) -> Iterator[int]:
        """Yield the places of all requests."""
        yield from self._places

    def _at(self, index: int | None) -> Asked | None:
        return None if index is None else self._recall(index, self._params.get(index, _NOTHING))
