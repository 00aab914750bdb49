"""How a session stands: what goes on there, since when, and what it has used."""

from typing import NamedTuple

from acp_tui.formatting import running_duration, short_count
from acp_tui.state.entries import ToolCallEntry
from acp_tui.state.state import Session
from acp_tui.state.subject import headline, subject
from acp_tui.text import clean_line, one_line
from acp_tui.ui.tabs import marks
from acp_tui.ui.tabs.open_questions import AskedPermission
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.tabs.tabs import Tabs
from acp_tui.ui.toolkit.shortened import cropped

RECENT = 20
"""How many of the last entries are looked through for the tool that runs."""
_CURRENCY = 4
_SIGNS = "◆✗●"
"""The signs of what needs the person, the most first; before them, all else."""


class Standing(NamedTuple):
    """A tab with its mark; what it waits for or does, and `since` when, in the client's time."""

    tab: Tab
    mark: marks.Mark
    since: float | None
    doing: str

    @property
    def need(self) -> int:
        """How much it needs the person, the most first: a question, a failure, what wasn't read yet, work."""
        sign = self.mark[0]
        if sign in _SIGNS:
            return _SIGNS.index(sign)
        return len(_SIGNS) + (sign != marks.SPINNING)

    def clock(self, now: float) -> str:
        """Return since when, for people."""
        return "" if self.since is None else running_duration(max(0.0, now - self.since))


def standings(tabs: Tabs) -> list[Standing]:
    """Return how all sessions stand, those first that need the person most, the longest wait first."""
    found = [standing(tabs, tab) for tab in tabs.visible]
    return sorted(found, key=lambda one: (one.need, _waits(one)))


def _waits(one: Standing) -> float:
    waits = one.need == 0 and one.since is not None
    return one.since if waits and one.since is not None else 0.0


def standing(tabs: Tabs, tab: Tab) -> Standing:
    """Return how a session stands."""
    mark, session = marks.mark(tab, marks.SPINNING), tab.session
    questions = tabs.questions_in(tab)
    if questions:
        first = questions[0]
        words = (
            subject(tab.agent.state, first.permission)
            if isinstance(first, AskedPermission)
            else one_line(first.elicitation.message)
        )
        return Standing(tab, mark, first.at, words)
    if session is None:
        return Standing(tab, mark, None, "")
    if session.works:
        turn = session.turn
        return Standing(tab, mark, turn.started if turn else session.active, _runs(session))
    last = session.entries[-1].at if session.entries else None
    return Standing(tab, mark, last, "")


def _runs(session: Session) -> str:
    """Return what the tool is doing that runs, if one does."""
    for entry in reversed(session.entries[-RECENT:]):
        if isinstance(entry, ToolCallEntry) and not entry.finished:
            return headline(entry)
    return ""


def used(session: Session) -> str:
    """Return the tokens in the context, for people."""
    if session.used is None:
        return ""
    of = f"/{short_count(session.size)}" if session.size else ""
    return f"{short_count(session.used)}{of}"


def cost(session: Session) -> str:
    """Return what a session has cost, for people."""
    if session.cost is None:
        return ""
    return f"{session.cost.amount:,.2f} {cropped(clean_line(session.cost.currency), _CURRENCY)}"
