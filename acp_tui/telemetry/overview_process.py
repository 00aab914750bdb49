"""The numbers of all recordings, from a process of their own: reading them holds up no key."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.abc import Process

from acp_tui.archive.helper import helper
from acp_tui.wire.recorded_numbers import News, read_news

_CHUNK = 1024 * 1024


class OverviewProcess:
    """Ask it, and read its news."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def ask(self, agent: str, age: float) -> None:
        """Ask for the recordings of agents whose names have this in them, not older than so many seconds;
        0 for all.
        """
        assert self._process.stdin is not None
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self._process.stdin.send(
                json.dumps({"agent": agent, "age": age}).encode() + b"\n"
            )

    async def news(self) -> AsyncIterator[News]:
        """Yield what it tells, until it ends."""
        assert self._process.stdout is not None
        rest = b""
        with suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            while True:
                *lines, rest = (rest + await self._process.stdout.receive(_CHUNK)).split(b"\n")
                for line in lines:
                    yield read_news(json.loads(line))


@asynccontextmanager
async def overview() -> AsyncIterator[OverviewProcess]:
    """Start it, and end it afterward. Raises OSError."""
    async with helper("acp_tui.telemetry.overview_program") as process:
        yield OverviewProcess(process)
