"""What a person sees on a terminal, by pyte: a blank has no color but its background, and two colors
that are swapped are those of each other.
"""

import io
from typing import NamedTuple

import pyte
from rich.console import Console

CONSOLE = Console(
    color_system="truecolor", force_terminal=True, file=io.StringIO(), legacy_windows=False
)
_DIRECT = frozenset("0123456789abcdef")
"""What pyte writes colors in that have no name."""


class Seen(NamedTuple):
    """A cell as it looks."""

    text: str
    foreground: str
    background: str
    looks: tuple[bool, ...]


class Eyes:
    """A terminal without automatic wrap, as Textual wants it."""

    def __init__(self, width: int, height: int) -> None:
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.Stream(self.screen)
        self.feed("\x1b[?7l")

    def feed(self, text: str) -> None:
        # Line by line: what reads lines makes "\n" of them, as a terminal in raw mode does.
        self._stream.feed(text.replace("\n", "\r\n"))

    def resize(self, width: int, height: int) -> None:
        self.screen.resize(height, width)

    @property
    def rows(self) -> list[str]:
        return ["".join(cell.text for cell in row) for row in self.cells()]

    def cells(self) -> list[list[Seen]]:
        lines, columns = range(self.screen.lines), range(self.screen.columns)
        return [[self._seen(self.screen.buffer[y][x]) for x in columns] for y in lines]

    def _seen(self, char: pyte.screens.Char) -> Seen:
        front, back, swapped = char.fg, char.bg, char.reverse
        if swapped and _DIRECT.issuperset((*front, *back)):
            front, back, swapped = back, front, False
        lines = (char.underscore, char.strikethrough, swapped)
        if char.data == " " and not any(lines):
            return Seen(" ", "", back, ())
        return Seen(char.data, front, back, (*lines, char.bold, char.italics, char.blink))


def difference(ours: Eyes, theirs: Eyes) -> str:
    """Where the two don't show the same, and what; empty if they do."""
    pairs = zip(ours.cells(), theirs.cells(), strict=True)
    for y, (our_row, their_row) in enumerate(pairs):
        for x, (our, their) in enumerate(zip(our_row, their_row, strict=True)):
            if our != their:
                return f"at {x}, {y}: {our}, not {their}\n{ours.rows[y]}\n{theirs.rows[y]}"
    return ""
