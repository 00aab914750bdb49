"""Queue of the agent's file requests, which wait while the agent doesn't read its responses."""

from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import anyio
from anyio.abc import TaskGroup

from acp_tui.protocol.wire_events import Requested

MOST_CONCURRENT = 512
"""Most requests served at a time, not counting those that wait for the user: 100,000 at once took
1.3 GiB and froze the keys for seconds.
"""
UNREAD_CHECK_INTERVAL = 0.02
"""Seconds between checks whether the agent has read its responses."""


class RequestQueue:
    """Serves each request in its own task, but starts no task while unread responses fill the pipe.

    A queued request is stored as its frame number only, and `find` returns the request.
    """

    def __init__(
        self,
        tasks: TaskGroup,
        find: Callable[[int], Requested | None],
        serve: Callable[[Requested], Awaitable[None]],
        has_room: Callable[[], bool],
    ) -> None:
        self._tasks = tasks
        self._find = find
        self._serve = serve
        self._has_room = has_room
        self._waiting: deque[int] = deque()
        self._served = 0
        self._paused = False

    def put(self, request: Requested) -> None:
        """Serve a request, at once or when there is room."""
        self._waiting.append(request.number)

        self._start_next()

    def remove(self, request: Requested) -> bool:
        """Remove a request; return whether it was still queued."""
        try:
            self._waiting.remove(request.number)
        except ValueError:
            return False
        return True

    @contextmanager
    def slot_freed(self) -> Iterator[None]:
        """Free a request's slot while it waits for the user."""
        self._served -= 1
        self._start_next()
        try:
            yield
        finally:
            self._served += 1

    def _start_next(self) -> None:
        while self._waiting and self._served < MOST_CONCURRENT and not self._paused:
            if self._has_room():
                request = self._find(self._waiting.popleft())
                if request is not None:
                    self._served += 1
                    self._tasks.start_soon(self._serve_one, request, name=request.method)
            else:
                self._paused = True
                self._tasks.start_soon(self._wait_for_room, name="wait_for_room")

    async def _serve_one(self, request: Requested) -> None:
        try:
            await self._serve(request)
        finally:
            self._served -= 1
            self._start_next()

    async def _wait_for_room(self) -> None:
        while not self._has_room():  # noqa: ASYNC110  # an event for every byte written would cost more
            await anyio.sleep(UNREAD_CHECK_INTERVAL)
        self._paused = False
        self._start_next()
