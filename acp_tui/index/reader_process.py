"""A process of our own that reads recordings, so that keys are never late: it ends with us."""

import os
import select
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from subprocess import DEVNULL

import anyio
from anyio.abc import Process

from acp_tui.config.programs import PYTHON

ASKED_FOR = "--asked-for"
"""The argument for one whose work a person waits for."""
_END_TIMEOUT = 1.0
"""Seconds that it gets to keep what it has read."""
_NICE = 19


@asynccontextmanager
async def helper(module: str, *arguments: str) -> AsyncIterator[Process]:
    """Start a module, and end it afterward. Raises OSError."""
    with anyio.CancelScope(shield=True):  # one that is canceled as it starts would be left behind
        process = await anyio.open_process([*PYTHON, module, *arguments], stderr=DEVNULL)
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        with anyio.move_on_after(_END_TIMEOUT, shield=True):
            await process.wait()
        with anyio.CancelScope(shield=True):
            await process.aclose()


def give_way() -> None:
    """Let every other process go first, unless a person waits: called by the helper itself."""
    if ASKED_FOR not in sys.argv and hasattr(os, "nice"):
        os.nice(_NICE)


def has_news() -> bool:
    """Return whether stdin has input or has reached EOF."""
    return bool(select.select([0], [], [], 0)[0])
