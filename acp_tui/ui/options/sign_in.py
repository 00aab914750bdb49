"""Authentication: the dialog that offers the agent's methods, and programs that sign in."""

import os
import shlex
import sys
from typing import TYPE_CHECKING, ClassVar

import anyio

from acp_tui.host.agent import Agent, RunProgram
from acp_tui.state import commands
from acp_tui.state.authentication import Program, sign_in_method, sign_in_program
from acp_tui.text import judged_line
from acp_tui.ui.ask import confirm
from acp_tui.ui.events import PersonWanted, ViewRefreshed
from acp_tui.ui.feature import Feature
from acp_tui.ui.tabs.tabs import wants_sign_in
from acp_tui.ui.window import Window

if TYPE_CHECKING:
    from acp_tui.ui.options.sign_in_dialog import SignInDialog


class SignInFeature(Feature):
    """Asks for a sign-in, and carries it out. A command that the agent names is only run after a yes."""

    name = "authentication"
    hears: ClassVar = {ViewRefreshed: "ask"}

    def __init__(self, window: Window) -> None:
        self._window = window
        self._dialog: SignInDialog | None = None

    def ask(self, _: ViewRefreshed) -> None:
        """Ask for a sign-in if the shown agent wants one."""
        agent = self._window.tabs.agent
        open_already = self._dialog in self._window.screens
        if self._window.terminal.is_away or open_already or not wants_sign_in(agent):
            return
        from acp_tui.ui.options.sign_in_dialog import SignInDialog

        self._window.emit(PersonWanted(agent, "asks you to sign in"))
        self._dialog = SignInDialog(agent, self._window.clock, self.sign_in)

        def decline(_: None) -> None:
            agent.declined = agent.state.peer.sign_in
            self._window.refresh_view()

        self._window.push(self._dialog, decline)

    def sign_in(self, agent: Agent, method_id: str) -> None:
        """Sign in by a method of any kind; ask before running a command that the agent names."""
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
    """Return a program as typed in a shell, safe to print: the agent may have named it."""
    env = [f"{name}={shlex.quote(value)}" for name, value in outside.env.items()]
    return judged_line(" ".join([*env, shlex.join(outside.argv)]))


async def _enter_pressed() -> None:
    """Return once a line was typed, or the terminal is gone."""
    await anyio.wait_readable(sys.stdin.fileno())
    os.read(sys.stdin.fileno(), 4096)
