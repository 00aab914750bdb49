"""The numbers of all recordings for a screen: the index has them, and another process reads what it lacks."""

import errno
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import inf

import anyio
from anyio import to_thread
from anyio.abc import Process

from acp_tui.config.paths import archive_file, recordings_folder
from acp_tui.index.index import Index
from acp_tui.index.numbers import list_agents, number_parts
from acp_tui.index.reader_process import ASKED_FOR, helper
from acp_tui.recordings.recorded_numbers import News
from acp_tui.store.recordings import in_use, recordings

PARTS = 24
"""In so many parts the numbers go, at most: bars of a row."""
SO_FAR = 0.5
"""Seconds between two looks at what is read so far."""
_MOST_NAMES = 100
"""Names of one kind that a part has: more than these nobody looks through."""


class Overview:
    """Asks the index, as long as the process reads and whenever something else is asked for."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._agent, self._age = "", 0.0
        self._asked = anyio.Event()

    async def ask(self, agent: str, age: float) -> None:
        """Ask for the recordings of agents with this in their names, at most `seconds` old; 0 for all."""
        self._agent, self._age = agent, age
        self._asked.set()

    async def news(self) -> AsyncIterator[News]:
        """Yield what there is. Raises OSError: the index can't be read."""
        while True:
            self._asked = anyio.Event()
            is_read = self._process.returncode is not None
            yield await to_thread.run_sync(
                _read, self._agent, self._age, is_read, abandon_on_cancel=True
            )
            with anyio.move_on_after(inf if is_read else SO_FAR):
                await self._asked.wait()


@asynccontextmanager
async def overview() -> AsyncIterator[Overview]:
    """Start the process, and end it afterward. Raises OSError."""
    async with helper("acp_tui.index.background_update", ASKED_FOR) as process:
        yield Overview(process)


def _read(agent: str, age: float, is_read: bool) -> News:
    """Read what the index has. Raises OSError."""
    files = recordings(recordings_folder())
    try:
        with Index.open(archive_file()) as index:
            left = 0 if is_read else len(index.due(files, leave=in_use))
            since = time.time() - age if age else 0.0
            parts = number_parts(index.database, agent, since, PARTS)
            agents = list_agents(index.database)
    except sqlite3.Error as error:
        raise OSError(errno.EIO, str(error)) from None
    for _, one in parts:
        one.bound(_MOST_NAMES)
    return News(len(files) - left, len(files), agents, parts)
