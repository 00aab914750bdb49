"""The list of options to choose before a session is created."""

from collections.abc import Sequence

from textual.content import Content

from acp_tui.host.agent import Agent
from acp_tui.state.commands import NewSession, SetConfigOption, SetMode
from acp_tui.state.modes import settable_options
from acp_tui.state.session import Session, SessionConfig
from acp_tui.state.state import SessionOffer
from acp_tui.ui.options.rows import Choice, Opens, option_rows, value_rows
from acp_tui.ui.toolkit.dialogs.picker import Item, Picker, SecondLevel


class StartOptionsPicker(Picker[Choice]):
    """Lists the options, with a first row that creates the session; choosing an option lists its values."""

    searched_from = 8

    def __init__(self, agent: Agent, offer: SessionOffer) -> None:
        super().__init__("Search the options")
        self._agent = agent
        config = SessionConfig(modes=offer.modes, options=offer.options)
        self._draft = Session("", offer.cwd, config=config)
        self._values: dict[str, bool | str] = {}
        self._mode = ""
        self._level = SecondLevel[Opens](self)
        self.command: NewSession | None = None
        """The command that creates the session; None until the person has chosen it."""

    def heading(self) -> Content:
        return Content.styled(f"New session of {self._agent.name}", "bold")

    def items(self) -> Sequence[Item[Choice]]:
        if self._level.opened is not None:
            return list(value_rows(self._draft, self._level.opened))
        begins = NewSession(self._draft.cwd, tuple(self._values.items()), self._mode)
        row = Content.styled("Begin the session", "bold")
        return [Item(row, begins, row.plain), *option_rows(self._draft)]

    def keys(self) -> list[tuple[str, str]]:
        is_first = not self._agent.state.sessions
        leaves = "begin as it is" if is_first and self._level.opened is None else "back"
        return [("enter", "choose"), ("escape", leaves)]

    def chosen(self, value: Choice) -> None:
        if isinstance(value, NewSession):
            self.command = value
            self.dismiss()
        elif isinstance(value, SetConfigOption):
            self._values[value.config_id] = value.value
            self._draft.config.options = [
                one.model_copy(update={"current_value": value.value})
                if one.id == value.config_id
                else one
                for one in settable_options(self._draft.config.options)
            ]
            self._level.open(None)
        elif isinstance(value, SetMode) and self._draft.config.modes is not None:
            self._mode = value.mode_id
            chosen = {"current_mode_id": value.mode_id}
            self._draft.config.modes = self._draft.config.modes.model_copy(update=chosen)
            self._level.open(None)
        elif isinstance(value, Opens):
            self._level.open(value)

    def action_close(self) -> None:
        """Go back to the options; from there, close."""
        self._level.close()
