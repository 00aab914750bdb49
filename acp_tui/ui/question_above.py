"""A question as the prompt below it sees it."""

from typing import NamedTuple, Protocol

from textual import events

from acp_tui.ui.tabs.tabs import Asked


class Pressed(NamedTuple):
    """What became of a key: text that was held back, to be written first, and whether the key itself
    is done with.
    """

    text: str
    done: bool


class QuestionAbove(Protocol):
    """A question that is answered by keys of the prompt."""

    asked: Asked

    def means(self, key: str) -> bool:
        """Return whether a key is for the question, and so no text."""

    def press(self, event: events.Key) -> Pressed:
        """Apply a key of the prompt."""

    def begin_words(self, event: events.Key | events.Paste) -> str:
        """Note a key, or a paste, that is written in the prompt; return text that was held back, to be
        written first.
        """

    def type_elsewhere(self, event: events.Key) -> str:
        """Note a key that is meant for something else than the prompt; return text that was held back."""
