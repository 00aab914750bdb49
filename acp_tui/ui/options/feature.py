"""The options of a session and an agent: modes and config options, the account, providers, sign-in."""

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import anyio

from acp_tui.host.agent import Agent, RunProgram
from acp_tui.state import commands
from acp_tui.state.authentication import Program, sign_in_method, sign_in_program
from acp_tui.state.commands import AskSessionOptions, Command, NewSession, SetConfigOption, SetMode
from acp_tui.state.modes import Mode, available_modes
from acp_tui.state.session import Session
from acp_tui.state.state import SessionOffer
from acp_tui.text import clean_line, judged_line
from acp_tui.ui.ask import ask_for_line, confirm
from acp_tui.ui.feature import Feature, UserNeeded, ViewRefreshed
from acp_tui.ui.tabs.tabs import wants_sign_in
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.options.rows import SetsProvider
    from acp_tui.ui.options.sign_in_dialog import SignInDialog
    from acp_tui.ui.preferences import PreferencesFeature


class OptionsFeature(Feature):
    """Lists the options, asks for their values, and sends them to the agent."""

    name = "options"

    def __init__(
        self, window: Window, authentication: "SignInFeature", choices: "PreferencesFeature"
    ) -> None:
        self._window = window
        self._choices = choices
        self.authentication = authentication

    def allows(self, action: str) -> bool:
        """Forbid changing the mode while a question waits: in another mode the agent may no longer
        ask.
        """
        return action != "next_mode" or self._window.question is None

    def next_mode(self) -> None:
        """Switch to the agent's next mode."""
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
        """List the options or, with a `name`, the values of the "mode" or the "model", or the
        "usage".
        """
        from acp_tui.ui.options.picker import OptionPicker

        tab = self._window.tabs.shown
        offers = tab.agent.state.peer.offers
        if offers("auth/status") or offers("providers/list"):
            tab.agent.do(commands.AskAccount())
        self._window.push(OptionPicker(tab.agent, tab.session_id, self, name))

    def choose(self, agent: Agent, command: Command) -> None:
        """Send the chosen command to the agent; sign out only after a yes."""
        if isinstance(command, commands.Logout):
            facts = ["What the agent does next may want a sign-in."]
            confirm(self._window, "Sign out?", facts, "Sign out", lambda: agent.do(command))
        else:
            self._set_option(agent, command)

    def _set_option(self, agent: Agent, command: Command) -> None:
        session = agent.state.sessions.get(getattr(command, "session_id", ""))
        mode = mode_chosen_by(command, session) if session is not None else None
        if mode is not None:
            self._choices.store_mode(agent, mode.name)
            sign = "▲ " if mode.no_approval_phrase else ""
            description = f": {mode.description}" if mode.description else ""
            self._window.show_note(clean_line(f"{sign}to mode {mode.name}{description}"))
        agent.do(command)

    # Providers

    def set_provider(self, agent: Agent, provider: "SetsProvider") -> None:
        """Ask for a provider's address and headers, and set it."""
        facts = (f"by {provider.api_type}", "Headers that were set for it are forgotten.")

        def written(line: str | None) -> None:
            if line and line.strip():
                address = line.strip()
                command = commands.SetProvider(provider.provider_id, provider.api_type, address)
                self._ask_header(agent, command)

        question = f"The address of {provider.provider_id}"
        ask_for_line(self._window, question, facts, provider.base_url, written)

    def _ask_header(self, agent: Agent, provider: commands.SetProvider) -> None:
        """Ask for one header after another; an empty line sets the provider."""
        names = ", ".join(name for name, _ in provider.headers)
        facts = ["Its name; leave it empty when done"]
        if names:
            facts.append(f"given: {names}")

        def named(line: str | None) -> None:
            if line is not None and line.strip():
                self._ask_value(agent, provider, line.strip().rstrip(":"))
            elif line is not None:
                agent.do(provider)

        question = f"A header for {provider.provider_id}, such as Authorization"
        ask_for_line(self._window, question, facts, "", named)

    def _ask_value(self, agent: Agent, provider: commands.SetProvider, name: str) -> None:
        """Ask for the value of a header, hidden as it may be a key; then for the next header."""

        def written(value: str | None) -> None:
            if value is None:
                self._ask_header(agent, provider)
            else:
                header = (name, value.strip())
                self._ask_header(agent, replace(provider, headers=(*provider.headers, header)))

        ask_for_line(self._window, f"The value of {name}", (), "", written, secret=True)


