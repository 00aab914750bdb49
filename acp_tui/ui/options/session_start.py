"""Choose the options of a session before it is created (`session/options`, unstable)."""

from typing import ClassVar

from acp_tui.host.agent import Agent
from acp_tui.state.commands import AskSessionOptions, NewSession
from acp_tui.state.state import SessionOffer
from acp_tui.ui.events import ViewRefreshed
from acp_tui.ui.feature import Feature
from acp_tui.ui.window import Window


class SessionStartFeature(Feature):
    """Asks the agent for the options of a new session, and the person for their values."""

    name = "session_start"
    hears: ClassVar = {ViewRefreshed: "show_offer"}

    def __init__(self, window: Window) -> None:
        self._window = window
        self._asked: dict[Agent, SessionOffer | None] = {}
        """The agents that were asked, each with the offer that was known before."""

    def choose(self) -> None:
        """Ask the shown agent for the options of a new session."""
        agent = self._window.tabs.agent
        if why := self.refusal("choose"):
            self._window.refuse(why)
        else:
            self._asked[agent] = agent.state.catalogue.offer
            agent.do(AskSessionOptions())

    def refusal(self, action: str) -> str:
        agent = self._window.tabs.agent
        if action != "choose" or agent.state.peer.offers("session/options"):
            return ""
        return f"{agent.name} lists no options before a session (--unstable)"

    def show_offer(self, _: ViewRefreshed) -> None:
        """Show the options once the agent has listed them."""
        agent = self._window.tabs.agent
        if agent.choosing_options and not agent.state.sessions:
            self._asked[agent] = None
        agent.choosing_options = False
        offer = agent.state.catalogue.offer
        if len(self._window.screens) > 1 or self._asked.get(agent, offer) is offer or offer is None:
            return
        del self._asked[agent]
        from acp_tui.ui.options.start_picker import StartOptionsPicker  # a start doesn't need it

        picker = StartOptionsPicker(agent, offer)
        self._window.push(picker, lambda _: self._begin(agent, picker.command))

    def _begin(self, agent: Agent, command: NewSession | None) -> None:
        """Open the session. An agent without a session gets one even if nothing was chosen."""
        is_first = not agent.state.sessions
        if command is None and not is_first:
            return
        if not is_first:
            self._window.tabs.open(agent)
        agent.do(command or NewSession())
        self._window.refresh_view()
