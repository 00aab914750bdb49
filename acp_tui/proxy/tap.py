"""A tap between an editor and an agent: forwards every byte, and records it."""

import os
import signal
import sys
from asyncio import get_running_loop
from collections.abc import AsyncIterable, Callable, Mapping
from contextlib import suppress
from functools import partial

import anyio

from acp_tui.client.connection.link import RecordFrame
from acp_tui.client.connection.transport import WireGate
from acp_tui.client.output_log import LINE_LIMIT, LineLog
from acp_tui.client.process.agent_process import open_pipe
from acp_tui.client.process.group import Exit, ProcessGroup, spawn_process
from acp_tui.protocol.events import LocalEvent, Record
from acp_tui.protocol.frames import UNMARKED, Direction, Frame, FrameMark, Framer, Line
from acp_tui.protocol.jsonrpc import Message
from acp_tui.protocol.process_events import ProcessExited, ProcessStarted
from acp_tui.proxy.interceptor import Interceptor
from acp_tui.proxy.tap_streams import STDERR, TapStream

STDIN, STDOUT = 0, 1
LAST_BYTES = 0.5
"""Seconds without a byte after which an exited agent's output counts as complete."""
SWITCH = 0.0005
"""Most seconds for which a thread keeps the interpreter, so that threads that forward bytes don't
wait longer.
"""
_OURS = ("SIGKILL", "SIGSTOP", "SIGCHLD", "SIGPIPE", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGCONT")
_FAULTS = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGABRT", "SIGSYS", "SIGPROF")


class Tap:
    """Forwards messages between an editor and an agent.

    `record` is called with each message in order, in the app's event loop, before a gate of
    `holding` handles it.
    """

    def __init__(
        self,
        record: Callable[[Record], None],
        clock: Callable[[], float],
        holding: Interceptor | None = None,
        waiting: Callable[[], list[Frame]] = list,
    ) -> None:
        self._record = record
        self._clock = clock
        self._holding = holding
        self._waiting = waiting
        self._number = 0
        self._signaled = False
        self._stderr = LineLog(clock, record)
        self._last = clock()

    async def run(self, argv: tuple[str, ...], cwd: str) -> Exit:
        """Run the agent to its end, with our own stdin, stdout and stderr. Raises SpawnError."""
        # No signal may end us before the agent has ended.
        with anyio.open_signal_receiver(*_agent_signals()) as signals:
            return await self._run_agent(argv, cwd, signals)

    async def _run_agent(
        self, argv: tuple[str, ...], cwd: str, signals: AsyncIterable[signal.Signals]
    ) -> Exit:
        with open_pipe() as stdin, open_pipe() as stdout, open_pipe() as stderr:
            group = spawn_process(argv, cwd, {}, stdin=stdin[0], stdout=stdout[1], stderr=stderr[1])
        for theirs in (stdin[0], stdout[1], stderr[1]):
            os.close(theirs)
        sys.setswitchinterval(SWITCH)
        self._record(ProcessStarted(self._clock(), argv, cwd, group.pid))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._pass_signals_on, group, signals)
            to_agent = TapStream(STDIN, stdin[1], partial(self._frames, Direction.OUT, Framer()))
            to_editor = TapStream(stdout[0], STDOUT, partial(self._frames, Direction.IN, Framer()))
            lines = partial(self._stderr_lines, Framer(LINE_LIMIT, blank=True))
            to_stderr = TapStream(stderr[0], STDERR, lines)
            if self._holding is not None:
                streams = {Direction.OUT: to_agent, Direction.IN: to_editor}
                wire = partial(TapWire, self._record_now, self._record, streams, group)
                self._holding.connect(wire, self._waiting)
            for stream in (to_agent, to_editor, to_stderr):
                stream.start(self._clock)
            gone = await group.wait()
            asked = self._signaled or to_agent.source_ended  # the editor asked it to exit
            await self._drain([to_editor, to_stderr])
            tasks.cancel_scope.cancel()
        if self._holding is not None:
            self._holding.disconnect()
        self._stderr.finish()
        self._record(ProcessExited(self._clock(), gone.code, gone.signal, asked=asked))
        return gone

    async def _pass_signals_on(
        self, group: ProcessGroup, signals: AsyncIterable[signal.Signals]
    ) -> None:
        async for number in signals:
            if group.exit is None:
                self._signaled = True
                os.kill(group.pid, number)

    async def _drain(self, outputs: list[TapStream]) -> None:
        """Wait for the last bytes, with a time limit: a child of the agent may keep its output open
        forever.
        """
        self._last = self._clock()
        while not all(one.done.is_set() for one in outputs):
            left = self._last + LAST_BYTES - self._clock()
            if left <= 0:
                return
            with anyio.move_on_after(min(left, 0.02)):
                for one in outputs:
                    await one.done.wait()

    def _frames(self, direction: Direction, framer: Framer, data: bytes, at: float) -> None:
        self._last = max(at, self._last)  # the times of a recording must not decrease
        for line in framer.feed(data) if data else framer.end():
            self._record_frame(direction, line)

    def _record_now(
        self, direction: Direction, line: Line, _: Message | None, mark: FrameMark
    ) -> int:
        self._last = max(self._clock(), self._last)
        return self._record_frame(direction, line, mark)

    def _record_frame(self, direction: Direction, line: Line, mark: FrameMark = UNMARKED) -> int:
        """Record a frame; return its number."""
        self._number += 1
        at, number = self._last, self._number
        self._record(Frame(direction, line.raw, at, number, line.flaw, line.size, *mark))
        return number

    def _stderr_lines(self, framer: Framer, data: bytes, at: float) -> None:
        self._last = max(at, self._last)
        for line in framer.feed(data) if data else framer.end():
            self._stderr.add_line(line.raw.decode("utf-8", "replace"))


