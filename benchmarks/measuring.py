"""What a piece of work costs: CPU, how long it holds the event loop, and memory."""

import asyncio
import gc
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

BEAT = 0.005
"""Seconds between two looks at whether the event loop is free."""
KIB = 1024


def memory() -> float:
    """The memory that this process holds now, in MiB; where that isn't told, the most it held."""
    status = Path("/proc/self/status")
    if status.exists():
        gc.collect()
        lines = status.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / KIB
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / KIB / (KIB if sys.platform == "darwin" else 1)


class Heartbeat:
    """Notes how late a timer comes; timers of the loop itself cost next to nothing.

    As far as the loop was at work meanwhile: it may also have waited for the processor, which others
    on the machine had.
    """

    def __init__(self) -> None:
        self.stalls: list[float] = []
        self._loop = asyncio.get_running_loop()
        self._beat()

    def _beat(self, due: float | None = None, worked: float = 0.0) -> None:
        if due is not None:
            late, work = time.perf_counter() - due, time.thread_time() - worked
            self.stalls.append(max(0.0, min(late, work)))
        due = time.perf_counter() + BEAT
        self._timer = self._loop.call_later(BEAT, self._beat, due, time.thread_time())

    def stop(self) -> None:
        """Note nothing any more."""
        self._timer.cancel()


async def measured(work: Callable[[], Awaitable[None]]) -> dict[str, float]:
    """CPU and wall seconds of `work`, how long the event loop was held, MiB before and after."""
    before = memory()
    heartbeat = Heartbeat()
    cpu, wall = time.process_time(), time.perf_counter()
    await work()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    await asyncio.sleep(2 * BEAT)
    heartbeat.stop()
    stalls = sorted(heartbeat.stalls)
    after = memory()
    return {
        "cpu": cpu,
        "wall": wall,
        "worst": stalls[-1],
        "p99": stalls[int(len(stalls) * 0.99)],
        "rss": after,
        "grown": after - before,
    }
