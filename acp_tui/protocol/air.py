"""What agents report to JetBrains AIR in `_meta.jetbrains.air`, outside ACP: goals and failures.

Nothing of it is in a schema: the shapes were read in claude-agent-acp 0.101.0 and codex-acp 2.6.0.
"""

from typing import Any, TypeVar

from pydantic import ValidationError

from acp_tui.protocol.model import Model, Salvaged

GOAL = "goal"
FAILURE = "sessionFailure"
M = TypeVar("M", bound=Model)


class Goal(Model):
    """What a session works toward, turn after turn: "active", "paused", "blocked", "limited" or "complete"."""

    objective: str
    status: str = "active"
    iterations: Salvaged[int] = None
    last_reason: Salvaged[str] = None

    @property
    def words(self) -> str:
        """The goal in a line."""
        return f"goal {self.status}: {self.objective}"


class SessionFailure(Model):
    """A failure, or with the severity "warning" a notice; a later one with its id replaces it."""

    id: str
    severity: str
    title: str
    details: Salvaged[str] = None


def air_meta(meta: Any) -> dict[str, Any]:
    """Return AIR's part of a `_meta`; an empty one where it has none."""
    return _object(_object(_object(meta).get("jetbrains")).get("air"))


def read_goal(meta: Any) -> Goal | None:
    """Read the goal in a `_meta`; None where there is none, or where it was cleared."""
    return _read(Goal, air_meta(meta).get(GOAL))


def read_failure(meta: Any) -> SessionFailure | None:
    """Read the failure in a `_meta`; None where there is none, or none that can be read."""
    return _read(SessionFailure, air_meta(meta).get(FAILURE))


def _read(model: type[M], value: Any) -> M | None:
    try:
        return model.model_validate(value)
    except ValidationError:
        return None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
