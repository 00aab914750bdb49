"""Notices that our own terminal has gone: its window was closed without a signal to us."""

import select
import sys

import anyio

PERIOD = 1.0
"""Seconds between two looks. Reading would tell too, but the app reads the terminal itself."""


async def terminal_gone() -> None:
    """Return once the terminal on stdin has hung up; never, where that can't be seen."""
    if not hasattr(select, "poll"):
        await anyio.sleep_forever()
    poll = select.poll()
    poll.register(sys.stdin.fileno(), 0)
    while not any(events & (select.POLLHUP | select.POLLERR) for _, events in poll.poll(0)):
        await anyio.sleep(PERIOD)  # noqa: ASYNC110 - a hang-up wakes nobody
