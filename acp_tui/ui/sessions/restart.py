"""Restarts of an agent that is gone or stuck."""

from acp_tui.state import commands
from acp_tui.state.state import Phase
from acp_tui.ui.feature import Feature
from acp_tui.ui.tabs.conditions import is_stuck
from acp_tui.ui.tabs.tabs import is_gone
from acp_tui.ui.window import Window


class RestartFeature(Feature):
    """Restarts an agent that can't go on."""

    name = "restart"

    def __init__(self, window: Window) -> None:
        self._window = window

    def restart(self) -> None:
        """Start an agent again that failed, exited, opened no session, is stuck, or whose source has
        changed.
        """
        if self._can_restart:
            self._window.tabs.agent.do(commands.Restart())
        else:
            self._window.refuse("the agent is running; nothing to restart")

    @property
    def _can_restart(self) -> bool:
        peer, session = self._window.tabs.agent.state.peer, self._window.tabs.shown.session
        without = peer.phase is Phase.NO_SESSION
        stuck = is_stuck(peer, session, self._window.clock())
        return is_gone(peer) or without or stuck or peer.changed is not None

    def does_nothing(self, action: str) -> bool:
        return action == "restart" and not self._can_restart

    def stop(self) -> None:
        """Don't start it again by itself."""
        self._window.tabs.agent.do(commands.StopRestarting())
