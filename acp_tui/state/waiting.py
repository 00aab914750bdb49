"""Counts the time spent waiting for the user; questions that are open at the same time count once."""

from dataclasses import dataclass


@dataclass(slots=True)
class WaitingTime:
    """The `seconds` that a turn or a tool call has waited for answers, without the time since which
    the currently open `questions` wait (`since`).
    """

    seconds: float = 0.0
    questions: int = 0
    since: float = 0.0

    def add_question(self, at: float) -> None:
        """Count another open question."""
        if not self.questions:
            self.since = at
        self.questions += 1

    def remove_question(self, at: float) -> None:
        """Count a question as no longer open."""
        waited = self.until(at)
        self.questions -= 1
        if not self.questions:
            self.seconds = waited

    def until(self, now: float) -> float:
        """Return the seconds waited until `now`."""
        return self.seconds + (max(0.0, now - self.since) if self.questions else 0.0)
