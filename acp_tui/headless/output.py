"""stdout and stderr, written apart from the loop: whoever doesn't read them holds up no agent."""

import errno
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from io import TextIOWrapper
from queue import SimpleQueue
from threading import Thread
from typing import TextIO

import anyio
from anyio import from_thread
from anyio.lowlevel import current_token

from acp_tui.config.icons import ERRORS

MOST_WAITING = 256 << 20
"""How many bytes may wait for a reader."""


class Output:
    """Both streams. When one of them fails, `failure` keeps why and both fall silent.

    To be made in the loop. Where both are one file, what is written keeps its order. A terminal is
    written at once: a question must stand there before its answer is read.
    """

    def __init__(self) -> None:
        self.failure: OSError | None = None
        self.listener: Callable[[], None] = lambda: None  # told of the failure, in the loop
        self.joined = os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno())
        if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors != ERRORS:
            sys.stdout.reconfigure(errors="replace")  # whatever the locale can't say
        self._writers: dict[TextIO, _Writer] = {}
        for stream in (sys.stdout, sys.stderr):
            if not stream.isatty():
                shared = self._writers.get(sys.stdout) if self.joined else None
                self._writers[stream] = shared or _Writer(stream, self._fail)

    def write(self, stream: TextIO, text: str) -> None:
        """Queue a text, after everything that was queued before."""
        data = text.encode(stream.encoding, stream.errors or "strict")
        self._write(stream, (data,), len(data))

    def _write(self, stream: TextIO, pieces: Iterable[bytes], size: int) -> None:
        if self.failure is not None:
            return
        try:
            if writer := self._writers.get(stream):
                writer.write(pieces, size)
            else:
                _write(stream.fileno(), pieces)
        except OSError as error:
            self._fail(error)

    async def written(self) -> None:
        """Wait until everything is written, or has failed."""
        for writer in self._writers.values():
            await writer.written()

    def _fail(self, error: OSError) -> None:
        self.failure = self.failure or error
        self.listener()


class _Writer:
    """Writes one stream in a thread of its own, which nobody waits for when the program ends."""

    def __init__(self, stream: TextIO, fail: Callable[[OSError], None]) -> None:
        self._descriptor = stream.fileno()
        self._fail = fail
        self._token = current_token()
        self._queue: SimpleQueue[tuple[Iterable[bytes], int] | anyio.Event] = SimpleQueue()
        self._given = self._taken = 0
        Thread(target=self._run, name=f"writes {stream.name}", daemon=True).start()

    def write(self, pieces: Iterable[bytes], size: int) -> None:
        """Queue bytes. Raises OSError if too many wait already."""
        if self._given - self._taken > MOST_WAITING:
            raise OSError(errno.ENOBUFS, "nobody reads it")
        self._given += size
        self._queue.put((pieces, size))

    async def written(self) -> None:
        reached = anyio.Event()
        self._queue.put(reached)
        await reached.wait()

    def _run(self) -> None:
        failed = False
        with suppress(anyio.RunFinishedError):
            while True:
                item = self._queue.get()
                if isinstance(item, anyio.Event):
                    from_thread.run_sync(item.set, token=self._token)
                    continue
                pieces, size = item
                if not failed:
                    try:
                        _write(self._descriptor, pieces)
                    except OSError as error:
                        failed = True
                        from_thread.run_sync(self._fail, error, token=self._token)
                self._taken += size


def _write(descriptor: int, pieces: Iterable[bytes]) -> None:
    for data in pieces:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
