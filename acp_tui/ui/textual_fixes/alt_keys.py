"""Keys with Alt, as terminals send them: Escape, and the key.

Where another such key comes within a tenth of a second, Textual takes the first for "^" and a letter,
which are written into the prompt. A sign with Alt it takes for the sign alone, a digit for what a Mac
writes with it, Tab for Shift+Tab, which changes the mode of an agent, and Backspace for Ctrl+W, which
deletes more than a word.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual import constants
from textual._xterm_parser import XTermParser
from textual.events import Key
from textual.message import Message

if TYPE_CHECKING:
    from textual.drivers.linux_driver import LinuxDriver
else:
    LinuxDriver = object  # it can't be imported where there is no termios

ESCAPE = "\x1b"
INTRODUCERS = "[]NOPX^_\\"
"""What begins a longer sequence behind an Escape: it is no key yet."""
DELAY = constants.ESCAPE_DELAY
"""Seconds in which a key behind an Escape makes Alt of it."""
SHORT_DELAY = 0.03
"""The same where a person may be as fast: terminals send both at once."""
BACKSPACES = ("\x7f", "\x08")
"""What terminals send for Backspace."""


def expect_letters_after_escape(expected: bool) -> None:
    """Tell Esc from Alt sooner while letters are commands: of Esc and g no Alt+G is made, which sends."""
    constants.ESCAPE_DELAY = min(DELAY, SHORT_DELAY) if expected else DELAY  # type: ignore[misc]


class KeyParser(XTermParser):
    """Takes an Escape before a key for Alt, however soon the next key comes."""

    _after_escape = False

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[Key]:
        """Make the events of a sequence. A single Escape comes here only where it begins another."""
        if sequence == ESCAPE:
            self._after_escape = True
            return
        alt, self._after_escape = alt or self._after_escape, False
        begins = len(sequence) == 2 and sequence[0] == ESCAPE and sequence[1] not in INTRODUCERS
        sign = sequence[1] if begins else sequence
        if (begins or alt) and sign in BACKSPACES:
            yield Key("alt+backspace", None)
        elif (begins or alt) and (sign == "\t" or (len(sign) == 1 and sign.isprintable())):
            for event in super()._sequence_to_key_events(sign, alt=True):
                with_alt = event.key.startswith("alt+")
                yield Key(event.key if with_alt else f"alt+{event.key}", ESCAPE)
        else:
            yield from super()._sequence_to_key_events(sequence, alt)


class AltKeys(LinuxDriver):
    """A mixin before Textual's driver: a letter with Alt is none. Where an Escape stood for Alt, that is
    the character.
    """

    def process_message(self, message: Message) -> None:
        alt = isinstance(message, Key) and message.key.startswith("alt+")
        if isinstance(message, Key) and alt and message.character != ESCAPE:
            message.character = None  # Textual has the letter there
        super().process_message(message)
