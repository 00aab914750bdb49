"""Goals, failures and background tasks that agents report to JetBrains AIR, outside ACP.

Goals and failures are in `_meta.jetbrains.air`, tasks in updates. None of it is in a
schema: the shapes come from the code of claude-agent-acp 0.101.0 and codex-acp 2.6.0.
"""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import ValidationError

from acp_tui.protocol.json_parts import object_at
from acp_tui.protocol.model import DefaultOnError, Listed, Model, Salvaged, literal_values

GOAL = "goal"
FAILURE = "sessionFailure"
_ACTIONS = {"retry": "try again", "login": "sign in", "new_session": "begin a new session"}
"""Text for the known actions of a failure."""
M = TypeVar("M", bound=Model)


class Goal(Model):
    """A session's goal; its status is "active", "paused", "blocked", "limited" or "complete"."""

    objective: str
    status: str = "active"
    iterations: Salvaged[int] = None
    last_reason: Salvaged[str] = None
    tokens_used: Salvaged[int] = None
    token_budget: Salvaged[int] = None

    @property
    def words(self) -> str:
        """The goal and its status in one line."""
        return f"goal {self.status}: {self.objective}"

    @property
    def details(self) -> str | None:
        """The iterations (claude) or tokens (codex) so far, and why the goal isn't met yet."""
        lines = [f"iterations: {self.iterations}"] if self.iterations else []
        if self.tokens_used:
            most = f" of {self.token_budget:,}" if self.token_budget else ""
            lines.append(f"tokens: {self.tokens_used:,}{most}")
        return "\n".join([*lines, *filter(None, [self.last_reason])]) or None


class SessionFailure(Model):
    """A failure, or a warning if the severity is "warning"; it replaces an earlier one with its id.

    The category is "connection", "access", "limit", "request", "service" or "unknown". A client
    should offer the `actions`.
    """

    id: str
    title: str
    severity: Annotated[str, DefaultOnError("error")] = "error"
    details: Salvaged[str] = None
    category: Salvaged[str] = None
    actions: Listed[str] = []

    @property
    def is_error(self) -> bool:
        """Whether the failure made the turn fail."""
        return self.severity != "warning"

    @property
    def explanation(self) -> str | None:
        """The details, the category if known, and the actions that the agent suggests."""
        lines = [self.details]
        if self.category not in (None, "unknown"):
            lines.append(f"category: {self.category}")
        if self.actions:
            words = ", or ".join(_ACTIONS.get(one, one) for one in self.actions)
            lines.append(f"suggested: {words}")
        return "\n".join(filter(None, lines)) or None


class AsyncTaskUpdate(Model):
    """An update of a background task: the first names the task, later ones change the given fields.

    The state is "running", "paused", "completed", "failed" or "stopped".
    """

    session_update: Literal[
        "async_task_spawned",
        "async_task_progress",
        "async_task_state_update",
        "_async_task_spawned",
        "_async_task_progress",
        "_async_task_state_update",
    ]
    async_task_id: str
    name: Salvaged[str] = None
    description: Salvaged[str] = None
    state: Salvaged[str] = None
    summary: Salvaged[str] = None
    output_file_path: Salvaged[str] = None

    @property
    def is_over(self) -> bool:
        """Whether the task has ended."""
        return self.state in ("completed", "failed", "stopped")

    @property
    def title(self) -> str:
        """The state of the task, and its name, description or id."""
        return f"background task {self.state or 'running'}: {self.shown_name}"

    @property
    def shown_name(self) -> str:
        """The name of the task, its description, or its id."""
        return self.name or self.description or self.async_task_id

    @property
    def details(self) -> str | None:
        """The summary, else the description unless the title shows it; and the path of the output."""
        description = None if self.description == self.shown_name else self.description
        lines = [self.summary or description]
        lines += [f"output: {self.output_file_path}"] if self.output_file_path else []
        return "\n".join(filter(None, lines)) or None


TASK_KINDS = literal_values(AsyncTaskUpdate, "session_update")
"""Kinds of updates about background tasks; in version 2, those of codex begin with "_"."""


def air_meta(meta: Any) -> dict[str, Any]:
    """Return the `jetbrains.air` object in a `_meta`, or {}."""
    return object_at(meta, "jetbrains", "air")


def read_goal(meta: Any) -> Goal | None:
    """Return the goal in a `_meta`, or None if it is missing or invalid."""
    return _read_model(Goal, air_meta(meta).get(GOAL))


def clears_goal(meta: Any) -> bool:
    """Return whether a `_meta` clears the goal. An invalid goal doesn't."""
    return air_meta(meta).get(GOAL, ...) is None


def read_failure(meta: Any) -> SessionFailure | None:
    """Return the failure in a `_meta`, or None if it is missing or invalid."""
    return _read_model(SessionFailure, air_meta(meta).get(FAILURE))


def _read_model(model: type[M], value: Any) -> M | None:
    if value is None:
        return None
    try:
        return model.model_validate(value)
    except ValidationError:
        return None
