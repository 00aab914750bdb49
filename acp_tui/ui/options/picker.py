"""The options of a session: what they are set to, and what else they could be."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from acp_tui.host.agent import Agent
from acp_tui.state.state import Session
from acp_tui.text import clean_line
from acp_tui.ui.options import rows
from acp_tui.ui.options.rows import Choice, Opens, SetsProvider, SignsIn
from acp_tui.ui.toolkit.dialogs.picker import Item, Picker

if TYPE_CHECKING:
    from acp_tui.ui.options.feature import OptionsFeature


class OptionPicker(Picker[Choice]):
    """Two levels: the options, and the values of the one that was chosen."""

    searched_from = 8

    def __init__(self, agent: Agent, session_id: str | None, options: "OptionsFeature") -> None:
        super().__init__("Search the options")
        self._agent = agent
        self._options = options
        self._session_id = session_id
        self._opened: Opens | None = None
        self._opened_name = ""

    @property
    def _session(self) -> Session | None:
        return self._agent.state.sessions.get(self._session_id or "")

    def heading(self) -> Content:
        name = self._agent.name
        where = f"  {self._opened_name}" if self._opened else ""
        return Content.assemble((f"Options of {name}", "bold"), (where, "bold $accent"))

    def items(self) -> Sequence[Item[Choice]]:
        session = self._session
        if self._opened is not None and self._opened.kind == "provider":
            return list(rows.provider_choices(self._agent.state, self._opened.of or ""))
        if (
            self._opened is not None
            and self._opened.kind == "system prompt"
            and session is not None
        ):
            return list(rows.system_prompt_lines(session))
        if self._opened is not None and session is not None:
            return list(rows.values(session, self._opened))
        settings = (
            [*rows.options(session), *rows.system_prompt(session)] if session is not None else []
        )
        state = self._agent.state
        return [*settings, *rows.account(state), *rows.quota(state, session)]

    def empty(self) -> str:
        return "no option found" if self.searching else "the agent has no options to set"

    def keys(self) -> list[tuple[str, str]]:
        return [("enter", "choose"), ("escape", "back")]

    def chosen(self, value: Choice) -> None:
        if isinstance(value, Opens):
            self._opened_name = _name(self._session, value)
            self._open(value)
        elif isinstance(value, SignsIn):
            self._options.authentication.sign_in(self._agent, value.method_id)
        elif isinstance(value, SetsProvider):
            self._options.set_provider(self._agent, value)
            self._open(None)
        else:
            self._options.choose(self._agent, value)
            self._open(None)

    def _open(self, what: Opens | None) -> None:
        before, self._opened = self._opened, what
        self.clear_search()
        self.show()
        if what is None and before is not None:
            self.mark(before)
        elif what is not None:
            self._mark_current()

    def _mark_current(self) -> None:
        """Begin at the value that is set."""
        for item in self.items():
            if "●" in item.row.plain and item.value is not None:
                self.mark(item.value)

    def action_close(self) -> None:
        """Back to the options; from there, out."""
        if self._opened is not None:
            self._open(None)
        else:
            self.dismiss()


def _name(session: Session | None, what: Opens) -> str:
    options = session.config_options if session is not None else None
    named = {getattr(one, "id", ""): getattr(one, "name", "") for one in options or []}
    return clean_line(named.get(what.of or "", what.kind.capitalize()))
