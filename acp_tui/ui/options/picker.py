"""The lists of options and their values, in the agent's order: of a session, and before one is
created.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from acp_tui.host.agent import Agent
from acp_tui.state.commands import NewSession, SetConfigOption, SetMode
from acp_tui.state.modes import settable_options
from acp_tui.state.session import Session, SessionConfig
from acp_tui.state.state import SessionOffer
from acp_tui.text import clean_line
from acp_tui.ui.options.rows import (
    Choice,
    Opens,
    SetsProvider,
    SignsIn,
    account_rows,
    option_rows,
    provider_choices,
    system_prompt_lines,
    system_prompt_row,
    usage_rows,
    value_rows,
)
from acp_tui.ui.toolkit.dialogs.picker import Item, Picker, SecondLevel

if TYPE_CHECKING:
    from acp_tui.ui.options.feature import OptionsFeature


class OptionPicker(Picker[Choice]):
    """Lists the options of a session; choosing one lists its values."""

    searched_from = 8

    def __init__(
        self, agent: Agent, session_id: str | None, options: "OptionsFeature", opened: str = ""
    ) -> None:
        """List the options, or only what is `opened`: "mode", "model" or "usage"."""
        super().__init__("Search the options")
        self._agent = agent
        self._options = options
        self._session_id = session_id
        self._level = SecondLevel(self, _list_of(self._session, opened))

    def on_mount(self) -> None:
        """Mark the current value, once the list is drawn."""
        if self._level.is_only:
            self.call_next(self._level.mark_current)

    @property
    def _session(self) -> Session | None:
        return self._agent.state.sessions.get(self._session_id or "")

    def heading(self) -> Content:
        name = self._agent.name
        where = f"  {_name_list(self._session, self._level.opened)}" if self._level.opened else ""
        return Content.assemble((f"Options of {name}", "bold"), (where, "bold $accent"))

    def items(self) -> Sequence[Item[Choice]]:
        session, opened, state = self._session, self._level.opened, self._agent.state
        if opened is not None and opened.kind == "provider":
            return list(provider_choices(state, opened.of or ""))
        if opened is not None and opened.kind == "usage":
            return list(usage_rows(state, session))
        if opened is not None and session is not None:
            is_prompt = opened.kind == "system prompt"
            return list(system_prompt_lines(session) if is_prompt else value_rows(session, opened))
        own = [*option_rows(session), *system_prompt_row(session)] if session is not None else []
        return [*own, *account_rows(state), *usage_rows(state, session)]

    def empty(self) -> str:
        return "no option found" if self.searching else "the agent has no options to set"

    def keys(self) -> list[tuple[str, str]]:
        choose = [("enter", "choose")] if self.marked is not None else []
        return [*choose, ("escape", "back")]

    def chosen(self, value: Choice) -> None:
        if isinstance(value, Opens):
            self._level.open(value)
        elif isinstance(value, SignsIn):
            self._options.authentication.sign_in(self._agent, value.method_id)
        elif isinstance(value, SetsProvider):
            self._options.set_provider(self._agent, value)
            self._level.open(None)
        else:
            self._options.choose(self._agent, value)
            self._level.open(None)

    def action_close(self) -> None:
        """Return to the options; from there, close."""
        self._level.close()


def _list_of(session: Session | None, name: str) -> Opens | None:
    """Return the list that "mode", "model" or "usage" opens; None if the agent has no such option."""
    if name == "usage":
        return Opens(name)
    option = session.config.option(name) if session is not None and name else None
    if option is not None:
        return Opens("option", option.id)
    is_known = session is not None and {
        "mode": session.config.modes,
        "model": session.config.models,
    }.get(name)
    return Opens(name) if is_known else None


def _name_list(session: Session | None, what: Opens) -> str:
    options = session.config.options if session is not None else None
    named = {getattr(one, "id", ""): getattr(one, "name", "") for one in options or []}
    return clean_line(named.get(what.of or "", what.kind.capitalize()))


class StartOptionsPicker(Picker[Choice]):
    """Lists the options, with a first row that creates the session; choosing an option lists its
    values.
    """

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
        """The command that creates the session; None until the user has chosen it."""

    def heading(self) -> Content:
        return Content.styled(f"New session of {self._agent.name}", "bold")

    def items(self) -> Sequence[Item[Choice]]:
        if self._level.opened is not None:
            return list(value_rows(self._draft, self._level.opened))
        row = Content.styled("Begin the session", "bold")
        return [Item(row, self._new_session(), row.plain), *option_rows(self._draft)]

    def _new_session(self) -> NewSession:
        return NewSession(self._draft.cwd, tuple(self._values.items()), self._mode)

    def keys(self) -> list[tuple[str, str]]:
        return [
            ("enter", "choose"),
            ("escape", "begin as it is" if self._escape_begins() else "back"),
        ]

    def _escape_begins(self) -> bool:
        """Return whether Esc creates the session, as an agent's first one is always created."""
        return not self._agent.state.sessions and self._level.opened is None

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
        """Return to the options; from there, close, which creates the first session with the
        options shown.
        """
        if self._escape_begins():
            self.command = self._new_session()
        self._level.close()
