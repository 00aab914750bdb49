"""Shows the goals, failures and background tasks reported to JetBrains AIR as the agent's notices."""

from acp_tui.protocol.air import (
    AsyncTaskUpdate,
    Goal,
    SessionFailure,
    clears_goal,
    read_failure,
    read_goal,
)
from acp_tui.protocol.model import Model
from acp_tui.state.changes import Change
from acp_tui.state.reducers.notices import set_notice
from acp_tui.state.session import Session


def update_task(session: Session, at: float, update: AsyncTaskUpdate) -> list[Change]:
    """Add a background task, or change the given fields of a known one; null changes nothing."""
    known = session.tasks.get(update.async_task_id)
    fields = {name: getattr(update, name) for name in update.model_fields_set}
    given = {name: value for name, value in fields.items() if value is not None}
    task = update if known is None else known.model_copy(update=given)
    session.tasks[update.async_task_id] = task
    severity = "warning" if task.state == "failed" else "info"
    key = f"task {update.async_task_id}"
    return set_notice(session, at, key, task.title, task.details, severity, ours=False)


def lose_tasks(session: Session, at: float, why: str) -> list[Change]:
    """Report background tasks as lost if they were running when the agent or the connection ended."""
    running = [one for one in session.tasks.values() if not one.is_over]
    session.tasks.clear()
    changes = []
    for task in running:
        key, words = f"task {task.async_task_id}", f"How it ends isn't known: {why}."
        changes += set_notice(session, at, key, f"Lost: {task.title}", words, "warning")
    return changes


def note_meta(session: Session, at: float, update: Model) -> list[Change]:
    """Show the goal and the failure in an update's `_meta`."""
    failure = read_failure(update.meta)
    changes = [] if failure is None else _set_failure(session, at, failure)
    goal = read_goal(update.meta)
    if goal is not None or clears_goal(update.meta):
        changes += _set_goal(session, at, goal)
    return changes


def note_failed_turn(session: Session, at: float, ending: Model) -> tuple[str | None, list[Change]]:
    """Show the failure in the `_meta` of a turn's end; return its title if it made the turn fail."""
    failure = read_failure(ending.meta)
    if failure is None:
        return None, []
    title = failure.title if failure.is_error else None
    return title, _set_failure(session, at, failure)


def _set_failure(session: Session, at: float, failure: SessionFailure) -> list[Change]:
    key = f"failure {failure.id}"
    return set_notice(
        session, at, key, failure.title, failure.explanation, failure.severity, ours=False
    )


def _set_goal(session: Session, at: float, goal: Goal | None) -> list[Change]:
    """Show a goal when it changes or ends: one notice per turn and goal."""
    before, session.goal = session.goal, goal
    shown = goal or before
    if shown is None or goal == before:
        return []
    title = shown.words if goal is not None else f"goal over: {shown.objective}"
    key = f"goal {session.turns} {shown.objective}"
    return set_notice(session, at, key, title, shown.details, ours=False)
