"""Plans: a session's only one, or several with ids (unstable)."""

from acp_tui.protocol.updates import Plan, PlanEntry, PlanRemoved, PlanUpdate
from acp_tui.state.changes import Change, EntryChanged, ScreenChanged
from acp_tui.state.entries import PlanSnapshot
from acp_tui.state.reducers import notices
from acp_tui.state.reducers.turns import add_entry
from acp_tui.state.state import Session


def update(session: Session, at: float, update: Plan | PlanUpdate | PlanRemoved) -> list[Change]:
    """Replace or remove a plan: the steps of all plans are merged, a text becomes a notice."""
    if isinstance(update, Plan):
        return _replaced(session, at, update.entries)
    given = update.plan if isinstance(update, PlanUpdate) else None
    before = session.plans.pop(update.plan_id, None) if isinstance(update, PlanRemoved) else None
    if given is not None:
        before = session.plans.get(given.plan_id)
        session.plans[given.plan_id] = given
    changes: list[Change] = []
    if any(plan is not None and plan.words is None for plan in (before, given)):
        steps = [step for one in session.plans.values() for step in one.entries or []]
        changes = _replaced(session, at, steps)
    told = given or before
    if told is None or told.words is None:
        return changes
    title = "Plan" if given is not None else "Plan, removed"
    key = f"plan {told.plan_id} {session.turns}"
    return [*changes, *notices.write(session, at, key, title, told.words)]


def _replaced(session: Session, at: float, entries: list[PlanEntry]) -> list[Change]:
    """Add the new steps as a version of this turn's plan entry, or as a new entry.

    An empty plan is shown as cleared, if there was one before.
    """
    if not entries and not session.plan:
        return []
    session.plan = entries
    changed = ScreenChanged()
    snapshot = session.entries[session.plan_index] if session.plan_index is not None else None
    if isinstance(snapshot, PlanSnapshot) and session.plan_turn == session.turns:
        snapshot.versions.append(entries)
        assert session.plan_index is not None
        return [EntryChanged(session.session_id, session.plan_index), changed]
    session.plan_index, session.plan_turn = len(session.entries), session.turns
    return [*add_entry(session, PlanSnapshot(at, [entries])), changed]
