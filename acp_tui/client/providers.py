"""Puts sessions in order, and asks for providers and accounts: what may still change in ACP."""

from acp_tui.client.launch import Call
from acp_tui.protocol.events import Responded
from acp_tui.protocol.setup import Empty, SessionParams
from acp_tui.protocol.unstable import DisableProviderParams, SetProviderParams, SetTitleParams
from acp_tui.session.commands import (
    ArchiveSession,
    AskAccount,
    AskStatus,
    DisableProvider,
    ManageCommand,
    RenameSession,
    SetProvider,
)
from acp_tui.session.state import State


class Providers:
    """Each request goes out only where it is offered; the answers are state."""

    def __init__(self, state: State, call: Call) -> None:
        self._state = state
        self._call = call

    def do(self, command: ManageCommand) -> None:
        """Ask the agent; never waits."""
        match command:
            case ArchiveSession(session_id=session_id, archived=archived):
                method = "session/archive" if archived else "session/unarchive"
                self._call(method, SessionParams(session_id=session_id))
            case RenameSession(session_id=session_id, title=title):
                self._call("session/set_title", SetTitleParams(session_id=session_id, title=title))
            case AskStatus(session_id=session_id):
                self._call("session/status", SessionParams(session_id=session_id))
            case AskAccount():
                for method in ("auth/status", "providers/list"):
                    if self._state.peer.offers(method):
                        self._call(method, Empty())
            case SetProvider():
                params = SetProviderParams(
                    provider_id=command.provider_id,
                    api_type=command.api_type,
                    base_url=command.base_url,
                    headers=dict(command.headers) or None,
                )
                self._call("providers/set", params)
            case DisableProvider(provider_id=provider_id):
                known = self._state.peer.providers or []
                if not any(one.required for one in known if one.provider_id == provider_id):
                    method = "providers/disable"
                    self._call(method, DisableProviderParams(provider_id=provider_id))

    def answered(self, event: Responded) -> None:
        """A provider was changed: see what that made of it."""
        changes = isinstance(event.request.params, SetProviderParams | DisableProviderParams)
        if changes and event.result is not None:
            self._call("providers/list", Empty())
