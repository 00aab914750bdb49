"""Keys with Alt, as terminals without the Kitty keyboard protocol send them."""

from enum import Enum

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS


class AltKeys(Enum):
    """Reads Alt+Enter and Alt+1 as such. Textual would take the first for Enter, which sends, and
    the second for a letter of macOS.
    """

    ALT_ENTER = "alt+enter"
    ALT_1 = "alt+1"
    ALT_2 = "alt+2"
    ALT_3 = "alt+3"
    ALT_4 = "alt+4"
    ALT_5 = "alt+5"
    ALT_6 = "alt+6"
    ALT_7 = "alt+7"
    ALT_8 = "alt+8"
    ALT_9 = "alt+9"
    ALT_V = "alt+v"


def recognize_alt_keys() -> None:
    """Teach these keys to Textual's parser; many terminals are set to send Alt+Enter for
    Shift+Enter, too.
    """
    for key in AltKeys:
        last = "\r" if key is AltKeys.ALT_ENTER else key.value[-1]
        ANSI_SEQUENCES_KEYS[f"\x1b{last}"] = (key,)  # type: ignore[index]
