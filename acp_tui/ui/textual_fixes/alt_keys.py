"""Keys with Alt, as terminals send them: Escape, and the key.

Where another such key comes within a tenth of a second, Textual takes the first for "^" and a letter,
which are written into the prompt.
"""

from collections.abc import Iterable

from textual._xterm_parser import XTermParser
from textual.events import Key

ESCAPE = "\x1b"


class KeyParser(XTermParser):
    """Takes an Escape before a key for Alt, however soon the next key comes."""

    _after_escape = False

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[Key]:
        """Make the events of a sequence. A single Escape comes here only where it begins another."""
        if sequence == ESCAPE:
            self._after_escape = True
            return
        alt, self._after_escape = alt or self._after_escape, False
        yield from super()._sequence_to_key_events(sequence, alt)
