"""What a large recording costs to open, to check and to filter.

Run `python -m benchmarks.log [FRAMES]`, by default a million. Wall seconds; resident memory beside
what the program had before.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.debug.view import LogView
from acp_tui.log_files import open_log
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.recordings.recording import format_header, format_record
from benchmarks import sized, wire

FRAMES = sized(1_000_000, 1_000)
SCREEN = 50
FILTERS = ("kind:tool_call", "size>200 and not latency>1s", "text:READS")


def write(path: Path, frames: int) -> None:
    """A recording of one long turn."""
    lines = wire.stream().splitlines()
    with path.open("w") as file:
        file.write(format_header({}) + "\n")
        for number in range(1, frames + 1):
            raw = lines[number % len(lines)]
            frame = Frame(Direction.IN, raw, number / 1000, number, size=len(raw))
            file.write(format_record(frame) + "\n")


def resident() -> float:
    """MiB of memory in use (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20


def timed(what: str, work: Callable[[], object], before: float) -> None:
    start = perf_counter()
    work()
    print(f"{what:<44}{perf_counter() - start:>10.3f} s{resident() - before:>8.0f} MiB")


def main() -> None:
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else FRAMES
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.jsonl"
        write(path, frames)
        print(f"{frames:,} frames, {path.stat().st_size / 1e6:.0f} MB\n")
        measure(path)


def measure(path: Path) -> None:
    before = resident()
    opened = open_log(path)
    log = Log(opened.records)
    view = LogView(log)

    def first_screen() -> None:
        log.catch_up(4 * SCREEN)
        view.catch_up()

    timed("lines found", lambda: open_log(path), before)
    timed("first screen", first_screen, before)
    timed("all rows", lambda: (log.catch_up(), view.catch_up()), before)
    middle = len(view) // 2
    rows = range(middle, min(middle + SCREEN, len(view)))
    timed("a screen in the middle", lambda: [view[place].first.record for place in rows], before)
    for text in FILTERS:
        timed(f"filter {text}", LogView(log, compile_filter(text)).catch_up, before)
    timed("all rows, with findings", Log(opened.records, Linter()).catch_up, before)


if __name__ == "__main__":
    main()
