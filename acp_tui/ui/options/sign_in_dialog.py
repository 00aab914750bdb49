"""The sign-in dialog, with the methods that the agent offers."""

import shlex
from collections.abc import Callable
from pathlib import Path

from textual.app import ComposeResult
from textual.widgets import Static

from acp_tui.formatting import SPINS, spinner_at
from acp_tui.host.agent import Agent
from acp_tui.protocol.initialization import AuthMethod
from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.authentication import sign_in_program
from acp_tui.state.commands import CancelRequest, Restart
from acp_tui.state.peer import Peer, SignIn
from acp_tui.text import clean_text, judged_line
from acp_tui.ui.keys import SIGN_IN
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Stack, StackPart
from acp_tui.ui.lines.text_lines import TextLines
from acp_tui.ui.tabs.conditions import request_clock
from acp_tui.ui.toolkit.boxes import QUESTION_WIDTH
from acp_tui.ui.toolkit.choice_rows import AnswerChoice
from acp_tui.ui.toolkit.choices import KeyedChoices
from acp_tui.ui.toolkit.dialogs.question_dialogs import AnswersDialog
from acp_tui.ui.toolkit.timers import Ticker

FRAME = 6
"""Rows of the dialog besides its body and its methods, and those left free around it."""
KEYS = (("1-9", "sign in"), ("r", "restart the agent"), ("escape", "not now"))
TRYING_KEYS = (("r", "restart the agent"), ("escape", "cancel the sign-in"))
LIMIT = 2000
"""Most characters of an error that are shown."""


class SignInDialog(AnswersDialog[None]):
    """Shows why the agent wants a sign-in, and its methods in its order."""

    CSS_PATH = Path(__file__).with_suffix(".tcss")
    AUTO_FOCUS = ""
    BINDINGS = SIGN_IN  # type: ignore[assignment]

    def __init__(
        self, agent: Agent, clock: Callable[[], float], sign_in: Callable[[Agent, str], None]
    ) -> None:
        """`sign_in` is called with the agent and the id of the chosen method."""
        super().__init__(clock)
        self.agent = agent
        self._sign_in = sign_in
        self._state = agent.state
        self._clock = clock
        self._methods: list[AuthMethod] = []
        self._ticker = Ticker(self, 1 / SPINS, self._show_progress)
        self._body = LinesView()
        self._progress = Static(markup=False, id="progress")

    def compose(self) -> ComposeResult:
        with self._box:
            yield self._body
            yield self._choices
            yield self._progress

    def on_mount(self) -> None:
        self._box.ask(f"{self.agent.name} wants a sign-in")
        self._choices.focus(scroll_visible=False)
        self.show()

    def show(self) -> None:
        """Show the refused request, the methods, and the failure of the last attempt; close once
        signed in.
        """
        sign_in = self._state.peer.sign_in
        if sign_in is None:
            self._close_if_active()
            return
        if not self._choices.is_mounted:
            return
        self._body.show(_body(sign_in))
        if sign_in.methods != self._methods:
            self._methods = sign_in.methods
            self._choices.show([_choice(self._state.peer, method) for method in self._methods])
            self.on_resize()
        self._choices.disabled = sign_in.trying is not None
        if sign_in.trying is None and self.focused is None:
            self._choices.focus(scroll_visible=False)
        self._show_progress()
        self._ticker.run_while(sign_in.trying is not None)

    def on_resize(self) -> None:
        """Give the body the rows that the rest leaves."""
        rows = self._choices.rows_in(min(self.size.width, QUESTION_WIDTH) - 4)
        self._body.styles.max_height = max(3, self.size.height - FRAME - rows)

    def on_screen_resume(self) -> None:
        """Show what changed while another screen was in front."""
        self.show()

    def _show_progress(self) -> None:
        sign_in = self._state.peer.sign_in
        trying = sign_in.trying if sign_in else None
        self._box.offer(KEYS if self._cancellable() is None else TRYING_KEYS)
        self._progress.display = trying is not None
        if trying is not None:
            now = self._clock()
            names = {method.id: method.name for method in self._methods}
            calls = [
                request_clock(self._state, call, self.agent.limits, now) for call in self._calls()
            ]
            words = [f"signing in: {clean_text(names.get(trying, trying))}", *calls]
            self._progress.update(f"{spinner_at(now)} {'   '.join(words)}")

    def _calls(self) -> list[Requested]:
        calls = self._state.calls.values()
        return [call for call in calls if call.call == "authenticate"]

    def _cancellable(self) -> Requested | None:
        """Return the pending `authenticate` request, unless it was canceled."""
        cancelled = self._state.cancelled_calls
        return next((call for call in self._calls() if call.number not in cancelled), None)

    def on_keyed_choices_chosen(self, event: KeyedChoices.Chosen) -> None:
        """Sign in with the chosen method."""
        event.stop()
        self._sign_in(self.agent, self._methods[event.index].id)

    def action_restart(self) -> None:
        """Restart the agent, after a sign-in elsewhere."""
        self.agent.do(Restart())

    def action_close(self) -> None:
        """Cancel the pending sign-in; if there is none, close the dialog."""
        call = self._cancellable()
        if call is None:
            self._close_if_active()
        else:
            self.agent.do(CancelRequest(call.number))

    def _close_if_active(self) -> None:
        if self.is_active:
            self.dismiss()


def _body(sign_in: SignIn) -> Stack:
    parts = [StackPart(TextLines(f"It refused {sign_in.blocked.method}: {_words(sign_in.error)}"))]
    if sign_in.failure is not None:
        failure = f"✗ The last attempt failed: {_words(sign_in.failure)}"
        parts.append(StackPart(TextLines(failure, "error"), gap=1))
    if not sign_in.methods:
        advice = "It offers no way to sign in from here. Do what it says, then restart it."
        parts.append(StackPart(TextLines(advice, "warning"), gap=1))
    return Stack(parts)


def _words(error: Error) -> str:
    """Return an error with its data, which may be the only useful part."""
    words, data = error.message, error.data
    has_only_methods = isinstance(data, dict) and set(data) <= {"authMethods"}
    if data is not None and not has_only_methods:
        words = f"{words}\n{error.details}"
    return words[:LIMIT]


def _choice(peer: Peer, method: AuthMethod) -> AnswerChoice:
    outside = sign_in_program(peer, method)
    if outside is None:
        return AnswerChoice(method.name, "▸", detail=method.description or "")
    words = [method.description, f"runs {shlex.join(outside.argv)}"]
    detail = judged_line("; ".join(filter(None, words)))
    return AnswerChoice(method.name, "⌨", detail=detail)
