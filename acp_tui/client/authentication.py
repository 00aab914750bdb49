"""Signs in and out, and tries again what was refused for want of it (ACP: Authentication)."""

from collections.abc import Callable
from functools import partial

from acp_tui.client.launch import Call, Notify
from acp_tui.protocol.events import Requested, Responded, SignedIn
from acp_tui.protocol.setup import AuthenticateParams, Empty, NewSessionResult, PromptParams
from acp_tui.session.authentication import method_of
from acp_tui.session.commands import (
    Authenticate,
    Logout,
    Prompt,
    SignInCommand,
    TerminalSignedIn,
)
from acp_tui.session.state import State

OPENINGS = ("session/new", "session/load", "session/resume", "session/fork")


class Authentication:
    """Sign-ins of one agent, over all lives of its process."""

    def __init__(
        self,
        state: State,
        call: Call,
        notify: Notify,
        *,
        ended: Callable[[SignedIn], None],
        restart: Callable[[], None],
        clock: Callable[[], float],
    ) -> None:
        self._state = state
        self._call = call
        self._notify = notify
        self._ended = ended
        self._restart = restart
        self._clock = clock
        self._blocked: Requested | None = None
        self._prompt: PromptParams | None = None

    def do(self, command: SignInCommand) -> None:
        """Sign in or out; never waits."""
        match command:
            case Authenticate(method_id=method_id):
                self._authenticate(method_id)
            case TerminalSignedIn(method_id=method_id, exit_code=code):
                self._remember()
                self._ended(SignedIn(self._clock(), method_id, code))
                if code == 0:
                    self._restart()
            case Logout():
                self._call("logout", Empty())

    def _authenticate(self, method_id: str) -> None:
        method = method_of(self._state.peer, method_id)
        if method is None or not method.agent_driven:
            why = "runs in a terminal" if method else "is not offered by the agent"
            self._notify(None, "warning", "Can't sign in so", f"The method {method_id} {why}.")
            return
        self._remember()
        self._call("authenticate", AuthenticateParams(method_id=method_id))

    def _remember(self) -> None:
        sign_in = self._state.peer.sign_in
        self._blocked = sign_in.blocked if sign_in is not None else None

    def answered(self, event: Responded, prompt: Callable[[Prompt], None]) -> None:
        """Signed in: try again what was refused. Session open: send what waited for it."""
        if event.request.method == "authenticate" and event.error is None:
            blocked, self._blocked = self._blocked, None
            if blocked is not None and blocked.params is not None:
                self._call(blocked.method, blocked.params)
        elif event.request.method in OPENINGS and event.result is not None:
            result, params = event.result, event.request.params
            opened = result if isinstance(result, NewSessionResult) else params
            session_id = getattr(opened, "session_id", "")
            session, waiting = self._state.sessions[session_id], self._prompt
            if waiting is not None and waiting.session_id in (session_id, session.continues):
                self._prompt = None
                prompt(Prompt(session_id, tuple(waiting.prompt)))

    def try_again(self) -> Callable[[], None] | None:
        """After a start: what does again what the process before had refused, if anything.

        A prompt is sent again once its session is back.
        """
        blocked, self._blocked = self._blocked, None
        if blocked is None or blocked.params is None:
            return None
        if isinstance(blocked.params, PromptParams):
            self._prompt = blocked.params
        if blocked.method not in OPENINGS:
            return None
        return partial(self._call, blocked.method, blocked.params)
