"""The options that a new session begins with, chosen before it exists (`session/options`, unstable)."""

from collections.abc import Sequence
from typing import ClassVar

from textual.content import Content

from acp_tui.host.agent import Agent
from acp_tui.state.commands import AskSessionOptions, NewSession, SetConfigOption
from acp_tui.state.option_names import settable_options
from acp_tui.state.session import Session
from acp_tui.state.state import SessionOffer
from acp_tui.ui.events import ViewRefreshed
from acp_tui.ui.feature import Feature
from acp_tui.ui.options.rows import Choice, Opens, option_rows, value_rows
from acp_tui.ui.toolkit.dialogs.picker import Item, Picker
from acp_tui.ui.window import Window


class StartOptionsPicker(Picker[Choice]):
    """Lists the options, and the values of the one that was chosen; the first row begins the session."""

    searched_from = 8

    def __init__(self, agent: Agent, offer: SessionOffer) -> None:
        super().__init__("Search the options")
        self._agent = agent
        self._draft = Session("", offer.cwd, config_options=offer.options)
        self._values: dict[str, bool | str] = {}
        self._opened: Opens | None = None
        self.command: NewSession | None = None
        """What opens the session, once that was chosen."""

    def heading(self) -> Content:
        return Content.styled(f"New session of {self._agent.name}", "bold")

    def items(self) -> Sequence[Item[Choice]]:
        if self._opened is not None:
            return list(value_rows(self._draft, self._opened))
        begins = NewSession(self._draft.cwd, tuple(self._values.items()))
        row = Content.styled("Begin the session", "bold")
        return [Item(row, begins, row.plain), *option_rows(self._draft)]

    def keys(self) -> list[tuple[str, str]]:
        return [("enter", "choose"), ("escape", "back")]

    def chosen(self, value: Choice) -> None:
        if isinstance(value, NewSession):
            self.command = value
            self.dismiss()
        elif isinstance(value, SetConfigOption):
            self._values[value.config_id] = value.value
            self._draft.config_options = [
                one.model_copy(update={"current_value": value.value})
                if one.id == value.config_id
                else one
                for one in settable_options(self._draft.config_options)
            ]
            self._open(None)
        elif isinstance(value, Opens):
            self._open(value)

    def _open(self, what: Opens | None) -> None:
        """Show the values of an option, at the current one, or the options again, at that one."""
        before, self._opened = self._opened, what
        self.clear_search()
        self.show()
        for item in self.items():
            if item.value is not None and (
                item.value == before or (what and "●" in item.row.plain)
            ):
                self.mark(item.value)

    def action_close(self) -> None:
        """Back to the options; from there, out."""
        if self._opened is not None:
            self._open(None)
        else:
            self.dismiss()


class SessionStartFeature(Feature):
    """Asks the agent for its options before a session, and the person for their values."""

    name = "session_start"
    hears: ClassVar = {ViewRefreshed: "show_offer"}

    def __init__(self, window: Window) -> None:
        self._window = window
        self._asked: dict[Agent, SessionOffer | None] = {}
        """The agents that were asked, each with its offer before."""

    def choose(self) -> None:
        """Ask the agent that is shown for its options before a session."""
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
        picker = StartOptionsPicker(agent, offer)
        self._window.push(picker, lambda _: self._begin(agent, picker.command))

    def _begin(self, agent: Agent, command: NewSession | None) -> None:
        """Open the session; where there is none yet, open one even if nothing was chosen."""
        is_first = not agent.state.sessions
        if command is None and not is_first:
            return
        if not is_first:
            self._window.tabs.open(agent)
        agent.do(command or NewSession())
        self._window.refresh_view()
