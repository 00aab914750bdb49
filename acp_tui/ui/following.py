"""Lets the screen follow the states of agents: growth at once, everything else from a queue."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from acp_tui.host.agent import Agent
from acp_tui.state.changes import Change, EntryChanged, TerminalChanged
from acp_tui.ui.events import AgentChanged, LogGrown, ViewRefreshed
from acp_tui.ui.own_context import OwnContext
from acp_tui.ui.sessions import other_tabs
from acp_tui.ui.title import TerminalTitle
from acp_tui.ui.toolkit.screens import OverlayScreen

if TYPE_CHECKING:
    from acp_tui.ui.app import AcpApp

GROWN = (EntryChanged, TerminalChanged)
"""Changes that affect nothing but the transcript and the frames."""


class Following:
    """Updates the UI when an agent changes: the conversation, overlays, terminal title and features."""

    def __init__(self, app: "AcpApp", own_context: OwnContext) -> None:
        self._app = app
        self._own_context = own_context
        self._moved: dict[Agent, list[Change]] = {}
        self._title = TerminalTitle(app.write_sequence)

    def changed(self, agent: Agent, changes: Sequence[Change]) -> None:
        """Take what moved in the state of an agent."""
        app = self._app
        if not app.conversation.is_mounted or agent not in app.tabs.agents:
            return
        if not self._moved and all(isinstance(one, GROWN) for one in changes):
            # At once, as a message for each would cost as much as drawing it.
            self._own_context.run(self._follow_growth, agent, changes)
            return
        if not self._moved:
            app.call_later(self._follow_changes)
        self._moved.setdefault(agent, []).extend(changes)

    def _follow_growth(self, agent: Agent, changes: Sequence[Change]) -> None:
        self._app.conversation.changed(agent, changes)
        self._app.emit(LogGrown(agent, changes))

    def _follow_changes(self) -> None:
        moved, self._moved = self._moved, {}
        for agent, changes in moved.items():
            self._follow_growth(agent, changes)
        if all(isinstance(one, GROWN) for changes in moved.values() for one in changes):
            return
        for agent, changes in moved.items():
            self._app.emit(AgentChanged(agent, changes))
        self.show()

    def show(self) -> None:
        """Show what is true now, beside what transcripts follow by themselves."""
        app = self._app
        app.feature.prompts.follow_tabs()
        app.conversation.show()
        for screen in list(app.screens):
            if isinstance(screen, OverlayScreen) and screen.is_mounted:
                screen.show()
        app.emit(ViewRefreshed())
        front = app.screens[-1] if app.screens else None  # none is left as it ends
        if isinstance(front, OverlayScreen) and front.is_mounted:
            leads = not front.is_modal
            front.tell_waiting(other_tabs.words(app.tabs, app.tabs.asking(), leads=leads))
        self._title.show(app.tabs)

    def close(self) -> None:
        """Give the terminal its title back."""
        self._title.restore()
