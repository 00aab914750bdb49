"""Stands between an editor and an agent: passes every byte on, and records it."""

import os
import select
import signal
import sys
import threading
from asyncio import get_running_loop
from collections.abc import AsyncIterable, Callable
from contextlib import suppress
from functools import partial

import anyio

from acp_tui.client.line_splitter import LINE_LIMIT
from acp_tui.client.output_log import LineLog
from acp_tui.client.process.group import Exit, ProcessGroup, spawn
from acp_tui.client.process.pipes import pipe
from acp_tui.protocol.events import ProcessExited, ProcessStarted
from acp_tui.protocol.frames import Direction, Frame, Framer
from acp_tui.wire.recording import Record

STDIN, STDOUT, STDERR = 0, 1, 2
CHUNK = 64 * 1024
"""Bytes that are passed on at once, at most."""
AHEAD = 1024
"""How many chunks of a stream may wait to be recorded; beyond them its bytes are slowed down."""
LAST_BYTES = 0.5
"""Seconds without a byte after which the output of an agent that has exited is at its end."""
SWITCH = 0.0005
"""Seconds that a thread keeps the interpreter at most: what passes bytes on must not wait for it."""
_OURS = ("SIGKILL", "SIGSTOP", "SIGCHLD", "SIGPIPE", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGCONT")
_FAULTS = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGABRT", "SIGSYS", "SIGPROF")


class Tap:
    """Passes on what an editor and an agent say. `record` gets it, in the app's event loop, after
    it was passed on.
    """

    def __init__(self, record: Callable[[Record], None], clock: Callable[[], float]) -> None:
        self._record = record
        self._clock = clock
        self._number = 0
        self._stderr = LineLog(clock, record)
        self._last = clock()

    async def run(self, argv: tuple[str, ...], cwd: str) -> Exit:
        """Run the agent to its end, with our own stdin, stdout and stderr. Raises SpawnError."""
        with anyio.open_signal_receiver(*_passed_on()) as signals:  # none may end us before it
            return await self._run(argv, cwd, signals)

    async def _run(
        self, argv: tuple[str, ...], cwd: str, signals: AsyncIterable[signal.Signals]
    ) -> Exit:
        with pipe() as stdin, pipe() as stdout, pipe() as stderr:
            group = spawn(argv, cwd, {}, stdin=stdin[0], stdout=stdout[1], stderr=stderr[1])
        for theirs in (stdin[0], stdout[1], stderr[1]):
            os.close(theirs)
        sys.setswitchinterval(SWITCH)
        self._record(ProcessStarted(self._clock(), argv, cwd, group.pid))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_pass_signals_on, group, signals)
            self._pump(STDIN, stdin[1], partial(self._frames, Direction.OUT, Framer()))
            outputs = [
                self._pump(stdout[0], STDOUT, partial(self._frames, Direction.IN, Framer())),
                self._pump(stderr[0], STDERR, partial(self._lines, Framer(LINE_LIMIT, blank=True))),
            ]
            gone = await group.wait()
            await self._drain(outputs)
            tasks.cancel_scope.cancel()
        self._stderr.finish()
        self._record(ProcessExited(self._clock(), gone.code, gone.signal))
        return gone

    def _pump(self, source: int, sink: int, take: Callable[[bytes, float], None]) -> "anyio.Event":
        """Pass a stream on in a thread of its own; return what is set when all of it is recorded."""
        loop, done, room = get_running_loop(), anyio.Event(), threading.Semaphore(AHEAD)

        def taken(data: bytes, at: float) -> None:
            self._last = at = max(at, self._last)  # the times of a recording only grow
            take(data, at)
            room.release()

        def work() -> None:
            with suppress(RuntimeError):  # the loop is gone: nobody records any more
                while data := _read(source):
                    passed = _write(sink, data)
                    room.acquire()
                    loop.call_soon_threadsafe(taken, data, self._clock())
                    if not passed:
                        break
                _close(source)
                _close(sink)
                loop.call_soon_threadsafe(take, b"", self._clock())
                loop.call_soon_threadsafe(done.set)

        threading.Thread(target=work, name=f"tap-{source}", daemon=True).start()
        return done

    async def _drain(self, outputs: list["anyio.Event"]) -> None:
        """Wait for the last bytes; a child of the agent may hold its output open forever."""
        self._last = self._clock()
        while not all(done.is_set() for done in outputs):
            left = self._last + LAST_BYTES - self._clock()
            if left <= 0:
                return
            with anyio.move_on_after(min(left, 0.02)):
                for done in outputs:
                    await done.wait()

    def _frames(self, direction: Direction, framer: Framer, data: bytes, at: float) -> None:
        for line in framer.feed(data) if data else framer.end():
            self._number += 1
            self._record(Frame(direction, line.raw, at, self._number, line.flaw, line.size))

    def _lines(self, framer: Framer, data: bytes, at: float) -> None:  # noqa: ARG002
        for line in framer.feed(data) if data else framer.end():
            self._stderr.add(line.raw.decode("utf-8", "replace"))


def _passed_on() -> list[signal.Signals]:
    """List all signals that mean the agent."""
    kept = {getattr(signal, name, None) for name in (*_OURS, *_FAULTS)}
    found = [one for one in signal.valid_signals() if isinstance(one, signal.Signals)]
    return [one for one in found if one not in kept]


async def _pass_signals_on(group: ProcessGroup, signals: AsyncIterable[signal.Signals]) -> None:
    async for number in signals:
        if group.exit is None:
            os.kill(group.pid, number)


def _read(source: int) -> bytes:
    while True:
        try:
            return os.read(source, CHUNK)
        except BlockingIOError:
            _wait(source)
        except OSError:
            return b""


def _write(sink: int, data: bytes) -> bool:
    """Write all bytes; false where nobody reads any more."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(sink, rest) :]
        except BlockingIOError:
            _wait(sink, writes=True)
        except OSError:
            return False
    return True


def _wait(descriptor: int, *, writes: bool = False) -> None:
    """Wait for a descriptor that somebody made non-blocking."""
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT if writes else select.POLLIN)
    poll.poll()


def _close(descriptor: int) -> None:
    """Let the other side see the end. Our own stderr stays: there may be something to say."""
    if descriptor != STDERR:
        with suppress(OSError):
            os.close(descriptor)
