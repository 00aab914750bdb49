"""Requests and configures providers and accounts (unstable in ACP)."""

from acp_tui.client.core import Core
from acp_tui.protocol.events import Responded
from acp_tui.protocol.setup import Empty
from acp_tui.protocol.unstable import DisableProviderParams, SetProviderParams
from acp_tui.state.commands import AskAccount, DisableProvider, SetProvider


class Providers:
    """Sends each request only if the agent offers it; the results are in the state."""

    def __init__(self, core: Core) -> None:
        self._core = core
        core.register(
            {AskAccount: self._ask, SetProvider: self._set, DisableProvider: self._disable},
            {"providers/set": self._changed, "providers/disable": self._changed},
        )

    def _ask(self, _: AskAccount) -> None:
        for method in ("auth/status", "providers/list"):
            if self._core.state.peer.offers(method):
                self._core.request(method, Empty())

    def _set(self, command: SetProvider) -> None:
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
