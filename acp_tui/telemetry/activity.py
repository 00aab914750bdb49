"""An activity that took time: a turn, a tool call, a request, and the like."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from acp_tui.protocol.quota import read_model_tokens

FINISHED = ("completed", "failed", "cancelled")
"""The statuses of a tool call that is over."""


class ActivityKind(StrEnum):
    """The kinds of activities."""

    REQUEST = "request"
    TURN = "turn"
    SUBAGENT = "subagent"
    TOOL_CALL = "tool_call"
    PERMISSION = "permission"
    QUESTION = "question"
    FILE = "file"
    TERMINAL = "terminal"


@dataclass(slots=True)
class Activity:
    """Something that took time, from `start` to `end` in seconds of the recording's clock.

    `number` is the number of the frame that began it. `turn` is the turn that it belongs to, `parent`
    what it is part of: a tool call, the work of a subagent, or the turn. `traceparent` is what the agent got with the
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
        """Return how long the activity took."""
        return (self.start if self.end is None else self.end) - self.start

    def ended(self, at: float, error: str | None = None) -> "Activity":
        """Note when the activity ended, and what went wrong; return it."""
        self.end = at
        self.error = error
        return self


_TOKENS = ("inputTokens", "outputTokens", "totalTokens", "cachedReadTokens", "thoughtTokens")


def note_outcome(one: Activity, result: dict[str, Any]) -> None:
    """Note the kind of the option that was chosen; ids are each agent's own."""
    outcome, kinds = object_of(result.get("outcome")), one.facts.pop("options", {})
    chosen = outcome.get("optionId")
    if outcome.get("outcome") == "selected" and isinstance(chosen, str):
        one.facts["outcome"] = kinds.get(chosen) or "selected"
    else:
        one.facts["outcome"] = text_of(outcome.get("outcome")) or "error"


def note_usage(turn: Activity, result: dict[str, Any]) -> None:
    """Note why a turn ended, and the tokens that it took."""
    turn.facts["stop_reason"] = text_of(result.get("stopReason"))
    usage = object_of(result.get("usage"))
    turn.facts |= {name: usage[name] for name in _TOKENS if is_count(usage.get(name))}
    if tokens := read_model_tokens(result.get("_meta")):
        turn.facts["model_tokens"] = tokens


def is_count(value: Any) -> bool:
    """Return whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def text_of(value: Any) -> str | None:
    """Return a value that is a text."""
    return value if isinstance(value, str) else None


def object_of(value: Any) -> dict[str, Any]:
    """Return a value that is an object; an empty one for any other."""
    return value if isinstance(value, dict) else {}
