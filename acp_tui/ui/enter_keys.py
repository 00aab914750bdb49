"""Alt+Enter, as terminals without the Kitty keyboard protocol send it."""

from enum import Enum

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS


class EnterKeys(Enum):
    """Keys that Textual would take for a plain Enter, which sends the prompt."""

    ALT_ENTER = "alt+enter"


def recognize_alt_enter() -> None:
    """Teach Textual's parser the key; many terminals are set to send it for Shift+Enter too."""
    ANSI_SEQUENCES_KEYS["\x1b\r"] = (EnterKeys.ALT_ENTER,)  # type: ignore[index]
