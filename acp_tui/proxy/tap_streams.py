"""One direction of a tap: its bytes pass at once, or, behind a gate, line by line."""

import os
import select
import threading
from asyncio import get_running_loop
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from time import monotonic, sleep

import anyio

STDERR = 2
CHUNK = 64 * 1024
"""Bytes that are passed on at once, at most."""
AHEAD = 1024
"""How many chunks of a stream may wait to be recorded; beyond them its bytes are slowed down."""
LONGEST = 64 * 1024 * 1024
"""Bytes of a line that a gate still decides on; a longer one passes as it is."""
BETWEEN = 0.005
"""Seconds between two pieces of a line that is taken apart."""


class TapStream:
    """Reads in a thread, which passes on what it reads without waiting for the loop; once there is a
    gate, `lines` gets each line, and what is to be passed on is `put` from the loop.

    `take` gets, in the loop, all bytes that no gate decides on, in the order in which both sides
    said them: they are queued for it before they are passed on, as the answer may be read by
    another stream's thread before this one runs again.
    """

    def __init__(self, source: int, sink: int, take: Callable[[bytes, float], None]) -> None:
        self.done = anyio.Event()
        """Set once all is passed on, and recorded."""
        self.source_ended = False
        """Whether the source came to its end, known before the sink is told."""
        self.lines: Callable[[bytes], None] | None = None
        self.ended: Callable[[], None] = _nothing
        """Called behind a gate when nothing more will come."""
        self._source = source
        self._sink = sink
        self._take = take
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        """Held while bytes pass that no gate decides on: what a gate passes on comes after them."""
        self._stalled_until = 0.0
        self._stall = threading.Condition()
        self._is_closed = False
        self._outbox: SimpleQueue[bytes | float | None] | None = None
        self._unwritten = 0
        """Bytes in the outbox."""
        self._written = threading.Condition()
        self._passing = 0
        """Bytes of a line that has begun to pass, and has no end yet."""
        self._later: list[bytes] = []
        self._rest: list[bytes] = []
        """The pieces of a line that has no end yet."""
        self._loop = get_running_loop()

    def start(self, clock: Callable[[], float]) -> None:
        """Begin to read."""
        name = f"tap-{self._source}"
        threading.Thread(target=self._work, args=(clock,), name=name, daemon=True).start()

    def guard(self, lines: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        """Have each line decided on from now on; one that has begun to pass goes on to its end."""
        with self._lock:
            if self._is_closed or self._outbox is not None:
                return
            self.lines, self.ended = lines, ended
            self._outbox = SimpleQueue()
        name = f"tap-to-{self._sink}"
        threading.Thread(target=self._write_on, name=name, daemon=True).start()

    def stall(self, seconds: float) -> None:
        """Pass nothing on for so long from now, and read nothing; with 0, go on."""
        with self._stall:
            self._stalled_until = monotonic() + seconds
            self._stall.notify_all()

    def put(self, data: bytes, cuts: tuple[int, ...] = ()) -> None:
        """Pass a line on, with its newline; not in the middle of another."""
        if self._outbox is None:
            return
        if self._passing:
            self._later.append(data)
            return
        start = 0
        for cut in cuts:
            self._send(data[start:cut])
            self._outbox.put(BETWEEN)
            start = cut
        self._send(data[start:])

    # In the threads

    def _work(self, clock: Callable[[], float]) -> None:
        loop, room = self._loop, threading.Semaphore(AHEAD)

        def taken(data: bytes, at: float, passed: bool) -> None:
            if passed:
                self._take(data, at)
            else:
                self._decide(data, at)
            room.release()

        with suppress(RuntimeError):  # the loop is gone: nobody records anymore
            while data := read(self._source):
                self._wait_while_stalled()
                self._wait_for_sink()
                room.acquire()
                with self._lock:
                    passes = self._outbox is None
                    if passes:
                        self._note(data)
                        self._writing.acquire()  # never waits: without a gate only this thread writes
                    loop.call_soon_threadsafe(taken, data, clock(), passes)
                if passes:
                    goes_on = write(self._sink, data)
                    self._writing.release()
                    if not goes_on:
                        break
            self.source_ended = not data
            close(self._source)
            with self._lock:
                self._is_closed = self._outbox is None
                if self._is_closed:
                    close(self._sink)
            loop.call_soon_threadsafe(self._end, clock())

    def _wait_while_stalled(self) -> None:
        with self._stall:
            while (left := self._stalled_until - monotonic()) > 0:
                self._stall.wait(left)

    def _wait_for_sink(self) -> None:
        """Read no more while too much waits to be written."""
        with self._written:
            self._written.wait_for(lambda: self._unwritten <= LONGEST)

    def _write_on(self) -> None:
        assert self._outbox is not None
        goes_on = True
        with self._writing:
            pass  # what was read before there was a gate goes first
        while (data := self._outbox.get()) is not None:
            self._wait_while_stalled()
            if isinstance(data, float):
                sleep(data)
            else:
                goes_on = goes_on and write(self._sink, data)
                with self._written:
                    self._unwritten -= len(data)
                    self._written.notify()
        close(self._sink)
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.done.set)

    # In the loop

    def _note(self, data: bytes) -> None:
        """Know whether a line has begun to pass."""
        newline = data.rfind(b"\n")
        self._passing = self._passing + len(data) if newline < 0 else len(data) - newline - 1

    def _decide(self, data: bytes, at: float) -> None:
        """Have whole lines decided on; what has begun to pass, or is too long, passes."""
        if self._passing:
            end = data.find(b"\n") + 1
            self._pass(data[:end] if end else data, at)
            if not end:
                return
            data = data[end:]
        if b"\n" in data:
            *whole, last = b"".join((*self._rest, data)).split(b"\n")
            self._rest = [last]
        else:
            whole = []
            self._rest.append(data)
        for line in whole:
            if line.strip() and self.lines is not None:
                self.lines(line)
            else:
                self.put(line + b"\n")
        if sum(map(len, self._rest)) > LONGEST:
            self._pass_rest(at)

    def _pass_rest(self, at: float) -> None:
        """Pass on a line that has no end, or that is too long."""
        rest, self._rest = self._rest, []
        for part in filter(None, rest):
            self._pass(part, at)

    def _pass(self, data: bytes, at: float) -> None:
        self._send(data)
        self._note(data)
        self._take(data, at)
        if not self._passing:
            waiting, self._later = self._later, []
            for line in waiting:
                self.put(line)

    def _send(self, data: bytes) -> None:
        assert self._outbox is not None
        with self._written:
            self._unwritten += len(data)
        self._outbox.put(data)

    def _end(self, at: float) -> None:
        if self._is_closed:
            self._take(b"", at)
            self.done.set()
            return
        self.ended()
        self._pass_rest(at)
        self._take(b"", at)
        assert self._outbox is not None
        self._outbox.put(None)


def _nothing() -> None:
    pass


def read(source: int) -> bytes:
    """Read what there is; nothing at the end."""
    while True:
        try:
            return os.read(source, CHUNK)
        except BlockingIOError:
            _wait(source)
        except OSError:
            return b""


def write(sink: int, data: bytes) -> bool:
    """Write all bytes; false where nobody reads anymore."""
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


def close(descriptor: int) -> None:
    """Let the other side see the end. Our own stderr stays: there may be something to say."""
    if descriptor != STDERR:
        with suppress(OSError):
            os.close(descriptor)
