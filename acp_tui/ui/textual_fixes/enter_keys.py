"""Alt+Enter, as terminals without the Kitty keyboard protocol send it."""

from enum import Enum

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS


class AltKeys(Enum):
    """Reads Alt+Enter as such: Textual would take it for Enter, which sends."""

    ALT_ENTER = "alt+enter"


def recognize_alt_enter() -> None:
    """Teach it to Textual's parser; many terminals are set to send it for Shift+Enter, too."""
    ANSI_SEQUENCES_KEYS["\x1b\r"] = (AltKeys.ALT_ENTER,)  # type: ignore[index]
