"""Prints the agent's messages on stdout and lines about it on stderr, distinguishable and in order.

Output is written in threads: a slow reader must not block the event loop, and with it the agent.
"""

import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import TextIOWrapper
from queue import SimpleQueue
from threading import Thread
from typing import TextIO

import anyio
from anyio import from_thread
from anyio.lowlevel import current_token

from acp_tui.config.icons import ERRORS
from acp_tui.headless.keyboard import typed_ahead
from acp_tui.headless.rows import Rows
from acp_tui.text import clean_line, clean_text, judged_text

MOST_WAITING = 256 << 20
"""Most bytes that may be queued for a slow reader."""
ALLOWS_ALL = (
    "--dangerously-allow-all: everything is allowed without asking, "
    "unless a rule rejects it or asks"
)
_PIECE = 1 << 16
"""Characters that are broken into rows at a time, which takes many times their size in memory."""
PrintLine = Callable[[str], None]
"""Prints a line about the agent or the client."""


class Printer:
    """Prints an agent's text and the client's lines; during a question, holds back everything else.

    On a terminal, each row of an agent's text is marked. Elsewhere the text is written unchanged.
    """

    def __init__(self) -> None:
        self.output = Output()
        self._rows = Rows(sys.stdout) if sys.stdout.isatty() else None
        self._open_line = False
        self._prompted = False
        self._typed = 0
        self._held: list[Callable[[], None]] | None = None

    def print_text(self, text: str) -> None:
        """Print a piece of the agent's message."""
        self._in_turn(partial(self._print_text, text))

    def print_note(self, words: str) -> None:
        """Print one line on stderr, on a row of its own."""
        self._in_turn(partial(self._print_line, words))

    def end_line(self) -> None:
        """End the agent's last line, if it is incomplete."""
        self._in_turn(self._end_line)

    @contextmanager
    def asking(self) -> Iterator[PrintLine]:
        """Hold back other output until the block ends; yield a function that prints the question."""
        self._held = []
        try:
            yield lambda words: self._print_line(judged_text(words))
        finally:
            held, self._held = self._held, None
            for write in held:
                write()

    def prompt(self, words: str) -> None:
        """Print the prompt before the user's input."""
        self.output.write(sys.stderr, words)
        self._prompted = bool(words)

    def end_prompt(self, typed_before: str = "") -> None:
        """Record that the user has entered a line; if it was typed before the prompt, print it
        there.
        """
        if typed_before and self._prompted:
            self.output.write(sys.stderr, f"{clean_line(typed_before)}\n")
        self._prompted = False
        if self._rows is not None and sys.stdin.isatty():
            self._rows.restart()  # the terminal has echoed the line and its newline

    def _in_turn(self, write: Callable[[], None]) -> None:
        if self._held is None:
            write()
        else:
            self._held.append(write)

    def _print_text(self, text: str) -> None:
        if text:
            self._leave_prompt()
        if self._rows is None:
            self.output.write(sys.stdout, text)
            self._open_line = not text.endswith("\n") if text else self._open_line
        else:
            self._restart_if_typed()
            shown = clean_text(text)
            for at in range(0, len(shown), _PIECE):
                self.output.write(sys.stdout, self._rows.feed(shown[at : at + _PIECE]))

    def _print_line(self, words: str) -> None:
        self._leave_prompt()
        if self._rows is not None:
            self._restart_if_typed()
        if self.output.joined:
            self.output.write(sys.stderr, self._line_end())
        self.output.write(sys.stderr, line_for_people(words))

    def _end_line(self) -> None:
        self.output.write(sys.stdout, self._line_end())

    def _line_end(self) -> str:
        """Return the characters that end the last line, if it is incomplete."""
        if self._rows is not None:
            return self._rows.finish()
        was_open, self._open_line = self._open_line, False
        return "\n" if was_open else ""

    def _leave_prompt(self) -> None:
        """End the line of a prompt, so that nothing is printed after the prompt."""
        if self._prompted:
            self.output.write(sys.stderr, "\n")
            self._prompted = False

    def _restart_if_typed(self) -> None:
        """Restart the row if the user has typed a line since: the terminal has echoed it with its
        newline.
        """
        assert self._rows is not None
        typed = typed_ahead()
        if typed > self._typed:
            self._rows.restart()
        self._typed = typed