def next_mode(session: Session) -> Command | None:
    """Return the command for the mode after the current one; None if there is no other.

    If an agent has a config option for its modes, that is used, as its `modes` are then out of
    date.
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


class SignInFeature(Feature):
    """Asks for a sign-in, and carries it out. A command named by the agent is only run after a yes."""

    name = "authentication"
    handlers: ClassVar = {ViewRefreshed: "ask"}

    def __init__(self, window: Window) -> None:
        self._window = window
        self._dialog: SignInDialog | None = None

    def ask(self, _: ViewRefreshed) -> None:
        """Ask for a sign-in if the shown agent wants one."""
        agent = self._window.tabs.agent
        open_already = self._dialog in self._window.screens
        if self._window.terminal.is_suspended or open_already or not wants_sign_in(agent):
            return
        from acp_tui.ui.options.sign_in_dialog import SignInDialog

        self._window.emit(UserNeeded(agent, "asks you to sign in"))
        self._dialog = SignInDialog(agent, self._window.clock, self.sign_in)

        def decline(_: None) -> None:
            agent.postponed_sign_in = agent.state.peer.sign_in
            self._window.refresh_view()

        self._window.push(self._dialog, decline)

    def sign_in(self, agent: Agent, method_id: str) -> None:
        """Sign in with a method of any kind; ask before running a command that the agent names."""
        peer = agent.state.peer
        method = sign_in_method(peer, method_id)
        outside = sign_in_program(peer, method) if method is not None else None
        run = agent.run_program
        if outside is None or run is None:
            agent.do(commands.Authenticate(method_id))
        elif not outside.named_by_agent:
            self._window.spawn(self._run_sign_in(agent, method_id, outside, run))
        else:
            facts = [
                f"{agent.name} names this command to sign in with:",
                "",
                format_program(outside),
            ]
            confirm(
                self._window,
                "Run this on your terminal?",
                facts,
                "Run it",
                lambda: self._window.spawn(self._run_sign_in(agent, method_id, outside, run)),
            )

    async def _run_sign_in(
        self, agent: Agent, method_id: str, outside: Program, run: RunProgram
    ) -> None:
        with self._window.terminal.step_aside():
            print(f"acp-tui: {format_program(outside)}", flush=True)  # noqa: T201
            code = await run(outside)
            if code != 0:
                words = f"acp-tui: exited with code {code}; Enter goes back"
                print(words, flush=True)  # noqa: T201
                await _enter_pressed()
        agent.do(commands.TerminalSignedIn(method_id, code))
        self._window.refresh_view()


def format_program(outside: Program) -> str:
    """Format a program as typed in a shell, safe to print: the agent may have named it."""
    env = [f"{name}={shlex.quote(value)}" for name, value in outside.env.items()]
    return judged_line(" ".join([*env, shlex.join(outside.argv)]))


async def _enter_pressed() -> None:
    """Return once a line was entered, or the terminal is gone."""
    await anyio.wait_readable(sys.stdin.fileno())
    os.read(sys.stdin.fileno(), 4096)


class SessionStartFeature(Feature):
    """Asks the agent for the options of a new session, and the user for their values."""

    name = "session_start"
    handlers: ClassVar = {ViewRefreshed: "show_offer"}

    def __init__(self, window: Window) -> None:
        self._window = window
        self._known_offers: dict[Agent, SessionOffer | None] = {}
        """The agents that were asked, each with the offer known before."""

    def choose(self) -> None:
        """Ask the shown agent for the options of a new session."""
        agent = self._window.tabs.agent
        if why := self.refusal("choose"):
            self._window.refuse(why)
        else:
            self._known_offers[agent] = agent.state.catalogue.offer
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
            self._known_offers[agent] = None
        agent.choosing_options = False
        offer = agent.state.catalogue.offer
        if (
            len(self._window.screens) > 1
            or self._known_offers.get(agent, offer) is offer
            or offer is None
        ):
            return
        del self._known_offers[agent]
        from acp_tui.ui.options.picker import (
            StartOptionsPicker,
        )  # not needed at startup

        picker = StartOptionsPicker(agent, offer)
        self._window.push(picker, lambda _: self._open_session(agent, picker.command))

    def _open_session(self, agent: Agent, command: NewSession | None) -> None:
        """Open the session. An agent without a session gets one even if nothing was chosen."""
        is_first = not agent.state.sessions
        if command is None and not is_first:
            return
        if not is_first:
            self._window.tabs.open(agent)
        agent.do(command or NewSession())
        self._window.refresh_view()
