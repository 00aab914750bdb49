"""Permission rules, and what they decided."""

from acp_tui.protocol.events import Ruled, RulesChanged
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.entries import NoticeEntry
from acp_tui.state.reducers import permissions
from acp_tui.state.reducers.turns import add_entry
from acp_tui.state.state import State

_WORDS = {"allow": ("info", "Allowed"), "reject": ("warning", "Rejected")}


def apply(state: State, event: RulesChanged | Ruled) -> list[Change]:
    """Apply changed rules, or a decision of the rules."""
    if isinstance(event, RulesChanged):
        state.rules = list(event.rules)
        return [ScreenChanged()]
    return _ruled(state, event)


def _ruled(state: State, event: Ruled) -> list[Change]:
    """Apply what the rules decided: an undecided question waits for the user, the client answers
    others.

    A decision that no tool call shows gets a notice.
    """
    changes: list[Change] = []
    severity, verb = _WORDS.get(event.answer, ("", ""))
    if event.about and verb:
        title = f"{verb} by a rule: {event.about}"
        notice = NoticeEntry(event.at, severity, title, event.by, ours=True, ended=event.at)
        changes += add_entry(state.session(event.session_id), notice)
    permission = state.permission(event.request)
    if permission is None:
        return changes
    permission.rule = event.by if event.answer != "none" else ""
    permission.ruled = verb
    session = state.session(permission.session_id)
    if not permission.ruled and permission in session.evaluating:
        session.evaluating.remove(permission)
        changes += permissions.wait_for_person(state, permission, event.at)
    return changes
