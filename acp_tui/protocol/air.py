"""What agents report to JetBrains AIR, outside ACP: goals, failures and background tasks.

Goals and failures are in `_meta.jetbrains.air`, tasks in updates of their own. Nothing of it is in a
schema: the shapes were read in claude-agent-acp 0.101.0 and codex-acp 2.6.0.
"""

from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from acp_tui.protocol.model import Model, Salvaged, literals

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

    @property
    def details(self) -> str | None:
        """How far it is, and why it isn't reached yet."""
        told = [f"iterations: {self.iterations}"] if self.iterations else []
        return "\n".join([*told, *filter(None, [self.last_reason])]) or None


class SessionFailure(Model):
    """A failure, or with the severity "warning" a notice; a later one with its id replaces it."""

    id: str
    severity: str
    title: str
    details: Salvaged[str] = None


class AsyncTaskUpdate(Model):
    """What is known of a background task: the first update names it, later ones patch it.

    Its state is "running", "paused", "completed", "failed" or "stopped".
    """

    session_update: Literal[
        "async_task_spawned",
        "async_task_progress",
        "async_task_state_update",
        "_async_task_spawned",
        "_async_task_state_update",
    ]
    async_task_id: str
    name: Salvaged[str] = None
    description: Salvaged[str] = None
    state: Salvaged[str] = None
    summary: Salvaged[str] = None
    output_file_path: Salvaged[str] = None

    @property
    def title(self) -> str:
        """What runs, and how it is with it."""
        name = self.name or self.description or self.async_task_id
        return f"background task {self.state or 'running'}: {name}"

    @property
    def details(self) -> str | None:
        """What it says of itself, and where its output is."""
        told = [self.summary or self.description]
        told += [f"output: {self.output_file_path}"] if self.output_file_path else []
        return "\n".join(filter(None, told)) or None


TASK_KINDS = literals(AsyncTaskUpdate, "session_update")
"""The updates about tasks; codex's in version 2 begin with "_"."""


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
