"""Requests about files in their order: some are served at a time, the others wait."""

from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import anyio
from anyio.abc import TaskGroup

from acp_tui.protocol.events import Requested

AT_ONCE = 512
"""How many are served at a time, beside those that wait for a person."""
REST = 0.02
"""Seconds between two looks at whether the agent has read its answers."""


class RequestQueue:
    """Serves requests, each in a task of its own. None is begun while there is no room for answers.

    Of those that wait the queue knows only the number of the frame, by which `find` gives them.
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
        self._resting = False

    def put(self, request: Requested) -> None:
        """Serve a request, now or later."""
        self._waiting.append(request.number)
        self._go_on()

    def remove(self, request: Requested) -> bool:
        """Remove a request; return whether it still waited."""
        try:
            self._waiting.remove(request.number)
        except ValueError:
            return False
        return True

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Let another be served while this one waits for a person."""
        self._served -= 1
        self._go_on()
        try:
            yield
        finally:
            self._served += 1

    def _go_on(self) -> None:
        while self._waiting and self._served < AT_ONCE and not self._resting:
            if self._has_room():
                request = self._find(self._waiting.popleft())
                if request is not None:
                    self._served += 1
                    self._tasks.start_soon(self._one, request, name=request.method)
            else:
                self._resting = True
                self._tasks.start_soon(self._rest, name="rest")

    async def _one(self, request: Requested) -> None:
        try:
            await self._serve(request)
        finally:
            self._served -= 1
            self._go_on()

    async def _rest(self) -> None:
        while not self._has_room():  # noqa: ASYNC110  # told of each byte, it would cost more
            await anyio.sleep(REST)
        self._resting = False
        self._go_on()