def _agent_signals() -> list[signal.Signals]:
    """Return the signals that are forwarded to the agent."""
    kept = {getattr(signal, name, None) for name in (*_OURS, *_FAULTS)}
    found = [one for one in signal.valid_signals() if isinstance(one, signal.Signals)]
    return [one for one in found if one not in kept]


class TapWire:
    """Adapts a tap's streams to the `Wire` that a gate controls; lines are passed on with their
    newlines.
    """

    in_pieces = frozenset(Direction)

    def __init__(
        self,
        record: RecordFrame,
        emit: Callable[[LocalEvent], None],
        streams: Mapping[Direction, TapStream],
        group: ProcessGroup,
    ) -> None:
        self.record = record
        self.emit = emit
        self._streams = streams
        self._group = group
        self._loop = get_running_loop()  # the gate's callbacks run in this loop, outside any task

    def use(self, gate: WireGate) -> None:
        """Pass each line through `gate` from now on. When a side reaches EOF, its held lines are
        passed on first.
        """

        def feed(side: Direction, raw: bytes) -> None:
            gate.feed(side, Line(raw, len(raw)))

        for side, stream in self._streams.items():
            stream.guard(partial(feed, side), partial(gate.release_all, side))

    def pass_on(self, direction: Direction, raw: bytes, cuts: tuple[int, ...] = ()) -> None:
        """Send a line to the editor or the agent."""
        self._streams[direction].put(raw + b"\n", cuts)

    def after(self, seconds: float, then: Callable[[], None]) -> None:
        """Call `then` after `seconds`, unless the agent ends first."""
        self._loop.call_later(seconds, then)

    def lost(self, direction: Direction, message: Message, why: str) -> None:
        """Do nothing: the sender of a lost request notices by itself."""

    def stall(self, direction: Direction, seconds: float) -> None:
        """Stop reading and forwarding in one direction for `seconds`."""
        self._streams[direction].stall(seconds)

    def kill(self) -> None:
        """Kill the agent."""
        if self._group.exit is None:
            with suppress(OSError):
                os.kill(self._group.pid, signal.SIGKILL)
