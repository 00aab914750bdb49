"""Reads lines that the user types at the terminal, and discards those typed ahead."""

import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress

import anyio

from acp_tui.state.question import SHOWN_BEFORE_KEYS, WORD_GAP

SEVERAL_LINES = "Several lines at once don't answer: they were discarded."
PASTED = 0.05
"""Seconds within which another line belongs to the same paste."""
_LONGEST_SEQUENCE = 4096


async def announce_question() -> None:
    """Announce a question; discard text typed before it, which was not meant for it."""
    await anyio.sleep(SHOWN_BEFORE_KEYS)
    discard_typed()


def discard_typed() -> None:
    """Discard the terminal's unread input."""
    import termios  # POSIX only

    with suppress(termios.error):  # the terminal is gone: reading will return EOF
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


async def read_line(prompt: str) -> str | None:
    """Read a line; what is printed next begins on a new line. Return None at EOF."""
    print(prompt, end="", file=sys.stderr, flush=True)  # noqa: T201
    line = b""
    try:
        await anyio.wait_readable(sys.stdin)  # a thread blocked in readline() couldn't be canceled
        line = os.read(sys.stdin.fileno(), _LONGEST_SEQUENCE)
    finally:
        if not line.endswith(b"\n"):
            print(file=sys.stderr)  # noqa: T201
    return line.decode("utf-8", "replace").strip() if line else None


async def read_answer(prompt: str, print_line: Callable[[str], None]) -> str | None:
    """Read the answer to the question that was just printed; return None at EOF.

    A line that was typed before the question, or that is followed by more text, isn't an answer.
    """
    while True:
        await announce_question()
        line = await read_line(prompt)
        await anyio.sleep(0 if line is None else WORD_GAP)
        if not has_typed_text():
            return line
        print_line(SEVERAL_LINES)


def ask_line(prompt: str) -> str | None:
    """Read the answer to a printed question, outside any event loop; None at EOF or on Ctrl+C."""

    def print_line(words: str) -> None:
        print(words, file=sys.stderr)  # noqa: T201

    try:
        return anyio.run(read_answer, prompt, print_line)
    except KeyboardInterrupt:
        return None


def ask_for_yes(prompt: str) -> bool:
    """Ask a yes/no question without a running event loop."""
    return (ask_line(prompt) or "").lower() in ("y", "yes")


def typed_ahead() -> int:
    """Return how many bytes of complete lines were typed at the terminal and not read yet."""
    if not sys.stdin.isatty():
        return 0
    import fcntl  # POSIX only
    import termios

    return int.from_bytes(fcntl.ioctl(sys.stdin, termios.FIONREAD, b"\0" * 4), sys.byteorder)


def read_typed() -> list[str]:
    """Read the complete lines that were typed already; discard the start of another."""
    lines = []
    while typed_ahead() and (line := os.read(sys.stdin.fileno(), _LONGEST_SEQUENCE)):
        lines += [one.strip() for one in line.decode("utf-8", "replace").splitlines()]
    discard_typed()
    return lines


def has_typed_text() -> bool:
    """Return whether more was typed or pasted at the terminal, even an incomplete line."""
    import termios  # POSIX only

    try:
        mode = termios.tcgetattr(sys.stdin)
        # without ICANON, FIONREAD counts an incomplete line, too
        raw = [*mode[:3], mode[3] & ~termios.ICANON, *mode[4:]]
        termios.tcsetattr(sys.stdin, termios.TCSANOW, raw)
        try:
            return typed_ahead() > 0
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSANOW, mode)
    except termios.error:  # the terminal is gone
        return False


class KeyboardLines:
    """Reads stdin line by line, from a terminal or anything else."""

    def __init__(self) -> None:
        self._rest = b""
        self._is_over = False

    @property
    def has_line(self) -> bool:
        """Whether a line can be read at once."""
        return b"\n" in self._rest or bool(select.select([sys.stdin], [], [], 0)[0])

    @property
    def has_more(self) -> bool:
        """Whether another line is buffered, or arrives within `PASTED` seconds, as in a paste."""
        if b"\n" in self._rest:
            return True
        return not self._is_over and bool(select.select([sys.stdin], [], [], PASTED)[0])

    async def read(self) -> str | None:
        """Read a line; return None at EOF. If the read is canceled, no input is lost."""
        while b"\n" not in self._rest and not self._is_over:
            await anyio.wait_readable(sys.stdin)
            data = os.read(sys.stdin.fileno(), _LONGEST_SEQUENCE)
            self._is_over = not data
            self._rest += data
        if not self._rest:
            return None
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace").removesuffix("\r")
