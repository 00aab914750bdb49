"""The part of the app that gets a person out of it when the agent is gone or stuck."""

from acp_tui.protocol.events import Requested
from acp_tui.session import commands
from acp_tui.session.state import Phase
from acp_tui.ui.conversing import ConversingApp
from acp_tui.ui.sessions import request_clocks
from acp_tui.ui.sessions.status import is_stuck, is_working
from acp_tui.ui.sessions.tabs import is_gone

SECOND_THOUGHT = 2.0
"""Seconds within which a second key is meant."""


class RecoveringApp(ConversingApp):
    """Restarts, and what is not waited for any more."""

    _giving_up_at = float("-inf")

    def action_restart(self) -> None:
        """Start an agent again that failed, exited, opened no session, or is stuck."""
        peer = self.agent.state.peer
        without = peer.phase is Phase.NO_SESSION
        if is_gone(peer) or without or is_stuck(peer, self.session, self._clock()):
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
        """Cancel what goes on: a restart that is due, the turn, or another request of ours."""
        calls = request_clocks.asked(self.agent.state, self.session)
        if self.agent.state.peer.restart is not None:
            self.agent.do(commands.StopRestarting())
        elif not calls or is_working(self.session) or self.tabs.shown.queue.waiting:
            super().action_cancel()
        else:
            self._take_back_request(calls[0])

    def _take_back_request(self, call: Requested) -> None:
        """Cancel a request; while there is no session, only at the second key: all hangs on it."""
        now = self._clock()
        if call.number in self.agent.state.cancelled_calls:
            self.say("cancelled; waiting a moment for the agent's answer")
        elif not self.agent.state.open_sessions() and now - self._giving_up_at > SECOND_THOUGHT:
            self._giving_up_at = now
            cancelled = self.agent.state.cancelled_calls
            self.conversation.hints.say(
                f"Esc again cancels {call.method}",
                SECOND_THOUGHT,
                holds=lambda: call.number not in cancelled,
            )
        else:
            self.agent.do(commands.CancelRequest(call.number))
