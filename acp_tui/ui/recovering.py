"""The part of the app that gets a person out of it when the agent is gone or stuck."""

from acp_tui.session import commands
from acp_tui.ui.conversation.status import overdue
from acp_tui.ui.conversing import ConversingApp
from acp_tui.ui.sessions.desk import is_gone


class RecoveringApp(ConversingApp):
    """Restarts, and what is not waited for any more."""

    def action_restart(self) -> None:
        """Start an agent again that failed, exited, or does not end a cancelled turn."""
        if is_gone(self.agent.state.peer) or overdue(self.session, self._clock()):
            self.agent.do(commands.Restart())
        else:
            self.say("the agent is running; nothing to restart")

    def on_trouble_panel_restart(self) -> None:
        """Start the agent again."""
        self.action_restart()

    def on_trouble_panel_stop(self) -> None:
        """Don't start it again by itself."""
        self.agent.do(commands.StopRestarting())

    def action_cancel(self) -> None:
        """Cancel what goes on: a restart that is due, or the turn."""
        if self.agent.state.peer.restart is not None:
            self.agent.do(commands.StopRestarting())
        else:
            super().action_cancel()
