"""What is written in the prompt below a question, and what Enter does with it."""

from enum import Enum, auto


class Reply(Enum):
    """The state of the text in the prompt. Keys answer a question only while there is none."""

    NONE = auto()
    """Nothing is written."""
    DRAFT = auto()
    """It was begun before the question had been seen: Enter only says what it would do."""
    WARNED = auto()
    """The person was told what Enter would do: the next Enter does it."""
    WORDS = auto()
    """It was begun after the question had been seen: Enter rejects, and sends the text."""

    def written(self, text: str) -> "Reply":
        """Return the state once this text stands in the prompt."""
        if not text.strip():
            return Reply.NONE
        return self if self is Reply.WORDS else Reply.DRAFT
