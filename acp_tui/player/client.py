"""Plays the recorded client to an agent process."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import anyio

from acp_tui.client.process.agent_process import AgentProcess
from acp_tui.debug.compare.values import Counterparts
from acp_tui.debug.play.played_client import PlayedClient
from acp_tui.debug.play.recorded_client import Acts
from acp_tui.debug.play.scenes import PlayAction, ReportProblem, SendLine
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame, Framer
from acp_tui.protocol.process_events import ProcessExited, ProcessStarted, StderrLine

SILENCE = 0.5
"""Seconds to listen after the last response."""
EXIT_TIMEOUT = 1.0
"""Seconds that the agent has to exit."""
MOST_OUTPUT_BYTES = 128 * 1024 * 1024
"""Approximate limit of the agent's output in bytes: it is kept in memory for the comparison."""
_OVERHEAD = 300
"""Bytes of memory that a line takes besides its text."""


class FolderFiles:
    """Reads and writes files inside one folder; symlinks that lead out of it are not followed."""

    def __init__(self, folder: Path) -> None:
        self.folder = os.path.realpath(folder)

    def read(self, path: str) -> str | None:
        """Read a file; return None if there is none, or it is outside the folder."""
        place = self._place_of(path)
        if place is None or not place.is_file():
            return None
        try:
            return place.read_text("utf-8", errors="replace")
        except OSError:
            return None

    def write(self, path: str, text: str) -> bool:
        """Write a file; return False if it is outside the folder, or can't be written."""
        place = self._place_of(path)
        if place is None:
            return False
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8", errors="replace", newline="")
        except OSError:
            return False
        return True

    def _place_of(self, path: str) -> Path | None:
        try:
            real = Path(os.path.realpath(path))
        except (OSError, ValueError):
            return None
        return real if Path(path).is_absolute() and real.is_relative_to(self.folder) else None


@dataclass
class Play:
    """How to play a run: `speed` divides the pauses, `patience` is the timeout of responses in
    seconds.
    """

    acts: Acts
    files: FolderFiles
    speed: float
    patience: float
    report: Callable[[str], None]
    record: Callable[[Record], None]


async def play_client(argv: Sequence[str], plays: Sequence[Play]) -> None:
    """Play the client's side of each run to an agent process of its own. Raises SpawnError."""
    counterparts, numbers = Counterparts(), count(1)
    for how in plays:
        process = await AgentProcess.spawn(argv, how.files.folder)
        await _play_run(_Driver(process, how, counterparts, numbers), argv)


async def _play_run(driver: "_Driver", argv: Sequence[str]) -> None:
    process, how = driver.process, driver.how
    how.record(ProcessStarted(time.monotonic(), tuple(argv), how.files.folder, process.pid))
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(driver.read)
            tasks.start_soon(driver.read_stderr)
            await driver.drive()
            tasks.cancel_scope.cancel()
    finally:
        exited = await process.stop(EXIT_TIMEOUT)
        how.record(
            ProcessExited(time.monotonic(), exited.code, exited.signal, asked=not driver.closed)
        )


@dataclass
class _Driver:
    process: AgentProcess
    how: Play
    counterparts: Counterparts
    """The agent's ids for the recorded ones. Later runs use them, too, as they may load this run's
    sessions.
    """
    numbers: Iterator[int]
    ended: bool = False
    """Whether output is no longer read."""
    closed: bool = False
    """Whether the agent closed its output by itself."""
    _received: int = 0
    """Bytes received from the agent, with the overhead of each line."""
    _changed: anyio.Event = field(default_factory=anyio.Event)

    def __post_init__(self) -> None:
        how = self.how
        self._client = PlayedClient(
            how.acts,
            how.files,
            time.monotonic(),
            speed=how.speed,
            counterparts=self.counterparts,
        )
        self._received_at = time.monotonic()

    async def drive(self) -> None:
        """Send messages when they are due, until all are answered or the agent is silent for too
        long.
        """
        while not self.ended:
            await self._execute_actions(self._client.advance(time.monotonic()))
            due, now = self._client.next, time.monotonic()
            if due is not None:
                wait = max(0.0, due - now)
            elif self._client.is_over:
                wait = self._received_at + SILENCE - now
                if wait <= 0:
                    return
            else:
                wait = self._received_at + self.how.patience - now
                if wait <= 0:
                    self.how.report(
                        f"no answer to {self._client.waiting} for {self.how.patience:g} s"
                    )
                    return
            self._changed = anyio.Event()
            with anyio.move_on_after(wait):
                await self._changed.wait()

    async def _execute_actions(self, actions: list[PlayAction]) -> None:
        for action in actions:
            match action:
                case SendLine(raw=raw):
                    self._record_frame(Direction.OUT, raw)
                    await self._send_data(raw + b"\n")
                case ReportProblem(words=words):
                    self.how.report(words)

    async def _send_data(self, data: bytes) -> None:
        with anyio.move_on_after(self.how.patience) as patience:
            await self.process.send(data)
        if patience.cancelled_caught:
            self.how.report(f"the agent has read nothing for {self.how.patience:g} s")
            self.ended = True

    async def read(self) -> None:
        """Read the agent's output."""
        framer = Framer()
        while data := await self.process.receive():
            for line in framer.feed(data):
                self._received += len(line.raw) + _OVERHEAD
                self._record_frame(Direction.IN, line.raw)
                self._client.receive(line.raw, time.monotonic())
            self._received_at = time.monotonic()
            self._changed.set()
            if self._received > MOST_OUTPUT_BYTES:
                most = f"{MOST_OUTPUT_BYTES // 2**20} MiB"
                self.how.report(f"the agent said more than {most}: the rest is not read")
                break
        else:
            self.closed = True
        self.ended = True
        self._changed.set()

    async def read_stderr(self) -> None:
        """Record the agent's stderr."""
        async for line in self.process.stderr_lines():
            self.how.record(StderrLine(time.monotonic(), line))

    def _record_frame(self, direction: Direction, raw: bytes) -> None:
        number = next(self.numbers)
        self.how.record(Frame(direction, raw, time.monotonic(), number, size=len(raw)))
