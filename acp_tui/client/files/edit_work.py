"""Runs what looks at files for an `EditWatch`, beside the reader, which never waits."""

from collections.abc import Callable, Coroutine
from typing import Any

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.core import Core
from acp_tui.client.files.watched_call import WatchedCall
from acp_tui.client.own_faults import own_fault

Work = Callable[..., Coroutine[Any, Any, object]]

MOST_BEGUN = 200
"""How much is done at the same time: of the tool calls of a flood little is said."""


class EditWork:
    """Does one thing after the other for each tool call, and only so much at the same time."""

    def __init__(self, core: Core, tasks: TaskGroup) -> None:
        self._core = core
        self._tasks = tasks
        self._begun = 0
        self._left = 0
        self._moved = anyio.Event()

    async def settled(self) -> None:
        """Wait until all is done that was begun in turn."""
        while self._left:
            if self._moved.is_set():  # several may wait
                self._moved = anyio.Event()
            await self._moved.wait()

    def begin_in_turn(self, work: Work, watch: WatchedCall, *args: Any) -> None:
        """Do something about a tool call, after what was begun before; nothing while there is too
        much to do.
        """

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
        """Do something in a session; nobody waits for its end."""
        self._tasks.start_soon(self._run, work, session_id, name="edits")

    async def _run(self, work: Callable[[], Coroutine[Any, Any, None]], session_id: str) -> None:
        """Do something; a fault of it ends nothing else."""
        self._begun += 1
        try:
            await work()
        except Exception as error:
            doing = "comparing an edit with its file"
            self._core.emit(own_fault(self._core.clock(), doing, error, session_id))
        finally:
            self._begun -= 1
