"""The part of the app that sets options, and what agents keep of sessions and providers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from acp_tui.session import commands
from acp_tui.ui.prompting import PromptingApp
from acp_tui.ui.sessions.agent import Agent
from acp_tui.ui.sessions.names import title_of

if TYPE_CHECKING:
    from acp_tui.ui.dialogs.options import OptionPicker


class ManagingApp(PromptingApp):
    """Asks for what a command needs, and passes it on."""

    def manage(self, agent: Agent, session_id: str, action: str) -> None:
        """What may still change in ACP: archive, rename, ask for the status."""
        listed = agent.state.catalogue.sessions.get(session_id)
        if action == "archive":
            archived = bool(listed is not None and listed.archived)
            agent.do(commands.ArchiveSession(session_id, not archived))
        elif action == "status":
            agent.do(commands.AskStatus(session_id))
        elif agent.state.peer.offers("session/set_title"):
            rename = partial(commands.RenameSession, session_id)
            title = self.title_of(agent, session_id)
            self._ask_line("The session's title", (), title, lambda line: agent.do(rename(line)))
        else:
            self.bell()

    def title_of(self, agent: Agent, session_id: str) -> str:
        """What an agent calls a session."""
        return title_of(agent.state, session_id)

    def _ask_line(
        self, question: str, facts: Sequence[str], text: str, then: Callable[[str], object]
    ) -> None:
        """Ask for a line; do something with it unless it is empty."""

        def written(line: str | None) -> None:
            if line and line.strip():
                then(line.strip())

        self._push_line(question, facts, text, written)

    def _push_line(
        self,
        question: str,
        facts: Sequence[str],
        text: str,
        then: Callable[[str | None], None],
        *,
        secret: bool = False,
    ) -> None:
        from acp_tui.ui.dialogs.line import LineDialog

        self.push_screen(LineDialog(question, facts, text, secret=secret), then)

    # Options

    def action_options(self) -> None:
        """Show what can be set."""
        from acp_tui.ui.dialogs.options import OptionPicker

        offers = self.agent.state.peer.offers
        if offers("auth/status") or offers("providers/list"):
            self.agent.do(commands.AskAccount())
        self.push_screen(OptionPicker(self.agent, self.tabs.shown.session_id))

    def on_option_picker_wanted(self, event: "OptionPicker.Wanted") -> None:
        """Have it set."""
        if isinstance(event.command, commands.Logout):
            facts = ["What the agent does next may want a sign-in."]
            self.confirm("Sign out?", facts, "Sign out", lambda: event.agent.do(event.command))
        else:
            event.agent.do(event.command)

    def on_option_picker_set_provider(self, event: "OptionPicker.SetProvider") -> None:
        """Ask where the provider is, and have it set."""
        wanted = event.provider
        facts = (f"by {wanted.api_type}", "Headers that were set for it are forgotten.")
        question = f"The address of {wanted.provider_id}"

        def ask_headers(address: str) -> None:
            command = commands.SetProvider(wanted.provider_id, wanted.api_type, address)
            self._ask_headers(event.agent, command)

        self._ask_line(question, facts, wanted.base_url, ask_headers)

    def _ask_headers(self, agent: Agent, wanted: commands.SetProvider) -> None:
        """Ask for a header after the other; an empty line ends that, and has the provider set."""
        names = ", ".join(name for name, _ in wanted.headers)
        facts = ["Its name; an empty line for no more"]
        if names:
            facts.append(f"given: {names}")

        def named(line: str | None) -> None:
            if line is not None and line.strip():
                self._ask_value(agent, wanted, line.strip().rstrip(":"))
            elif line is not None:
                agent.do(wanted)

        question = f"A header for {wanted.provider_id}, such as Authorization"
        self._push_line(question, facts, "", named)

    def _ask_value(self, agent: Agent, wanted: commands.SetProvider, name: str) -> None:
        """Ask for the value of a header, which may be a key; then for the next header."""

        def written(value: str | None) -> None:
            if value is None:
                self._ask_headers(agent, wanted)
            else:
                header = (name, value.strip())
                self._ask_headers(agent, replace(wanted, headers=(*wanted.headers, header)))

        self._push_line(f"The value of {name}", (), "", written, secret=True)

    def on_option_picker_sign_in(self, event: "OptionPicker.SignIn") -> None:
        """Sign in by this method."""
        self.sign_in(event.agent, event.method_id)
