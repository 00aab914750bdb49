"""The program, telling what it holds when it gets SIGUSR1: `python -m tests.soak.census FILE ARGS`.

Each time, a line of JSON is added to FILE: see `Census`.
"""

import asyncio
import ctypes
import gc
import json
import os
import signal
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from textual.message_pump import MessagePump
from textual.timer import Timer

from acp_tui.__main__ import main
from acp_tui.debug.log import Log
from acp_tui.recordings.records import PackedLog
from acp_tui.state.entries import MessageEntry, ToolCallEntry
from acp_tui.state.state import Terminal
from acp_tui.ui.markdown.layout import LEAF_CACHE

OURS = ("acp_tui", "asyncio", "anyio", "_asyncio")
"""Whose objects are counted, by type; Textual's drawn lines are in caches with limits."""
ENTRY = 10_000
"""Bytes that an entry of the transcript takes besides its text."""
ROW = 100
"""Bytes that a frame takes in the inspector's table."""


class Census(NamedTuple):
    """What the program holds: `resident` is what it takes of the memory, in MiB, `kept` about what
    it keeps of that by design: what was said, and what went over the wire. `files` are open;
    `alive` counts the tracked objects of `OURS`.
    """

    resident: float
    kept: float
    files: int
    alive: dict[str, int]


def take() -> Census:
    """Count, after what was drawn, and all garbage, is gone and given back."""
    LEAF_CACHE._leaves.clear()
    LEAF_CACHE._count = 0
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    objects = gc.get_objects()
    kinds = Counter(type(one) for one in objects)
    alive = {
        f"{kind.__module__}.{kind.__qualname__}": count
        for kind, count in kinds.items()
        if kind.__module__.partition(".")[0] in OURS or issubclass(kind, MessagePump | Timer)
    }
    alive["tasks"] = len(asyncio.all_tasks(asyncio.get_running_loop()))
    kept = sum(map(_kept, objects))
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Census(
        round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1),
        round(kept / 2**20, 1),
        len(os.listdir("/proc/self/fd")),  # noqa: PTH208
        alive,
    )


def _kept(one: object) -> int:
    """About what an object keeps by design."""
    match one:
        case PackedLog():
            return one._loose + sum(len(block) for block in one._blocks if type(block) is bytes)
        case Log():
            return ROW * len(one)
        case MessageEntry():
            return ENTRY + 3 * len(one.text)
        case ToolCallEntry():
            return ENTRY + 3 * len(repr(one.content))
        case Terminal():
            return ENTRY + one.stored_bytes
    return 0


def _tell(file: Path) -> Any:
    def tell(*_: object) -> None:
        with file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(take()) + "\n")

    return tell


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, _tell(Path(sys.argv.pop(1))))
    main()
