"""Restart the agent with the capabilities of another client."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from acp_tui.host.agent import Agent
from acp_tui.state.commands import OfferAs, Restart
from acp_tui.ui.feature import Feature
from acp_tui.ui.window import Window


class ClientProfileFeature(Feature):
    """Opens the dialog for capabilities, and restarts the agent with the chosen ones."""

    name = "client_profile"

    def __init__(self, window: Window) -> None:
        self._window = window

    def open(self) -> None:
        """Show the capabilities that the agent was offered."""
        from acp_tui.ui.client_profile.dialog import ClientProfileDialog

        agent = self._window.tabs.agent
        offered = agent.state.peer.offered
        if isinstance(offered, Mapping):
            self._window.push(ClientProfileDialog(offered), partial(self._restart, agent))
        else:
            self._window.notify("the agent was offered nothing yet")

    def _restart(self, agent: Agent, params: Mapping[str, Any] | None) -> None:
        if params is not None:
            agent.do(OfferAs(params))
            agent.do(Restart())
