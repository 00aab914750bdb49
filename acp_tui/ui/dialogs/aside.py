"""What happens on the terminal itself while the app has stepped aside."""

import os
import sys

import anyio


async def enter_pressed() -> None:
    """Return once a line was typed, or the terminal is gone."""
    await anyio.wait_readable(sys.stdin.fileno())
    os.read(sys.stdin.fileno(), 4096)
