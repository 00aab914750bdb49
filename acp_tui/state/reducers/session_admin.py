"""Archived sessions, titles, providers and accounts: the unstable parts of version 1."""

from acp_tui.protocol.events import Responded
from acp_tui.protocol.setup import SessionParams
from acp_tui.protocol.unstable import (
    AuthStatus,
    DisableProviderParams,
    ProvidersResult,
    SessionStatusResult,
    SetProviderParams,
    SetTitleParams,
    SetTitleResult,
)
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.state import State


def on_responded(state: State, event: Responded) -> list[Change]:
    """Apply the response to a request about sessions, providers or accounts."""
    match event.request.method, event.request.params, event.result:
        case "session/archive" | "session/unarchive" as method, SessionParams() as params, _:
            return _archived(state, params.session_id, archived=method == "session/archive")
        case _, SetTitleParams(session_id=session_id), SetTitleResult(title=title):
            return _titled(state, session_id, title)
        case _, SessionParams(session_id=session_id), SessionStatusResult(status=status):
            state.catalogue.statuses[session_id] = status
            return [ScreenChanged()]
        case _, _, ProvidersResult(providers=providers):
            state.peer.providers = providers
            listed = event.raw["providers"]
            given = len(listed) if isinstance(listed, list) else 1
            state.peer.unread_providers = given - len(providers)
        case _, SetProviderParams() | DisableProviderParams(), _:
            state.peer.providers = None  # outdated: requested again
        case _, _, AuthStatus() as status:
            state.peer.auth_status = status
        case _:
            return []
    return [ScreenChanged()]


def _archived(state: State, session_id: str, *, archived: bool) -> list[Change]:
    listed = state.catalogue.sessions.get(session_id)
    if listed is not None:
        state.catalogue.sessions[session_id] = listed.model_copy(update={"archived": archived})
    session = state.sessions.get(session_id)
    if session is None or not archived:
        return [ScreenChanged()]
    session.opened = False  # archiving closed it
    session.closed = True
    return [ScreenChanged()]


def _titled(state: State, session_id: str, title: str) -> list[Change]:
    listed = state.catalogue.sessions.get(session_id)
    if listed is not None:
        state.catalogue.sessions[session_id] = listed.model_copy(update={"title": title})
    session = state.sessions.get(session_id)
    if session is not None:
        session.title = title
    return [ScreenChanged()]
