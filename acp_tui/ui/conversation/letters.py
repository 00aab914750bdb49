"""Letters typed where each is a command, by somebody who means to write a prompt."""

from enum import Enum
from typing import NamedTuple

QUICK = 0.3
"""Seconds within which two keys are one word."""
_MOVING = frozenset(
    {"j", "k", "J", "K", "b", "space", "g", "G", "n", "N", "v"}
    | {"left_square_bracket", "right_square_bracket"}
)
_TOGETHER = (
    _MOVING,
    _MOVING - {"n", "N", "b"} | {"y", "Y"},
    *map(frozenset, ({"t", "T"}, {"p", "P"}, {"e", "E"}, {"y", "Y"})),
)
"""What is pressed quickly one after the other by somebody who reads: two keys of one of these."""
_HELD = frozenset({"c", "i", "o", "s", "y", "Y"})
"""What copies, opens or changes something, and so waits for whether a word comes of it."""


class Meaning(Enum):
    """What a key was meant as, as far as is known."""

    COMMAND = "command"
    HELD = "held"
    TEXT = "text"


class Letter(NamedTuple):
    """A key that has a character, and when it was pressed."""

    key: str
    character: str
    at: float


class Letters:
    """Tells commands from the beginning of a text, by what was pressed shortly before.

    A text has a letter that is no command, or quickly one after the other two that nobody would
    press so who only reads. What is a text only by its second letter is so from its first one on.
    """

    def __init__(self) -> None:
        self._run: list[Letter] = []

    @property
    def text(self) -> str:
        """What was written quickly, up to now."""
        return "".join(one.character for one in self._run)

    @property
    def is_alone(self) -> bool:
        """Whether nothing came shortly before the last key."""
        return len(self._run) == 1

    def press(self, letter: Letter, *, is_command: bool) -> Meaning:
        """Take in a key."""
        if self._run and letter.at - self._run[-1].at > QUICK:
            self._run.clear()
        self._run.append(letter)
        if not is_command or not self._go_together():
            return Meaning.TEXT
        return Meaning.HELD if letter.key in _HELD else Meaning.COMMAND

    def forget(self) -> None:
        """What comes next starts over."""
        self._run.clear()

    def _go_together(self) -> bool:
        last = {one.key for one in self._run[-2:]}
        return len(last) == 1 or any(last <= keys for keys in _TOGETHER)