class Output:
    """Writes to stdout and stderr. If one of them fails, `failure` has the error, and nothing more
    is written.

    Create it in the event loop. If both are the same file, the order of writes is preserved. To a
    terminal it writes immediately: a question must be visible before its answer is read.
    """

    def __init__(self) -> None:
        self.failure: OSError | None = None
        # called in the event loop when writing fails
        self.listener: Callable[[], None] = lambda: None
        self.joined = os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno())
        if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors != ERRORS:
            # for characters that the locale's encoding lacks
            sys.stdout.reconfigure(errors="replace")
        self._writers: dict[TextIO, _StreamWriter] = {}
        for stream in (sys.stdout, sys.stderr):
            if not stream.isatty():
                shared = self._writers.get(sys.stdout) if self.joined else None
                self._writers[stream] = shared or _StreamWriter(stream, self._fail)

    def write(self, stream: TextIO, text: str) -> None:
        """Queue a text for `stream`; to a terminal, write it immediately."""
        data = text.encode(stream.encoding, stream.errors or "strict")
        self._queue_pieces(stream, (data,), len(data))

    def _queue_pieces(self, stream: TextIO, pieces: Iterable[bytes], size: int) -> None:
        if self.failure is not None:
            return
        try:
            if writer := self._writers.get(stream):
                writer.write(pieces, size)
            else:
                _write_pieces(stream.fileno(), pieces)
        except OSError as error:
            self._fail(error)

    async def written(self) -> None:
        """Wait until everything is written, or writing has failed."""
        for writer in self._writers.values():
            await writer.written()

    def close(self) -> None:
        """End the threads that write, once they have written what is queued."""
        for writer in self._writers.values():
            writer.close()

    def _fail(self, error: OSError) -> None:
        self.failure = self.failure or error
        self.listener()


class _StreamWriter:
    """Writes one stream in a daemon thread, so that the program can exit even if the reader hangs."""

    def __init__(self, stream: TextIO, fail: Callable[[OSError], None]) -> None:
        self._descriptor = stream.fileno()
        self._fail = fail
        self._token = current_token()
        self._queue: SimpleQueue[tuple[Iterable[bytes], int] | anyio.Event | None] = SimpleQueue()
        self._queued_bytes = self._written_bytes = 0
        Thread(target=self._write_queued, name=f"writes {stream.name}", daemon=True).start()

    def write(self, pieces: Iterable[bytes], size: int) -> None:
        """Queue bytes. Raises OSError if too many are queued already."""
        if self._queued_bytes - self._written_bytes > MOST_WAITING:
            raise OSError(errno.ENOBUFS, "nobody reads it")
        self._queued_bytes += size
        self._queue.put((pieces, size))

    async def written(self) -> None:
        reached = anyio.Event()
        self._queue.put(reached)
        await reached.wait()

    def close(self) -> None:
        self._queue.put(None)

    def _write_queued(self) -> None:
        failed = False
        with suppress(anyio.RunFinishedError):
            while (item := self._queue.get()) is not None:
                if isinstance(item, anyio.Event):
                    from_thread.run_sync(item.set, token=self._token)
                    continue
                pieces, size = item
                if not failed:
                    try:
                        _write_pieces(self._descriptor, pieces)
                    except OSError as error:
                        failed = True
                        from_thread.run_sync(self._fail, error, token=self._token)
                self._written_bytes += size


def _write_pieces(descriptor: int, pieces: Iterable[bytes]) -> None:
    for data in pieces:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]


def line_for_people(words: str) -> str:
    """Clean a line for stderr, and end it with a newline; it stays one line whatever an agent put
    into it.
    """
    line = clean_line(words.rstrip())
    return f"{Rows(sys.stderr, first='').feed(line) if sys.stderr.isatty() else line}\n"
