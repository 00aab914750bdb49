"""What is written in the prompt below a question, and what Enter does with it."""

from enum import Enum, auto


class Reply(Enum):
    """Keys answer a question only while there is none."""

    NONE = auto()
    """Nothing is written."""
    DRAFT = auto()
    """It was begun before the question had been seen: Enter says what it would do, and does it not."""
    WARNED = auto()
    """That was said: Enter again does it."""
    WORDS = auto()
    """It was begun at the question: Enter rejects, and sends it."""

    def written(self, text: str) -> "Reply":
        """What it is once this text stands in the prompt."""
        if not text.strip():
            return Reply.NONE
        return self if self is Reply.WORDS else Reply.DRAFT
