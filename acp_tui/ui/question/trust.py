"""Trust in what a project wants to be started."""

from typing import TYPE_CHECKING, ClassVar

from acp_tui.protocol.events import TrustAsked
from acp_tui.state import commands
from acp_tui.ui.events import PersonWanted, ViewRefreshed
from acp_tui.ui.feature import Feature
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.question.trust_dialog import TrustDialog


class TrustFeature(Feature):
    """Asks once for every agent that is to use the same file."""

    name = "trust"
    hears: ClassVar = {ViewRefreshed: "ask"}

    def __init__(self, window: Window) -> None:
        self._window = window
        self._dialog: TrustDialog | None = None

    def ask(self, _: ViewRefreshed) -> None:
        """Open the dialog if the shown agent waits for the answer."""
        agent = self._window.tabs.agent
        open_already = self._dialog in self._window.screens
        if self._window.terminal.is_away or open_already or agent.state.trust is None:
            return
        from acp_tui.ui.question.trust_dialog import TrustDialog

        self._window.emit(PersonWanted(agent, "asks for your trust in this project"))
        self._dialog = TrustDialog(agent, self._window.clock, self.answer)
        self._window.push(self._dialog, lambda _: self._window.refresh_view())

    def answer(self, asked: TrustAsked, trusted: bool) -> None:
        """Answer for every agent that waits for trust in the same content."""
        for agent in self._window.tabs.agents:
            trust = agent.state.trust
            if trust is not None and trust.content == asked.content:
                agent.do(commands.AnswerTrust(trusted))
