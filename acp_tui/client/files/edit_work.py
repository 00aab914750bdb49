"""Runs the file comparisons of an `EditWatch` in tasks, since the reader of frames never waits."""

from collections.abc import Callable, Coroutine
from typing import Any

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.core import Core
from acp_tui.client.files.watched_call import WatchedCall
from acp_tui.client.own_faults import own_fault

Work = Callable[..., Coroutine[Any, Any, object]]

MOST_BEGUN = 200
"""Comparisons that run at the same time; more of them are dropped, so that a flood of tool calls
can't pile up.
"""


class EditWork:
    """Runs work in order for each tool call, and a limited amount at the same time."""

    def __init__(self, core: Core, tasks: TaskGroup) -> None:
        self._core = core
        self._tasks = tasks
        self._begun = 0
        self._left = 0
        self._moved = anyio.Event()

    async def settled(self) -> None:
        """Wait until all work that was begun in turn is done."""
        while self._left:
            if self._moved.is_set():  # several may wait
                self._moved = anyio.Event()
            await self._moved.wait()

    def begin_in_turn(self, work: Work, watch: WatchedCall, *args: Any) -> None:
        """Run work about a tool call after its earlier work; drop it if too much is running."""

        async def alone() -> None:
            try:
                async with watch.lock:
                    await work(watch, *args)
            finally:
                self._left -= 1
                self._moved.set()

        if self._begun < MOST_BEGUN:
            self._left += 1
            self.begin(alone, watch.session_id)

    def begin(self, work: Callable[[], Coroutine[Any, Any, None]], session_id: str) -> None:
        """Run work in a session; `settled` doesn't wait for it."""
        self._tasks.start_soon(self._run, work, session_id, name="edits")

    async def _run(self, work: Callable[[], Coroutine[Any, Any, None]], session_id: str) -> None:
        """Run work; report an exception, which ends nothing else."""
        self._begun += 1
        try:
            await work()
        except Exception as error:
            doing = "comparing an edit with its file"
            self._core.emit(own_fault(self._core.clock(), doing, error, session_id))
        finally:
            self._begun -= 1
