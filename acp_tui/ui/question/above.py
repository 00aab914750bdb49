"""A question as the prompt below it sees it."""

from typing import Protocol

from textual import events

from acp_tui.ui.sessions.asked import Asked


class QuestionAbove(Protocol):
    """A question that is answered by keys of the prompt."""

    asked: Asked

    def wants(self, key: str) -> bool:
        """Return whether a key is for the question, and so no text."""

    def takes(self, event: events.Key) -> bool:
        """Do what a key does in the question; return whether nothing else is left to do."""

    def begins(self, event: events.Key | events.Paste) -> None:
        """Note that the person begins to write."""

    def passes(self, event: events.Key) -> None:
        """Note that a key was typed that is meant for something else."""
