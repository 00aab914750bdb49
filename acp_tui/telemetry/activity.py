"""What took time: a turn, a tool call, a request, and the like."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

FINISHED = ("completed", "failed", "cancelled")
"""The statuses of a tool call that is over."""


class ActivityKind(StrEnum):
    """What an activity is."""

    REQUEST = "request"
    TURN = "turn"
    TOOL_CALL = "tool_call"
    PERMISSION = "permission"
    QUESTION = "question"
    FILE = "file"
    TERMINAL = "terminal"


@dataclass(slots=True)
class Activity:
    """Something that took time, from `start` to `end` in seconds of the recording's clock.

    `number` is the number of the frame that began it. `turn` is the turn that it belongs to, `parent`
    what it is part of: a tool call, or the turn. `traceparent` is what the agent got with the
    request. `error` says in words what went wrong.
    """

    kind: ActivityKind
    name: str
    start: float
    number: int
    by_agent: bool
    session_id: str | None = None
    turn: "Activity | None" = None
    parent: "Activity | None" = None
    traceparent: str | None = None
    end: float | None = None
    error: str | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """How long the activity took."""
        return (self.start if self.end is None else self.end) - self.start

    def ended(self, at: float, error: str | None = None) -> "Activity":
        """Note when the activity ended, and what went wrong; return it."""
        self.end = at
        self.error = error
        return self
