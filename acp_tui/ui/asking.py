"""The part of the app that puts before a person what waits for one."""

import shlex
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from textual.app import App
from textual.screen import Screen

from acp_tui.session import commands
from acp_tui.session.commands import Do
from acp_tui.session.sign_in import Program, method_of, program
from acp_tui.session.state import SignIn, State
from acp_tui.ui.driver import driver_class

if TYPE_CHECKING:
    from acp_tui.ui.elicitation.dialog import ElicitationDialog
    from acp_tui.ui.permission.dialog import PermissionDialog
    from acp_tui.ui.sign_in.dialog import SignInDialog
    from acp_tui.ui.trust.dialog import TrustDialog

Dialog = TypeVar("Dialog", bound=Screen[None])
RunProgram = Callable[[Program], Awaitable[int]]
"""Runs a program on the real terminal, from which the app has stepped aside."""


class AskingApp(App[None]):
    """Shows permissions, sign-ins and elicitations, and passes on what is answered."""

    def __init__(
        self, state: State, do: Do, clock: Callable[[], float], run_program: RunProgram | None
    ) -> None:
        super().__init__(driver_class=driver_class())
        self._state = state
        self._do = do
        self._clock = clock
        self._run_program = run_program
        self._declined: SignIn | None = None
        self._asked: set[int] = set()
        self._trust_asked = False
        self._away = False

    def show_questions(self) -> None:
        """Show what waits for a person; close what waits no longer."""
        if self._away:
            return
        waiting = {permission.number for permission in self._state.waiting_permissions()}
        questions = {question.number for question in self._state.elicitations}
        if waiting | questions or self._asked:
            if (waiting | questions) - self._asked:
                self.bell()
            self._asked = waiting | questions
            self._show_permissions()
            self._show_elicitation()
        self._show_sign_in()
        self._show_trust()

    def stop_session(self, session_id: str) -> None:
        """Cancel the turn of a session."""
        self._do(commands.Cancel(session_id))

    def confirm(
        self, question: str, facts: Sequence[str], yes: str, then: Callable[[], object]
    ) -> None:
        """Ask a question of our own; do what `yes` says only after a yes."""
        from acp_tui.ui.confirm.dialog import ConfirmDialog

        def decided(agreed: bool | None) -> None:
            if agreed:
                then()

        self.push_screen(ConfirmDialog(question, facts, yes, self._clock), decided)

    def _on_stack(self, kind: type[Dialog]) -> Dialog | None:
        return next((screen for screen in self.screen_stack if isinstance(screen, kind)), None)

    # Trust

    def _show_trust(self) -> None:
        trust = self._state.trust
        if trust is None and not self._trust_asked:
            return
        self._trust_asked = trust is not None
        from acp_tui.ui.trust.dialog import TrustDialog

        dialog = self._on_stack(TrustDialog)
        if dialog is not None:
            dialog.show()
        elif trust is not None:
            self.bell()
            self.push_screen(TrustDialog(self._state, trust, self._clock))

    def on_trust_dialog_answered(self, event: "TrustDialog.Answered") -> None:
        """Pass the answer on."""
        self._do(commands.AnswerTrust(event.trusted))

    # Permissions

    def _show_permissions(self) -> None:
        from acp_tui.ui.permission.dialog import PermissionDialog

        dialog = self._on_stack(PermissionDialog)
        if dialog is not None:
            dialog.show()
        elif self._state.waiting_permissions():
            self.push_screen(PermissionDialog(self._state, self._clock))

    def on_permission_dialog_answered(self, event: "PermissionDialog.Answered") -> None:
        """Answer the question as chosen."""
        self._do(commands.AnswerPermission(event.permission.number, event.option_id))

    def on_permission_dialog_cancelled(self, event: "PermissionDialog.Cancelled") -> None:
        """Cancel the turn; a question outside a turn is cancelled alone."""
        session = self._state.sessions.get(event.permission.session_id)
        if session is not None and session.turn is not None:
            self.stop_session(session.session_id)
        else:
            self._do(commands.AnswerPermission(event.permission.number, None))

    # Elicitations

    def _show_elicitation(self) -> None:
        from acp_tui.ui.elicitation.dialog import ElicitationDialog

        dialog = self._on_stack(ElicitationDialog)
        if dialog is not None:
            dialog.show()
        elif self._state.elicitations:
            question = self._state.elicitations[0]
            self.push_screen(
                ElicitationDialog(self._state, question, self._clock),
                lambda _: self.show_questions(),
            )

    def on_elicitation_dialog_answered(self, event: "ElicitationDialog.Answered") -> None:
        """Answer as filled in."""
        self._do(commands.AnswerElicitation(event.number, event.action, event.content))

    def on_elicitation_dialog_wanted(self, event: "ElicitationDialog.Wanted") -> None:
        """Open the link, or put it on the clipboard, now that a person agreed to it."""
        if event.open_it:
            self.open_url(event.url)
        else:
            self.copy_to_clipboard(event.url)
            self.notify("copied", timeout=3)
        self._do(commands.AnswerElicitation(event.number, "accept"))

    # Signing in

    def _show_sign_in(self) -> None:
        sign_in = self._state.peer.sign_in
        alone = len(self.screen_stack) == 1
        if sign_in is self._declined and (sign_in is not None or alone):
            return
        from acp_tui.ui.sign_in.dialog import SignInDialog

        dialog = self._on_stack(SignInDialog)
        if dialog is not None:
            dialog.show()
        elif sign_in is not None:
            self.bell()
            self.push_screen(SignInDialog(self._state, self._clock), self._decline)

    def _decline(self, _: None) -> None:
        self._declined = self._state.peer.sign_in

    def on_sign_in_dialog_chosen(self, event: "SignInDialog.Chosen") -> None:
        """Sign in as chosen."""
        self.sign_in(event.method_id)

    def on_sign_in_dialog_restart(self) -> None:
        """Start the agent again, after a sign-in elsewhere."""
        self._do(commands.Restart())

    def sign_in(self, method_id: str) -> None:
        """Sign in by a method of any kind; what the agent names to be run is asked about first."""
        method = method_of(self._state.peer, method_id)
        outside = program(self._state.peer, method) if method is not None else None
        if outside is None or self._run_program is None:
            self._do(commands.Authenticate(method_id))
        elif not outside.named_by_agent:
            self.run_worker(self._sign_in_outside(method_id, outside, self._run_program))
        else:
            self._ask_to_run(method_id, outside, self._run_program)

    def _ask_to_run(self, method_id: str, outside: Program, run: RunProgram) -> None:
        facts = ["The agent names this command to sign in by:", "", written(outside)]

        def start() -> None:
            self.run_worker(self._sign_in_outside(method_id, outside, run))

        self.confirm("Run this on your terminal?", facts, "Run it", start)

    async def _sign_in_outside(self, method_id: str, outside: Program, run: RunProgram) -> None:
        from acp_tui.ui.sign_in.aside import enter_pressed

        with self._aside():
            print(f"acp-tui: {written(outside)}", flush=True)  # noqa: T201
            code = await run(outside)
            if code != 0:
                words = f"acp-tui: exited with code {code}; Enter goes back"
                print(words, flush=True)  # noqa: T201
                await enter_pressed()
        self._do(commands.TerminalSignedIn(method_id, code))
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
