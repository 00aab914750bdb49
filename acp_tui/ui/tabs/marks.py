"""The mark of a tab, which shows what its session is doing: a sign, a word and a style."""

from collections import Counter

from acp_tui.host.session_names import session_name, session_title
from acp_tui.state.entries import TurnEndEntry
from acp_tui.state.peer import Phase
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.text import clean_line, clean_title
from acp_tui.ui.tabs.conditions import missing_choice
from acp_tui.ui.tabs.tab import Tab
from acp_tui.ui.tabs.tabs import Tabs

RECENT = 20
"""Last entries that are searched for the end of a turn."""

SPINNING = "⠿"
"""The sign of work where nothing is animated."""

Mark = tuple[str, str, str]
"""Sign, word, style."""


def tab_mark(tab: Tab, spinner: str) -> Mark:
    """Return the mark of a tab; `spinner` is the current sign of work."""
    state, session = tab.agent.state, tab.session
    if state.peer.phase in (Phase.FAILED, Phase.EXITED):
        return "✗", "not running", "$error"
    if state.peer.phase is Phase.NO_SESSION:
        return "✗", "no session", "$error"
    if session is None:
        return _opening_mark(state, spinner)
    if state.has_open_question(session.session_id):
        return "◆", "waiting for you", "bold $warning"
    if session.opening.loading is not None:
        return spinner, "loading", "$text-muted"
    if session.reported.activity == "requires_action":
        return "◆", "needs an action", "bold $warning"
    if session.is_working:
        return spinner, "working", "$primary"
    if session.lost:
        return "✗", "lost", "$error"
    if session.subagent is not None and session.subagent.state == "running":
        return spinner, "working", "$primary"
    if session.subagent is not None and session.subagent.state == "requires_action":
        return "◆", "needs an action", "bold $warning"
    if _has_failed(session):
        return "✗", "failed", "$error"
    return ("●", "done", "$success") if tab.unread else ("○", "ready", "$text-muted")


def _opening_mark(state: State, spinner: str) -> Mark:
    if state.peer.phase is Phase.SIGN_IN or missing_choice(state):
        return "◆", "waiting for you", "bold $warning"
    return spinner, "starting", "$text-muted"


def is_animated(tab: Tab) -> bool:
    """Return whether the sign of a tab is animated."""
    return tab_mark(tab, SPINNING)[0] == SPINNING


def tab_name(tabs: Tabs, tab: Tab) -> str:
    """Return a session's display name, as in `tab_names`; a hidden tab gets no number."""
    found = tab_names(tabs)
    if tab in found:
        return found[tab]
    return _name(tab, is_only_agent=len(tabs.agents) == 1, is_only_tab=len(tabs.of(tab.agent)) == 1)


def tab_names(tabs: Tabs) -> dict[Tab, str]:
    """Return the display names of the sessions in all visible tabs, with the agent's name if there
    are several agents. Equal names are numbered.
    """
    visible, found = tabs.visible, dict[Tab, str]()
    tabs_of = Counter(tab.agent for tab in visible)
    alike = Counter[str]()
    for tab in visible:
        own = _name(tab, is_only_agent=len(tabs.agents) == 1, is_only_tab=tabs_of[tab.agent] == 1)
        alike[own] += 1
        found[tab] = f"{own} {alike[own]}" if alike[own] > 1 else own
    return found


def _name(tab: Tab, *, is_only_agent: bool, is_only_tab: bool) -> str:
    session = tab.session
    called = clean_title(session_title(tab.agent.state, tab.session_id or ""))
    title = called or (session_name(tab.agent.state, session) if session else "new session")
    if is_only_agent:
        return title
    plain = not called and is_only_tab
    is_agents = title == clean_line(tab.agent.state.peer.name)
    return tab.agent.name if plain or is_agents else f"{tab.agent.name}: {title}"


def _has_failed(session: Session) -> bool:
    for entry in reversed(session.entries[-RECENT:]):
        if isinstance(entry, TurnEndEntry):
            return entry.is_failed
    return False
