"""A terminal's bytes and the pauses between them, as they are heard."""

from collections.abc import Iterable

from textual.events import Key, Paste
from textual.message import Message

from acp_tui.ui.textual_fixes.terminal_input import TerminalInput

LONG_PAUSE = 60.0


def heard(
    *parts: str | bytes | float, is_text: bool = True, until: float = LONG_PAUSE
) -> list[Message]:
    """Return the messages of reads with seconds of silence between them, up to `until` seconds behind the last.

    With `is_text` letters are text where they go, and no commands.
    """
    now = 1000.0
    messages: list[Message] = []
    parser = TerminalInput(lambda: now, lambda: is_text)
    for part in (*parts, until):
        if isinstance(part, float):
            until = now + part
            while parser.deadline is not None and parser.deadline <= until:
                now = parser.deadline
                messages += parser.tick()
            now = until
        else:
            messages += parser.feed(part.encode() if isinstance(part, str) else part)
    assert parser.deadline is None or until < LONG_PAUSE
    return messages


def keys(messages: Iterable[Message]) -> list[str]:
    """Name the keys; a paste is `paste:` and its text, what else there is its class."""
    return [
        message.key
        if isinstance(message, Key)
        else f"paste:{message.text}"
        if isinstance(message, Paste)
        else type(message).__name__
        for message in messages
    ]


def typed(messages: Iterable[Message]) -> str:
    """Return what these messages would write into a text."""
    return "".join(
        (message.character or "") if isinstance(message, Key) and message.is_printable else ""
        for message in messages
    ) + "".join(message.text for message in messages if isinstance(message, Paste))
