"""The options of a session and an agent: modes and other options, the account, providers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from acp_tui.host.agent import Agent
from acp_tui.state import commands
from acp_tui.state.commands import Command, SetConfigOption, SetMode
from acp_tui.state.modes import Mode, available_modes
from acp_tui.state.session import Session
from acp_tui.text import clean_line
from acp_tui.ui.ask import ask_for_line, confirm
from acp_tui.ui.feature import Feature
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.options.rows import SetsProvider
    from acp_tui.ui.options.sign_in import SignInFeature
    from acp_tui.ui.preferences import PreferencesFeature


class OptionsFeature(Feature):
    """Lists the options, asks for values, and sends them to the agent."""

    name = "options"

    def __init__(
        self,
        window: Window,
        authentication: "SignInFeature",
        choices: "PreferencesFeature",
    ) -> None:
        self._window = window
        self._choices = choices
        self.authentication = authentication

    def allows(self, action: str) -> bool:
        """Forbid changing the mode while a question waits: in another mode the agent may no longer ask."""
        return action != "next_mode" or self._window.question is None

    def next_mode(self) -> None:
        """Ask for the agent's next mode."""
        tab = self._window.tabs.shown
        command = next_mode(tab.session) if tab.session else None
        if command is None:
            self._window.refuse("this agent has no other mode")
        else:
            self._set_option(tab.agent, command)

    def open(self) -> None:
        """List the options."""
        self.open_list()

    def open_list(self, name: str = "") -> None:
        """List the options, or with a `name` the values of the "mode" or the "model", or the "usage"."""
        from acp_tui.ui.options.picker import OptionPicker

        tab = self._window.tabs.shown
        offers = tab.agent.state.peer.offers
        if offers("auth/status") or offers("providers/list"):
            tab.agent.do(commands.AskAccount())
        self._window.push(OptionPicker(tab.agent, tab.session_id, self, name))

    def choose(self, agent: Agent, command: Command) -> None:
        """Send the chosen option to the agent; sign out only after a yes."""
        if isinstance(command, commands.Logout):
            facts = ["What the agent does next may want a sign-in."]
            confirm(self._window, "Sign out?", facts, "Sign out", lambda: agent.do(command))
        else:
            self._set_option(agent, command)

    def _set_option(self, agent: Agent, command: Command) -> None:
        session = agent.state.sessions.get(getattr(command, "session_id", ""))
        mode = mode_chosen_by(command, session) if session is not None else None
        if mode is not None:
            self._choices.keep_mode(agent, mode.name)
            sign = "▲ " if mode.no_approval_phrase else ""
            description = f": {mode.description}" if mode.description else ""
            self._window.say(clean_line(f"{sign}to mode {mode.name}{description}"))
        agent.do(command)

    # Providers

    def set_provider(self, agent: Agent, wanted: "SetsProvider") -> None:
        """Ask for a provider's address and headers, and set it."""
        facts = (f"by {wanted.api_type}", "Headers that were set for it are forgotten.")

        def written(line: str | None) -> None:
            if line and line.strip():
                address = line.strip()
                command = commands.SetProvider(wanted.provider_id, wanted.api_type, address)
                self._ask_header(agent, command)

        question = f"The address of {wanted.provider_id}"
        ask_for_line(self._window, question, facts, wanted.base_url, written)

    def _ask_header(self, agent: Agent, wanted: commands.SetProvider) -> None:
        """Ask for one header after another; an empty line sets the provider."""
        names = ", ".join(name for name, _ in wanted.headers)
        facts = ["Its name; leave it empty when done"]
        if names:
            facts.append(f"given: {names}")

        def named(line: str | None) -> None:
            if line is not None and line.strip():
                self._ask_value(agent, wanted, line.strip().rstrip(":"))
            elif line is not None:
                agent.do(wanted)

        question = f"A header for {wanted.provider_id}, such as Authorization"
        ask_for_line(self._window, question, facts, "", named)

    def _ask_value(self, agent: Agent, wanted: commands.SetProvider, name: str) -> None:
        """Ask for the value of a header, which may be a key; then for the next header."""

        def written(value: str | None) -> None:
            if value is None:
                self._ask_header(agent, wanted)
            else:
                header = (name, value.strip())
                self._ask_header(agent, replace(wanted, headers=(*wanted.headers, header)))

        ask_for_line(self._window, f"The value of {name}", (), "", written, secret=True)


def next_mode(session: Session) -> Command | None:
    """Return the command for the mode after the current one; None if there is no other.

    If an agent has a config option for its modes, that option is used: its `modes` are out of date.
    """
    option = session.config.option("mode")
    if option is not None:
        value = _id_after(option.current_value, [choice.value for choice in option.choices])
        return SetConfigOption(session.session_id, option.id, value) if value else None
    if session.config.modes is None:
        return None
    ids = [mode.id for mode in session.config.modes.available_modes]
    mode_id = _id_after(session.config.modes.current_mode_id, ids)
    return SetMode(session.session_id, mode_id) if mode_id else None


def mode_chosen_by(command: Command, session: Session) -> Mode | None:
    """Return the mode that a command sets; None if it sets something else."""
    option = session.config.option("mode")
    if isinstance(command, SetMode):
        chosen = command.mode_id
    elif isinstance(command, SetConfigOption) and option and option.id == command.config_id:
        chosen = str(command.value)
    else:
        return None
    return next((mode for mode in available_modes(session) if mode.id == chosen), None)


def _id_after(current: str, ids: Sequence[str]) -> str | None:
    if not set(ids) - {current}:
        return None
    at = ids.index(current) if current in ids else -1
    return ids[(at + 1) % len(ids)]
