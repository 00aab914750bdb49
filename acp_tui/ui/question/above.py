"""A question as the prompt below it sees it."""

from typing import Protocol

from textual import events

from acp_tui.ui.sessions.asked import Asked


class QuestionAbove(Protocol):
    """It has its keys from the prompt."""

    asked: Asked

    def wants(self, key: str) -> bool:
        """Whether a key is for the question, and so no text."""

    def takes(self, event: events.Key) -> bool:
        """Do what a key does there; whether that was all to it."""

    def begins(self, event: events.Key | events.Paste) -> None:
        """A text begins."""

    def passes(self, event: events.Key) -> None:
        """A key was typed that is for something else."""
