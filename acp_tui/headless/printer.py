"""Prints the agent's messages and lines about it, on stdout and stderr: distinguishable, and in order."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from acp_tui.headless.keyboard import typed_ahead
from acp_tui.headless.output import Output
from acp_tui.headless.rows import Rows
from acp_tui.text import clean, clean_line, judged

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
