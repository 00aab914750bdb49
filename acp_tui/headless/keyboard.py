"""What a person types at the terminal, on one line."""

import os
import sys
from contextlib import suppress

import anyio

SHOWN = 0.5
"""Seconds that a question is seen before a key counts."""
_LONGEST = 4096


async def announce() -> None:
    """Announce a question; discard what was typed before, which was not meant for it."""
    import termios  # POSIX only

    await anyio.sleep(SHOWN)
    with suppress(termios.error):  # the terminal is gone: the answer will be none
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


async def read_line(prompt: str) -> str | None:
    """Read a line; whatever is printed next begins on a new one. None if the input has ended."""
    print(prompt, end="", file=sys.stderr, flush=True)  # noqa: T201
    line = b""
    try:
        await anyio.wait_readable(sys.stdin)  # a thread in readline() could never be left
        line = os.read(sys.stdin.fileno(), _LONGEST)
    finally:
        if not line.endswith(b"\n"):
            print(file=sys.stderr)  # noqa: T201
    return line.decode("utf-8", "replace").strip() if line else None
