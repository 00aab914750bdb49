"""Signs in and out, and tries again what was refused for want of it (ACP: Authentication)."""

from collections.abc import Callable

from acp_tui.client.launch import Call, Say
from acp_tui.client.sessions import Sessions
from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.events import Requested, Responded, SignedIn
from acp_tui.protocol.setup import AuthenticateParams, Empty, NewSessionResult, PromptParams
from acp_tui.session.commands import (
    Authenticate,
    Logout,
    NewSession,
    OpenSession,
    Prompt,
    SignInCommand,
    TerminalSignedIn,
)
from acp_tui.session.sign_in import method_of
from acp_tui.session.state import State

OPENINGS = ("session/new", "session/load", "session/resume", "session/fork")


class SigningIn:
    """Sign-ins of one agent, over all lives of its process."""

    def __init__(
        self,
        state: State,
        call: Call,
        say: Say,
        *,
        ended: Callable[[SignedIn], None],
        restart: Callable[[], None],
        clock: Callable[[], float],
    ) -> None:
        self._state = state
        self._call = call
        self._say = say
        self._ended = ended
        self._restart = restart
        self._clock = clock
        self._blocked: Requested | None = None
        self._prompt: list[ContentBlock] | None = None

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
            self._say(None, "warning", "Can't sign in so", f"The method {method_id} {why}.")
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
            waiting, self._prompt = self._prompt, None
            result, params = event.result, event.request.params
            opened = result if isinstance(result, NewSessionResult) else params
            session_id = getattr(opened, "session_id", "")
            if waiting is not None:
                prompt(Prompt(session_id, tuple(waiting)))

    def try_again(self, sessions: Sessions) -> bool:
        """After a start: do what the process before had refused; false if there was nothing."""
        blocked, self._blocked = self._blocked, None
        if blocked is None or blocked.params is None:
            return False
        if isinstance(blocked.params, PromptParams):
            self._prompt = blocked.params.prompt
            session_id = blocked.params.session_id
            offered = map(self._state.peer.offers, ("session/resume", "session/load"))
            sessions.do(OpenSession(session_id, history=False) if any(offered) else NewSession())
            return True
        if blocked.method not in OPENINGS:
            return False
        self._call(blocked.method, blocked.params)
        return True
