"""Sessions listed, opened, closed, archived and renamed, and the agent's providers and accounts
(ACP: Session Setup; the latter are unstable in version 1).
"""

from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.protocol.setup import (
    ForkSessionParams,
    ListSessionsParams,
    ListSessionsResult,
    NewSessionParams,
    NewSessionResult,
    OpenSessionParams,
    SessionParams,
    SessionSetup,
)
from acp_tui.protocol.unstable import (
    AuthStatus,
    DisableProviderParams,
    ProvidersResult,
    SessionOptionsParams,
    SessionStatusResult,
    SetProviderParams,
    SetTitleParams,
    SetTitleResult,
)
from acp_tui.protocol.wire_events import Requested, Responded
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.entries import NoticeEntry
from acp_tui.state.peer import Phase
from acp_tui.state.reducers import restart, subagents, transcript
from acp_tui.state.reducers.notices import announce_mode
from acp_tui.state.session import Session, SessionOpening
from acp_tui.state.state import SessionOffer, State

Opening = NewSessionParams | OpenSessionParams


def on_requested(state: State, event: Requested) -> list[Change]:
    """Apply a request to open or list sessions, which supersedes earlier attempts."""
    opens = isinstance(event.params, Opening | ListSessionsParams)
    if opens and state.peer.phase is Phase.NO_SESSION:
        state.peer.trouble = None
    match event.call, event.params:
        case "session/load" | "session/resume", OpenSessionParams(session_id=session_id, cwd=cwd):
            before = state.sessions.get(session_id)
            resumes = event.call == "session/resume"
            subagents.hide_replays(state, session_id)
            if before is not None and (before.lost or (resumes and before.entries)):
                restart.begin_hidden_replay(before, event.number)
                return [ScreenChanged()]
            opening = SessionOpening(loading=event.number, before=before)
            session = Session(session_id, cwd, opening=opening)
            if before is not None:  # shared lists: an answer must count in both sessions
                session.writes = before.writes
                session.permissions, session.evaluating = before.permissions, before.evaluating
            state.sessions[session_id] = session
            return [ScreenChanged()]
        case "session/list", ListSessionsParams(cursor=cursor):
            if cursor is None:
                state.catalogue.cursors.clear()
            else:
                state.catalogue.cursors.append(cursor)
            state.catalogue.requested = state.catalogue.loading = True
            return [ScreenChanged()]
    return []


def on_failed(state: State, event: Responded) -> list[Change]:
    """Apply the failure of a request about sessions; restore what a load had cleared."""
    match event.request.call, event.request.params:
        case "session/load" | "session/resume", OpenSessionParams(session_id=session_id):
            return restore_after_load(state, state.session(session_id))
        case "session/list", _:
            state.catalogue.loading = False
            return [ScreenChanged()]
    return []


def on_unanswered(state: State, call: Requested) -> list[Change]:
    """Stop waiting for a response; hide what may still be replayed."""
    match call.call, call.params:
        case "session/load" | "session/resume", OpenSessionParams(session_id=session_id):
            session = state.session(session_id)
            subagents.end_replays(state, session_id)
            goes_on = _was_used_since_load(session)
            before, session.opening.before, session.opening.loading = (
                session.opening.before,
                None,
                None,
            )
            if before is not None and not goes_on:
                before.opening.replay = session
                state.sessions[session_id] = before
            return [ScreenChanged()]
        case "session/list", _:
            state.catalogue.loading = False
            return [ScreenChanged()]
    return []


def restore_after_load(state: State, session: Session) -> list[Change]:
    """Restore the session from before an unfinished load, unless the loaded one has new work."""
    if session.opening.loading is None:
        return []
    subagents.end_replays(state, session.session_id)
    if session.opening.before is None or _was_used_since_load(session):
        session.opening.loading = session.opening.before = session.opening.replay = None
    else:
        state.sessions[session.session_id] = session.opening.before
    return [ScreenChanged()]


def _was_used_since_load(session: Session) -> bool:
    """Return whether the session was used since its load began."""
    since = session.opening.loading or 0
    return session.turn is not None or any(one.number > since for one in session.permissions)


def on_responded(state: State, event: Responded) -> list[Change]:
    """Apply the response to a request about sessions."""
    result = event.result
    match event.request.call, event.request.params:
        case "session/new", NewSessionParams() as params:
            assert isinstance(result, NewSessionResult)
            state.peer.trouble = None
            session = state.session(result.session_id)
            session.cwd = params.cwd
            changes = restart.adopt_transcript(state, session, event.at)
            return [
                *changes,
                *_opened(state, state.session(result.session_id), event.at, params, result),
            ]
        case "session/fork", OpenSessionParams() as params:
            assert isinstance(result, NewSessionResult)
            return _forked(state, event.at, params, result)
        case "session/load" | "session/resume", OpenSessionParams() as params:
            assert isinstance(result, SessionSetup)
            state.peer.trouble = None
            session = state.session(params.session_id)
            known = session.opening.before or session
            session.opening.reopened = known.opening.reopened if known.opened else event.at
            session.opening.loading = session.opening.before = None
            subagents.end_replays(state, session.session_id)
            session.opening.method = event.request.call
            changes = restart.restore_session(session, event.at, state.peer)
            listed = state.catalogue.sessions.get(params.session_id)
            if listed is not None:
                session.title = session.title or listed.title
            return [*changes, *_opened(state, session, event.at, params, result)]
        case "session/list", ListSessionsParams() as params:
            assert isinstance(result, ListSessionsResult)
            return _listed(state, params, result)
        case "session/options", SessionOptionsParams(session_id=None, cwd=cwd):
            assert isinstance(result, SessionSetup)
            options = list(result.config_options or ())
            state.catalogue.offer = SessionOffer(cwd, options, result.modes)
            return [ScreenChanged()]
        case "session/close" | "session/delete" as method, SessionParams(session_id=session_id):
            return _closed(state, session_id, event.at, deleted=method == "session/delete")
    return []


