"""The title of the terminal."""

from acp_tui.session.state import Phase
from acp_tui.ui.sessions.tabs import Tabs, is_gone

LONGEST = 40
"""Characters that the agent's name gets."""


def terminal_title(tabs: Tabs) -> str:
    """Who is there, what goes on, and how many questions wait for a person."""
    count = _asked(tabs)
    begin = f"({count}) " if count else ""
    words = " — waiting for you" if count else _goes_on(tabs)
    return f"{begin}acp-tui — {tabs.agent.name[:LONGEST]}{words}"


def _asked(tabs: Tabs) -> int:
    """How many questions wait for a person, whichever window that looks at."""
    states = [agent.state for agent in tabs.agents]
    others = sum((one.peer.phase is Phase.SIGN_IN) + (one.trust is not None) for one in states)
    return others + len(tabs.questions())


def _goes_on(tabs: Tabs) -> str:
    if is_gone(tabs.agent.state.peer):
        return " — not running"
    if tabs.agent.state.peer.phase is Phase.NO_SESSION:
        return " — no session"
    session = tabs.shown.session
    return " — working" if session is not None and session.turn is not None else ""
