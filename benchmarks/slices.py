"""Runs the program and notes what holds its event loop: `python -m benchmarks.slices FILE ARG...`.

FILE gets the steps of the loop that took long: when each began, its CPU in ms, and whose it was.
"""

import asyncio
import sys
import time
from asyncio.events import Handle
from pathlib import Path

LONG = 0.001
"""Seconds of CPU from which on a step is noted."""


def main() -> None:
    """Run `acp-tui ARG...`."""
    from acp_tui.cli.main import run

    noted: list[str] = []
    plain = Handle._run

    def step(handle: Handle) -> None:
        began, cpu = time.perf_counter(), time.thread_time()
        plain(handle)
        spent = time.thread_time() - cpu
        if spent > LONG:
            noted.append(f"{began:.4f} {spent * 1000:.1f} {_name(handle)}")

    Handle._run = step  # type: ignore[assignment, method-assign]
    code = run(sys.argv[2:])
    Path(sys.argv[1]).write_text("\n".join(noted), encoding="utf-8")
    sys.exit(code)


def _name(handle: Handle) -> str:
    callback = handle._callback  # type: ignore[attr-defined]
    task = getattr(callback, "__self__", None)
    if isinstance(task, asyncio.Task):
        return f"{task.get_name()}: {task.get_coro().__qualname__}"  # type: ignore[union-attr]
    return getattr(callback, "__qualname__", "a callback")


if __name__ == "__main__":
    main()
