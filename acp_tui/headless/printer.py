"""Prints the agent's messages and lines about it on stdout and stderr: distinguishable, in order.

Output is written apart from the loop, so that a reader who is slow holds up no agent.
"""

import errno
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import TextIOWrapper
from queue import SimpleQueue
from threading import Thread
from typing import TextIO
from unicodedata import east_asian_width

import anyio
from anyio import from_thread
from anyio.lowlevel import current_token

from acp_tui.config.icons import ERRORS
from acp_tui.headless.keyboard import typed_ahead
from acp_tui.text import clean, clean_line, judged

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


MARK = "| "
"""In ASCII, so that every terminal and every screen reader has it."""
MOST_EMPTY = 4
"""How many empty lines are shown one below the other."""
_WIDTH = 80
"""Columns of a terminal that doesn't say how many it has."""
_TAB = 8
_PARTS = re.compile(r"\n|[ \t]+|[^ \t\n]+")


class Rows:
    """Breaks cleaned text into rows before the terminal does, as the text comes.

    No row is begun by a word of the text, unless `first` is empty: such a text is one line, and its
    first row begins as it says.
    """

    def __init__(self, stream: TextIO, first: str = MARK) -> None:
        """Break lines at the width of the terminal `stream`; `first` precedes each line."""
        self._stream = stream
        self._first = first
        self._width = _WIDTH
        self._column = 0
        self._blanks = ""
        """Those before the next word: they are written with it."""
        self._empty = 0

    @property
    def is_open(self) -> bool:
        """Return whether the last row may continue."""
        return self._column > 0

    def feed(self, text: str) -> str:
        """Return the next piece of a text as it is to be written."""
        with suppress(OSError):  # the terminal is gone
            columns = os.get_terminal_size(self._stream.fileno()).columns or _WIDTH
            self._width = max(columns - 1, len(MARK) + 2)  # some go on in the last column
        shown = text.encode(self._stream.encoding, self._stream.errors or "strict")
        return "".join(self._rows(shown.decode(self._stream.encoding)))

    def finish(self) -> str:
        """Return what ends the text, and its last row."""
        return "".join([*self._counted(), *self._end_row()])

    def restart(self) -> None:
        """Go on at the beginning of a row: something else has ended the last one."""
        self._column, self._blanks = 0, ""

    def _rows(self, text: str) -> Iterator[str]:
        for part in _PARTS.findall(text):
            if part == "\n":
                yield from self._end_line()
            elif part[0] in " \t":
                self._blanks += part
            else:
                yield from self._word(part)

    def _end_line(self) -> Iterator[str]:
        if self._column:
            yield from self._end_row()
            return
        self._blanks = ""
        self._empty += 1
        if self._empty <= MOST_EMPTY:
            yield f"{MARK.rstrip()}\n"

    def _end_row(self) -> Iterator[str]:
        if self._column:
            yield "\n"
        self.restart()

    def _counted(self) -> Iterator[str]:
        """Tell how many empty lines were left out."""
        more, self._empty = self._empty - MOST_EMPTY, 0
        if more > 0:
            blanks, self._blanks = self._blanks, ""
            yield from self._rows(f"⋯ {more:,} more empty lines\n")
            self._blanks = blanks

    def _word(self, word: str) -> Iterator[str]:
        yield from self._counted()
        begins = not self._column
        if begins:
            yield self._first
            self._column = len(self._first)
        blanks, self._blanks = self._spaces(), ""
        room = self._width - self._column
        whole = len(blanks) + cells(word)
        if self._first and len(blanks) >= room:
            blanks = ""
            if not begins:
                yield self._next_row()
        elif blanks and not begins and room < whole <= self._width - len(MARK):
            yield self._next_row()
            blanks = "" if self._first else blanks  # of a line that is judged nothing is left out
        yield from self._broken(blanks)
        yield from self._broken(word)

    def _spaces(self) -> str:
        before = " " * ((self._column - len(self._first)) % _TAB)
        return (before + self._blanks).expandtabs(_TAB)[len(before) :]

    def _next_row(self) -> str:
        self._column = len(MARK)
        return f"\n{MARK}"

    def _broken(self, text: str) -> Iterator[str]:
        """Text without a place to break at."""
        at = 0
        while at < len(text):
            end = at + _fitting(text, at, self._width - self._column)
            if end == at:
                yield self._next_row()
                continue
            yield text[at:end]
            self._column += cells(text[at:end])
            at = end


