"""The part of the app that puts before a person what waits for one."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from textual.screen import Screen

from acp_tui.session import commands
from acp_tui.session.authentication import Program, method_of, program
from acp_tui.ui.sessions.agent import Agent, RunProgram
from acp_tui.ui.sessions.tabs import Tabs, wants_sign_in
from acp_tui.ui.textual_fixes.driver import driver_class
from acp_tui.ui.textual_fixes.gc_control import GcControl
from acp_tui.ui.textual_fixes.key_order import KeyOrderApp
from acp_tui.ui.textual_fixes.screens import OverlayScreen

if TYPE_CHECKING:
    from acp_tui.ui.dialogs.sign_in import SignInDialog
    from acp_tui.ui.dialogs.trust import TrustDialog
    from acp_tui.ui.elicitation.link import LinkPanel
    from acp_tui.ui.elicitation.panel import ElicitationPanel
    from acp_tui.ui.permission.panel import PermissionPanel

Shown = TypeVar("Shown", bound=Screen[None])


class AskingApp(KeyOrderApp):
    """Calls the person when something is asked, passes on what is answered, and shows sign-ins.
    What agents ask stands in its own tab.
    """

    rings = True
    """Whether the terminal's bell calls the person."""
    takes_terminal: Callable[[bool], None] | None = None
    """Told when the terminal is taken, and when it has been given back."""

    def __init__(self, agents: Sequence[Agent], clock: Callable[[], float]) -> None:
        super().__init__(driver_class=driver_class(self._take_terminal))
        self.gc_control = GcControl(self.set_timer)
        self.tabs = Tabs(agents, clock)
        self._clock = clock
        self._asked: set[tuple[Agent, int]] = set()
        self._trust_asked = False
        self._away = False

    def on_overlay_screen_left(self, event: OverlayScreen.Left) -> None:
        """Free what it leaves."""
        event.stop()
        self.gc_control.collect_soon()

    def _take_terminal(self, taken: bool) -> None:
        if self.takes_terminal is not None:
            self.takes_terminal(taken)

    @property
    def agent(self) -> Agent:
        """The agent of the tab that is shown."""
        return self.tabs.agent

    def show_questions(self) -> None:
        """Show what waits for a person; close what waits no longer."""
        if self._away:
            return
        asked = {(one.agent, one.number) for one in self.tabs.questions()}
        if asked - self._asked:
            self.ring()
        self._asked = asked
        self._show_sign_in()
        self._show_trust()
        self._tell_above()

    def _tell_above(self) -> None:
        """Say in a screen above the conversation who waits."""
        screen = self.screen
        if isinstance(screen, OverlayScreen) and screen.is_mounted:
            from acp_tui.ui.conversation.elsewhere import words

            asking = [self.tabs.tab_that_asks(one) for one in self.tabs.questions()]
            tabs = list(dict.fromkeys([*asking, *self.tabs.waiting_elsewhere()]))
            screen.tell_waiting(words(self.tabs, tabs, leads=not screen.is_modal))

    def ring(self) -> None:
        """Call the person, unless that is not wanted."""
        if self.rings:
            self.bell()

    def stop_session(self, agent: Agent, session_id: str) -> None:
        """Cancel the turn of a session."""
        agent.do(commands.Cancel(session_id))

    def confirm(
        self, question: str, facts: Sequence[str], yes: str, then: Callable[[], object]
    ) -> None:
        """Ask a question of our own; do what `yes` says only after a yes."""
        from acp_tui.ui.dialogs.confirm import ConfirmDialog

        def decided(agreed: bool | None) -> None:
            if agreed:
                then()

        self.push_screen(ConfirmDialog(question, facts, yes, self._clock), decided)

    def _on_stack(self, kind: type[Shown]) -> Shown | None:
        return next((screen for screen in self.screen_stack if isinstance(screen, kind)), None)

    # Trust

    def _show_trust(self) -> None:
        asking = self.agent if self.agent.state.trust else None
        if asking is None and not self._trust_asked:
            return
        self._trust_asked = asking is not None
        from acp_tui.ui.dialogs.trust import TrustDialog

        dialog = self._on_stack(TrustDialog)
        if dialog is not None:
            dialog.show()
        elif asking is not None:
            self.ring()
            dialog = TrustDialog(asking, self._clock)
            self.push_screen(dialog, lambda _: self.show_questions())

    def on_trust_dialog_answered(self, event: "TrustDialog.Answered") -> None:
        """Pass the answer on, for every agent that was to use this very file."""
        for agent in self.tabs.agents:
            trust = agent.state.trust
            if trust is not None and trust.content == event.trust.content:
                agent.do(commands.AnswerTrust(event.trusted))

    # Permissions

    def on_permission_panel_answered(self, event: "PermissionPanel.Answered") -> None:
        """Answer the question as chosen."""
        agent, permission = event.asked
        agent.do(commands.AnswerPermission(permission.number, event.option_id))

    def on_permission_panel_cancelled(self, event: "PermissionPanel.Cancelled") -> None:
        """Cancel the turn; outside one, all that its session asks."""
        agent, permission = event.asked
        session = agent.state.sessions.get(permission.session_id)
        if session is not None and session.turn is not None:
            self.stop_session(agent, session.session_id)
        elif session is not None:
            for waiting in list(session.permissions):
                agent.do(commands.AnswerPermission(waiting.number, None))

    # Elicitations

    def on_elicitation_panel_answered(self, event: "ElicitationPanel.Answered") -> None:
        """Answer as filled in."""
        agent, question = event.asked
        agent.do(commands.AnswerElicitation(question.number, event.action, event.content))

    def on_link_panel_wanted(self, event: "LinkPanel.Wanted") -> None:
        """Open the link, or put it on the clipboard, now that a person agreed to it."""
        if event.open_it:
            self.open_url(event.url)
        else:
            self.copy_to_clipboard(event.url)
            self.notify("copied", timeout=3)
        agent, question = event.asked
        agent.do(commands.AnswerElicitation(question.number, "accept"))

    # Signing in

    def _show_sign_in(self) -> None:
        agent, dialog = self.agent, self._sign_in_dialog()
        if dialog is not None:
            dialog.show()
        elif wants_sign_in(agent):
            from acp_tui.ui.dialogs.sign_in import SignInDialog

            self.ring()
            self.push_screen(SignInDialog(agent, self._clock), lambda _: self._decline(agent))

    def _sign_in_dialog(self) -> "SignInDialog | None":
        if len(self.screen_stack) == 1:
            return None
        from acp_tui.ui.dialogs.sign_in import SignInDialog

        return self._on_stack(SignInDialog)

    def _decline(self, agent: Agent) -> None:
        agent.declined = agent.state.peer.sign_in
        self.show_questions()

    def on_sign_in_dialog_chosen(self, event: "SignInDialog.Chosen") -> None:
        """Sign in as chosen."""
        self.sign_in(event.agent, event.method_id)

    def on_sign_in_dialog_cancel(self, event: "SignInDialog.Cancel") -> None:
        """Take the request back."""
        event.agent.do(commands.CancelRequest(event.number))

    def on_sign_in_dialog_restart(self, event: "SignInDialog.Restart") -> None:
        """Start the agent again, after a sign-in elsewhere."""
        event.agent.do(commands.Restart())

    def sign_in(self, agent: Agent, method_id: str) -> None:
        """Sign in by a method of any kind; what the agent names to be run is asked about first."""
        peer = agent.state.peer
        method = method_of(peer, method_id)
        outside = program(peer, method) if method is not None else None
        if outside is None or agent.run_program is None:
            agent.do(commands.Authenticate(method_id))
        elif not outside.named_by_agent:
            self.run_worker(self._sign_in_outside(agent, method_id, outside, agent.run_program))
        else:
            self._ask_to_run(agent, method_id, outside, agent.run_program)

    def _ask_to_run(self, agent: Agent, method_id: str, outside: Program, run: RunProgram) -> None:
        facts = [f"{agent.name} names this command to sign in by:", "", written(outside)]

        def start() -> None:
            self.run_worker(self._sign_in_outside(agent, method_id, outside, run))

        self.confirm("Run this on your terminal?", facts, "Run it", start)

    async def _sign_in_outside(
        self, agent: Agent, method_id: str, outside: Program, run: RunProgram
    ) -> None:
        from acp_tui.ui.dialogs.aside import enter_pressed

        with self._aside():
            print(f"acp-tui: {written(outside)}", flush=True)  # noqa: T201
            code = await run(outside)
            if code != 0:
                words = f"acp-tui: exited with code {code}; Enter goes back"
                print(words, flush=True)  # noqa: T201
                await enter_pressed()
        agent.do(commands.TerminalSignedIn(method_id, code))
        self.show_questions()

    @contextmanager
    def _aside(self) -> Iterator[None]:
        """Leave the terminal to somebody else: nothing is drawn meanwhile."""
        if self.is_headless:
            yield
            return
        self._away = True
        try:
            with self.batch_update(), self.suspend():
                yield
        finally:
            self._away = False


def written(outside: Program) -> str:
    """A program as one would type it."""
    env = [f"{name}={shlex.quote(value)}" for name, value in outside.env.items()]
    return " ".join([*env, shlex.join(outside.argv)])
