"""One direction of a tap: forwards bytes at once or, with a gate, line by line."""

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
FORWARD_SIZE = 64 * 1024
"""Most bytes that are forwarded at once."""
AHEAD = 1024
"""Most chunks of a stream that wait to be recorded; beyond that, the stream is slowed down."""
LONGEST_GATED_LINE = 64 * 1024 * 1024
"""Longest line that a gate handles, in bytes; a longer line passes unchanged."""
SPLIT_DELAY = 0.005
"""Seconds between the pieces of a line that a fault splits."""


class TapStream:
    """Reads in a thread, and forwards bytes without waiting for the event loop.

    With a gate, `lines` is called with each line, and the lines to forward are `put` from the loop.
    `record` is called, in the loop, with all bytes that no gate handles, in the order of both
    sides. They are queued for it before they are forwarded, since another thread may read the other
    side's answer before this thread runs again.
    """

    def __init__(self, source: int, sink: int, record: Callable[[bytes, float], None]) -> None:
        self.done = anyio.Event()
        """Set once all bytes are forwarded and recorded."""
        self.source_ended = False
        """Whether the source has reached EOF; set before the sink is closed."""
        self.lines: Callable[[bytes], None] | None = None
        self.ended: Callable[[], None] = lambda: None
        """Called at EOF, if there is a gate."""
        self._source = source
        self._sink = sink
        self._record = record
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        """Held while bytes are forwarded without a gate, so that a gate's lines come after them."""
        self._stalled_until = 0.0
        self._stall = threading.Condition()
        self._is_closed = False
        self._outbox: SimpleQueue[bytes | float | None] | None = None
        self._unwritten = 0
        """Bytes in the outbox."""
        self._written = threading.Condition()
        self._unfinished_bytes = 0
        """Bytes forwarded of a line that is still unfinished."""
        self._deferred: list[bytes] = []
        self._rest: list[bytes] = []
        """The pieces of the unfinished line."""
        self._loop = get_running_loop()

    def start(self, clock: Callable[[], float]) -> None:
        """Start reading."""
        name = f"tap-{self._source}"
        threading.Thread(target=self._work, args=(clock,), name=name, daemon=True).start()

    def guard(self, lines: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        """Pass each line to a gate from now on; a line that has been partly forwarded is completed
        first.
        """
        with self._lock:
            if self._is_closed or self._outbox is not None:
                return
            self.lines, self.ended = lines, ended
            self._outbox = SimpleQueue()
        name = f"tap-to-{self._sink}"
        threading.Thread(target=self._write_outbox, name=name, daemon=True).start()

    def stall(self, seconds: float) -> None:
        """Forward and read nothing for `seconds` from now; 0 ends the stall."""
        with self._stall:
            self._stalled_until = monotonic() + seconds
            self._stall.notify_all()

    def put(self, data: bytes, cuts: tuple[int, ...] = ()) -> None:
        """Forward a line with its newline, never in the middle of another line."""
        if self._outbox is None:
            return
        if self._unfinished_bytes:
            self._deferred.append(data)
            return
        start = 0
        for cut in cuts:
            self._send_bytes(data[start:cut])
            self._outbox.put(SPLIT_DELAY)
            start = cut
        self._send_bytes(data[start:])

    # In the threads

    def _work(self, clock: Callable[[], float]) -> None:
        loop, room = self._loop, threading.Semaphore(AHEAD)

        def handle(data: bytes, at: float, passed: bool) -> None:
            if passed:
                self._record(data, at)
            else:
                self._pass_to_gate(data, at)
            room.release()

        with suppress(RuntimeError):  # the loop is closed: nothing is recorded anymore
            while data := read_available(self._source):
                self._wait_while_stalled()
                with self._written:  # pause reading while too much is unwritten
                    self._written.wait_for(lambda: self._unwritten <= LONGEST_GATED_LINE)
                room.acquire()
                with self._lock:
                    passes = self._outbox is None
                    if passes:
                        self._note_line(data)
                        self._writing.acquire()  # never blocks: without a gate only this thread writes
                    loop.call_soon_threadsafe(handle, data, clock(), passes)
                if passes:
                    is_read = write_all(self._sink, data)
                    self._writing.release()
                    if not is_read:
                        break
            self.source_ended = not data
            close_descriptor(self._source)
            with self._lock:
                self._is_closed = self._outbox is None
                if self._is_closed:
                    close_descriptor(self._sink)
            loop.call_soon_threadsafe(self._end_stream, clock())

    def _wait_while_stalled(self) -> None:
        with self._stall:
            while (left := self._stalled_until - monotonic()) > 0:
                self._stall.wait(left)

    def _write_outbox(self) -> None:
        assert self._outbox is not None
        is_read = True
        with self._writing:
            pass  # bytes that were read before the gate go first
        while (data := self._outbox.get()) is not None:
            self._wait_while_stalled()
            if isinstance(data, float):
                sleep(data)
            else:
                is_read = is_read and write_all(self._sink, data)
                with self._written:
                    self._unwritten -= len(data)
                    self._written.notify()
        close_descriptor(self._sink)
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self.done.set)

    # In the loop

    def _note_line(self, data: bytes) -> None:
        """Track whether a line is partly forwarded."""
        newline = data.rfind(b"\n")
        self._unfinished_bytes = (
            self._unfinished_bytes + len(data) if newline < 0 else len(data) - newline - 1
        )

    def _pass_to_gate(self, data: bytes, at: float) -> None:
        """Pass whole lines to the gate. The rest of a partly forwarded line, or of one that is too
        long, is forwarded.
        """
        if self._unfinished_bytes:
            end = data.find(b"\n") + 1
            self._pass_bytes(data[:end] if end else data, at)
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
        if sum(map(len, self._rest)) > LONGEST_GATED_LINE:
            self._pass_rest(at)

    def _pass_rest(self, at: float) -> None:
        """Forward an unfinished line, or one that is too long."""
        rest, self._rest = self._rest, []
        for part in filter(None, rest):
            self._pass_bytes(part, at)

    def _pass_bytes(self, data: bytes, at: float) -> None:
        self._send_bytes(data)
        self._note_line(data)
        self._record(data, at)
        if not self._unfinished_bytes:
            waiting, self._deferred = self._deferred, []
            for line in waiting:
                self.put(line)

    def _send_bytes(self, data: bytes) -> None:
        assert self._outbox is not None
        with self._written:
            self._unwritten += len(data)
        self._outbox.put(data)

    def _end_stream(self, at: float) -> None:
        if self._is_closed:
            self._record(b"", at)
            self.done.set()
            return
        self.ended()
        self._pass_rest(at)
        self._record(b"", at)
        assert self._outbox is not None
        self._outbox.put(None)


def read_available(source: int) -> bytes:
    """Read the available bytes; return b"" after EOF."""
    while True:
        try:
            return os.read(source, FORWARD_SIZE)
        except BlockingIOError:
            _wait_for_descriptor(source)
        except OSError:
            return b""


def write_all(sink: int, data: bytes) -> bool:
    """Write all bytes; return False if the reader is gone."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(sink, rest) :]
        except BlockingIOError:
            _wait_for_descriptor(sink, writes=True)
        except OSError:
            return False
    return True


def _wait_for_descriptor(descriptor: int, *, writes: bool = False) -> None:
    """Wait for a descriptor that another process has made non-blocking."""
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT if writes else select.POLLIN)
    poll.poll()


def close_descriptor(descriptor: int) -> None:
    """Close a descriptor, except our own stderr: we may still have an error to print."""
    if descriptor != STDERR:
        with suppress(OSError):
            os.close(descriptor)
