"""What was closed here, and can be opened again."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acp_tui.host.agent import Agent

if TYPE_CHECKING:
    from acp_tui.ui.tabs.tab import Tab


@dataclass(slots=True, eq=False)
class ClosedTab:
    """A tab that was closed. `has_entries` is whether something was said in it: an agent may keep
    nothing of other sessions. `written` was not sent. It is `asked_for` once it is to come back.
    """

    agent: Agent
    session_id: str | None
    has_entries: bool
    written: str
    asked_for: bool = False


class ClosedTabs:
    """The tabs that were closed, until they are back; what was written in them is not lost."""

    def __init__(self) -> None:
        self._all: list[ClosedTab] = []

    def add(self, tab: "Tab") -> ClosedTab:
        """Note that a tab is closed."""
        entries = tab.session is not None and bool(tab.session.entries)
        written = "\n\n".join(filter(None, [*tab.queue.waiting, tab.written]))
        closed = ClosedTab(tab.agent, tab.session_id, entries, written)
        same = tab.session_id and (tab.agent, tab.session_id)
        self._all = [one for one in self._all if (one.agent, one.session_id) != same]
        if entries or written.strip():
            self._all.append(closed)
        return closed

    def latest_first(self) -> Iterator[ClosedTab]:
        """Yield what nobody has asked for again."""
        return (one for one in reversed(self._all) if not one.asked_for)

    def with_words(self) -> Iterator[ClosedTab]:
        """Yield those in which something is written, oldest first."""
        return (one for one in self._all if one.written.strip())

    def ask_for(self, agent: Agent, session_id: str) -> None:
        """Note that a session is to come back."""
        for one in self._all:
            if one.agent is agent and one.session_id == session_id:
                one.asked_for = True

    def give_back(self, tab: "Tab") -> None:
        """Let a tab that was to come back have what was written in it."""
        for one in [one for one in self._all if one.asked_for]:
            if one.agent is tab.agent and one.session_id == tab.session_id:
                tab.draft = tab.draft if tab.written else one.written
                self._all.remove(one)

    def remove(self, closed: ClosedTab) -> None:
        """Forget one that is back, or will not come back."""
        self._all.remove(closed)

    def forget_sent(self, text: str) -> None:
        """Forget a text that was sent from elsewhere."""
        for one in self._all:
            if one.written == text:
                one.written = ""