def has_succeeded(event: Responded) -> bool:
    """Return whether a request succeeded; closing a session that no longer exists does, too."""
    ends = event.request.method in ("session/close", "session/delete")
    missing = event.error is not None and event.error.code == ErrorCode.RESOURCE_NOT_FOUND
    return event.result is not None or (ends and missing)


def _opened(
    state: State, session: Session, at: float, params: Opening, result: SessionSetup
) -> list[Change]:
    session.opened = True
    session.lost = session.closed = False
    session.cwd = params.cwd
    subagents.open_subagents(state, session)
    session.additional_directories = params.additional_directories or []
    session.system_prompt = params.system_prompt
    session.config.initial_values = frozenset(one.config_id for one in params.config_options or ())
    session.config.modes = result.modes or session.config.modes
    session.config.options = result.config_options or session.config.options
    session.config.models = result.models or session.config.models
    if result.commands is not None:
        session.commands = list(result.commands)
    session.config.unasked_mode = None
    return [ScreenChanged(), *announce_mode(session, at)]


def _forked(
    state: State, at: float, params: OpenSessionParams, result: NewSessionResult
) -> list[Change]:
    session = state.session(result.session_id)
    if session.opened:
        title = "Not a new session"
        words = "The agent answered the fork with the id of this session, which was open already."
        notice = NoticeEntry(at, "warning", title, words, ours=True, ended=at)
        return transcript.add_entry(session, notice)
    source = state.sessions.get(params.session_id)
    listed = state.catalogue.sessions.get(params.session_id)
    forked_at = isinstance(params, ForkSessionParams) and params.cursor_id is not None
    where = "up to the point that you chose" if forked_at else "there"
    words = f"The agent remembers what was said {where}."
    name = (source and source.title) or (listed and listed.title) or params.session_id
    notice = NoticeEntry(at, "info", f"A fork of {name}", words, ours=True, ended=at)
    return [*transcript.add_entry(session, notice), *_opened(state, session, at, params, result)]


def _listed(state: State, params: ListSessionsParams, result: ListSessionsResult) -> list[Change]:
    """Add a page to the catalogue; the first page replaces it."""
    catalogue = state.catalogue
    if params.cursor is None:
        catalogue.sessions.clear()
        catalogue.statuses.clear()
    for info in result.sessions:
        catalogue.sessions[info.session_id] = info
    catalogue.next_cursor = result.next_cursor
    catalogue.answered = True
    catalogue.loading = False
    return [ScreenChanged()]


def _closed(state: State, session_id: str, at: float, *, deleted: bool) -> list[Change]:
    changes: list[Change] = []
    if deleted and state.catalogue.sessions.pop(session_id, None) is not None:
        changes.append(ScreenChanged())
    session = state.sessions.get(session_id)
    if session is None:
        return changes
    session.opened = False
    session.closed = True
    subagents.close_subagents(state, session_id, at)
    return [*changes, ScreenChanged()]


def apply_admin_response(state: State, event: Responded) -> list[Change]:
    """Apply the response to a request about sessions, providers or accounts."""
    match event.request.method, event.request.params, event.result:
        case "session/archive" | "session/unarchive" as method, SessionParams() as params, _:
            archived = method == "session/archive"
            return _archived(state, params.session_id, event.at, archived=archived)
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
            state.peer.providers = None  # outdated, so it is requested again
        case _, _, AuthStatus() as status:
            state.peer.auth_status = status
        case _:
            return []
    return [ScreenChanged()]


def _archived(state: State, session_id: str, at: float, *, archived: bool) -> list[Change]:
    listed = state.catalogue.sessions.get(session_id)
    if listed is not None:
        state.catalogue.sessions[session_id] = listed.model_copy(update={"archived": archived})
    session = state.sessions.get(session_id)
    if session is None or not archived:
        return [ScreenChanged()]
    session.opened = False  # archiving has closed it
    session.closed = True
    subagents.close_subagents(state, session_id, at)
    return [ScreenChanged()]


def _titled(state: State, session_id: str, title: str) -> list[Change]:
    listed = state.catalogue.sessions.get(session_id)
    if listed is not None:
        state.catalogue.sessions[session_id] = listed.model_copy(update={"title": title})
    session = state.sessions.get(session_id)
    if session is not None:
        session.title = title
    return [ScreenChanged()]
