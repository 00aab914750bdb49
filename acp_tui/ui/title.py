"""The title of the terminal."""

from collections.abc import Callable

from acp_tui.state.state import Phase
from acp_tui.ui.tabs.tabs import Tabs, is_gone

LONGEST_AGENT_NAME = 40
"""The most characters of the agent's name."""


class TerminalTitle:
    """Sets the title of the terminal: who is there, and whether a person is wanted."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self.shown = ""

    def show(self, tabs: Tabs) -> None:
        """Update the title; keep the one that stood there before."""
        words = terminal_title(tabs)
        if words != self.shown:
            keep = "" if self.shown else "\x1b[22;2t"
            self.shown = words
            self._write(f"{keep}\x1b]2;{words}\x07")

    def restore(self) -> None:
        """Restore the title that stood there before."""
        self._write("\x1b[23;2t")


def terminal_title(tabs: Tabs) -> str:
    """Return who is there, what goes on, and how many questions wait for a person."""
    count = _asked(tabs)
    begin = f"({count}) " if count else ""
    words = " — waiting for you" if count else _goes_on(tabs)
    return f"{begin}acp-tui — {tabs.agent.name[:LONGEST_AGENT_NAME]}{words}"


def _asked(tabs: Tabs) -> int:
    """Return how many questions wait for a person, including those that other windows show."""
    if tabs.refusal:
        return 0
    states = [agent.state for agent in tabs.agents]
    others = sum((one.peer.phase is Phase.SIGN_IN) + (one.trust is not None) for one in states)
    return others + len(tabs.questions())


def _goes_on(tabs: Tabs) -> str:
    if is_gone(tabs.agent.state.peer):
        return " — not running"
    if tabs.agent.state.peer.phase is Phase.NO_SESSION:
        return " — no session"
    session = tabs.shown.session
    return " — working" if session is not None and session.works else ""
