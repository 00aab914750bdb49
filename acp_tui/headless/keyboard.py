"""What a person types at the terminal, on one line."""

import os
import sys

import anyio

_LONGEST = 4096


async def typed(prompt: str) -> str | None:
    """Ask; whatever is printed next begins on a new line. None when the input has ended."""
    print(prompt, end="", file=sys.stderr, flush=True)  # noqa: T201
    line = b""
    try:
        await anyio.wait_readable(sys.stdin)  # a thread in readline() could never be left
        line = os.read(sys.stdin.fileno(), _LONGEST)
    finally:
        if not line.endswith(b"\n"):
            print(file=sys.stderr)  # noqa: T201
    return line.decode("utf-8", "replace").strip() if line else None
