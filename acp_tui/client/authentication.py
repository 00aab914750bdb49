"""Signs in and out, and retries requests that were refused until then (ACP: Authentication).

`Providers` handles model providers and accounts, which are unstable in ACP.
"""

from collections.abc import Callable
from functools import partial

from acp_tui.client.core import Core
from acp_tui.client.prompts import Prompts
from acp_tui.client.restarts import Restarts
from acp_tui.protocol.events import SignedIn
from acp_tui.protocol.initialization import AuthenticateParams
from acp_tui.protocol.kinds import OPENING_METHODS
from acp_tui.protocol.setup import Empty, NewSessionResult, PromptParams
from acp_tui.protocol.unstable import DisableProviderParams, SetProviderParams
from acp_tui.protocol.wire_events import Requested, Responded
from acp_tui.state.authentication import sign_in_method
from acp_tui.state.commands import (
    AskAccount,
    Authenticate,
    DisableProvider,
    Logout,
    SendPrompt,
    SetProvider,
    TerminalSignedIn,
)


class Authentication:
    """Signs in to one agent, also across restarts of its process."""

    def __init__(self, core: Core, prompts: Prompts, restarts: Restarts) -> None:
        self._core = core
        self._prompts = prompts
        self._restarts = restarts
        self._blocked: Requested | None = None
        self._prompt: PromptParams | None = None
        core.register(
            {
                Authenticate: self._authenticate,
                TerminalSignedIn: self._program_ended,
                Logout: self._logout,
            },
            {"authenticate": self._authenticated, **dict.fromkeys(OPENING_METHODS, self._opened)},
        )

    def _logout(self, _: Logout) -> None:
        self._core.request("logout", Empty())

    def _program_ended(self, command: TerminalSignedIn) -> None:
        """Record the exit of a sign-in program, and restart the agent if it succeeded."""
        self._remember()
        code = command.exit_code
        self._core.emit(SignedIn(self._core.clock(), command.method_id, code))
        if code == 0:
            self._restarts.restart()

    def _authenticate(self, command: Authenticate) -> None:
        method_id = command.method_id
        method = sign_in_method(self._core.state.peer, method_id)
        if method is None or not method.agent_driven:
            why = "runs in a terminal" if method else "is not offered by the agent"
            self._core.notify(
                None, "warning", "Can't sign in that way", f"The method {method_id} {why}."
            )
            return
        self._remember()
        self._core.request("authenticate", AuthenticateParams(method_id=method_id))

    def _remember(self) -> None:
        sign_in = self._core.state.peer.sign_in
        self._blocked = sign_in.blocked if sign_in is not None else None

    def _authenticated(self, event: Responded) -> None:
        """Retry the request that was refused for lack of authentication."""
        if event.error is not None:
            return
        blocked, self._blocked = self._blocked, None
        if blocked is not None and blocked.params is not None:
            self._core.request(blocked.call, blocked.params)

    def _opened(self, event: Responded) -> None:
        """Send the refused prompt once its session is open again."""
        if event.result is None:
            return
        result, params = event.result, event.request.params
        opened = result if isinstance(result, NewSessionResult) else params
        session_id = getattr(opened, "session_id", "")
        session, waiting = self._core.state.sessions[session_id], self._prompt
        if waiting is not None and waiting.session_id in (session_id, session.opening.continues):
            self._prompt = None
            self._prompts.send(SendPrompt(session_id, tuple(waiting.prompt)))

    def try_again(self) -> Callable[[], None] | None:
        """Return a function that repeats the request that the previous process refused, or None.

        A refused prompt is resent once its session is restored.
        """
        blocked, self._blocked = self._blocked, None
        if blocked is None or blocked.params is None:
            return None
        if isinstance(blocked.params, PromptParams):
            self._prompt = blocked.params
        if blocked.call not in OPENING_METHODS:
            return None
        return partial(self._core.request, blocked.call, blocked.params)


class Providers:
    """Requests the account and the providers, and configures providers. Requests only what the
    agent offers; the responses become state.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        core.register(
            {
                AskAccount: self._request_providers,
                SetProvider: self._set_provider,
                DisableProvider: self._disable,
            },
            {"providers/set": self._changed, "providers/disable": self._changed},
        )

    def _request_providers(self, _: AskAccount) -> None:
        for method in ("auth/status", "providers/list"):
            if self._core.state.peer.offers(method):
                self._core.request(method, Empty())

    def _set_provider(self, command: SetProvider) -> None:
        params = SetProviderParams(
            provider_id=command.provider_id,
            api_type=command.api_type,
            base_url=command.base_url,
            headers=dict(command.headers) or None,
        )
        self._core.request("providers/set", params)

    def _disable(self, command: DisableProvider) -> None:
        provider_id = command.provider_id
        known = self._core.state.peer.providers or []
        if not any(one.required for one in known if one.provider_id == provider_id):
            self._core.request("providers/disable", DisableProviderParams(provider_id=provider_id))

    def _changed(self, event: Responded) -> None:
        """Request the list of providers again after a change."""
        if event.result is not None:
            self._core.request("providers/list", Empty())