def cells(text: str) -> int:
    """Return how many cells of a terminal a text takes at most, however it joins characters."""
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(char: str) -> int:
    return 2 if char >= "\U0001f000" or east_asian_width(char) in "WF" else 1


def _fitting(text: str, at: int, room: int) -> int:
    """Return how many characters from `at` on fit into `room` cells."""
    piece = text[at : at + max(room, 0)]
    if piece.isascii():
        return len(piece)
    taken = 0
    for count, char in enumerate(piece):
        taken += _cells_of(char)
        if taken > room:
            return count
    return len(piece)


ALLOWS_ALL = (
    "--dangerously-allow-all: everything is allowed without asking, "
    "unless a rule rejects it or asks"
)

Say = Callable[[str], None]
"""Prints a line of ours."""
_PIECE = 1 << 16
"""How many characters are broken into rows at once: they take many times their size."""


class Printer:
    """Prints; while a person is asked, all but the question waits until there is an answer.

    On a terminal none of an agent's words begins a row. Elsewhere they go out as they came.
    """

    def __init__(self) -> None:
        self.output = Output()
        self._rows = Rows(sys.stdout) if sys.stdout.isatty() else None
        self._open_line = False
        self._prompted = False
        self._typed = 0
        self._held: list[Callable[[], None]] | None = None

    def say(self, text: str) -> None:
        """Print a piece of the agent's message."""
        self._in_turn(partial(self._say, text))

    def tell(self, words: str) -> None:
        """Print one line on stderr, below whatever is on the screen."""
        self._in_turn(partial(self._tell, words))

    def end_line(self) -> None:
        """End the agent's last line, if it is open."""
        self._in_turn(self._end_line)

    @contextmanager
    def asking(self) -> Iterator[Say]:
        """Ask a person: what is returned prints the lines of the question."""
        self._held = []
        try:
            yield lambda words: self._tell(judged(words))
        finally:
            held, self._held = self._held, None
            for write in held:
                write()

    def prompt(self, words: str) -> None:
        """Print the prompt before the user's input."""
        self.output.write(sys.stderr, words)
        self._prompted = bool(words)

    def prompt_over(self, typed_before: str = "") -> None:
        """Note that the line is written; if it was before the prompt stood, print it there."""
        if typed_before and self._prompted:
            self.output.write(sys.stderr, f"{clean_line(typed_before)}\n")
        self._prompted = False
        if self._rows is not None and sys.stdin.isatty():
            self._rows.restart()  # the terminal has shown the line, and its end

    def _in_turn(self, write: Callable[[], None]) -> None:
        if self._held is None:
            write()
        else:
            self._held.append(write)

    def _say(self, text: str) -> None:
        if text:
            self._leave_prompt()
        if self._rows is None:
            self.output.write(sys.stdout, text)
            self._open_line = not text.endswith("\n") if text else self._open_line
        else:
            self._look()
            shown = clean(text)
            for at in range(0, len(shown), _PIECE):
                self.output.write(sys.stdout, self._rows.feed(shown[at : at + _PIECE]))

    def _tell(self, words: str) -> None:
        self._leave_prompt()
        if self._rows is not None:
            self._look()
        if self.output.joined:
            self.output.write(sys.stderr, self._ended())
        self.output.write(sys.stderr, line_for_people(words))

    def _end_line(self) -> None:
        self.output.write(sys.stdout, self._ended())

    def _ended(self) -> str:
        """Return what ends the last line."""
        if self._rows is not None:
            return self._rows.finish()
        was_open, self._open_line = self._open_line, False
        return "\n" if was_open else ""

    def _leave_prompt(self) -> None:
        """Nothing is printed behind a prompt."""
        if self._prompted:
            self.output.write(sys.stderr, "\n")
            self._prompted = False

    def _look(self) -> None:
        """Look whether a person has typed a line meanwhile: the terminal shows it, and its end."""
        assert self._rows is not None
        typed = typed_ahead()
        if typed > self._typed:
            self._rows.restart()
        self._typed = typed


def line_for_people(words: str) -> str:
    """Return one line, whatever an agent has put into it: none can pass for one of ours."""
    line = clean_line(words.rstrip())
    return f"{Rows(sys.stderr, first='').feed(line) if sys.stderr.isatty() else line}\n"
