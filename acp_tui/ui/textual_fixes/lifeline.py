"""Notices that our own terminal has gone: its window was closed without a signal to us."""

import select
import sys

import anyio

PERIOD = 1.0
"""Seconds between two looks. Reading would show it, too, but the app reads the terminal itself."""


async def terminal_gone() -> None:
    """Return once the terminal on stdin has hung up; never, where that can't be detected."""
    if not hasattr(select, "poll"):
        await anyio.sleep_forever()
    poll = select.poll()
    poll.register(sys.stdin.fileno(), 0)
    gone = select.POLLHUP | select.POLLERR
    while not any(seen & gone for _, seen in poll.poll(0)):  # noqa: ASYNC110 - it wakes nobody
        await anyio.sleep(PERIOD)
