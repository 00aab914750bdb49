"""What the client asked of the agent, and what came of it."""

from acp_tui.protocol.events import Requested, Responded
from acp_tui.protocol.jsonrpc import ErrorCode
from acp_tui.protocol.setup import (
    PROTOCOL_VERSION,
    AuthenticateParams,
    AuthMethod,
    ConfigOptionsResult,
    InitializeResult,
    NewSessionParams,
    NewSessionResult,
    PromptParams,
    SetConfigOptionParams,
    SetModeParams,
)
from acp_tui.session import turns
from acp_tui.session.changes import Change, Facet, PeerChanged, SessionChanged
from acp_tui.session.entries import NoticeEntry
from acp_tui.session.state import Session, SignIn, State


def asked(state: State, event: Requested) -> list[Change]:
    """A request of ours went out: its clock runs."""
    state.calls[event.number] = event
    if isinstance(event.params, PromptParams):
        return turns.began(state.session(event.params.session_id), event, event.params)
    if isinstance(event.params, AuthenticateParams) and state.peer.sign_in is not None:
        state.peer.sign_in.trying = event.params.method_id
        state.peer.sign_in.failure = None
    return [PeerChanged()]


def answered(state: State, event: Responded) -> list[Change]:
    """A request of ours was answered."""
    state.calls.pop(event.request.number, None)
    params = event.request.params
    match event.request.method, params:
        case "session/prompt", PromptParams():
            if _wants_sign_in(event):
                _sign_in(state, event)
            return [PeerChanged(), *turns.answered(state.session(params.session_id), event)]
        case "initialize", _:
            _initialized(state, event)
        case "authenticate", _:
            _authenticated(state, event)
        case "session/new", NewSessionParams():
            return [PeerChanged(), *_opened(state, event, params)]
        case "session/set_mode", SetModeParams() if event.error is None:
            return [PeerChanged(), *_mode_set(state, params)]
        case "session/set_config_option", SetConfigOptionParams():
            return [PeerChanged(), *_options_set(state, event, params)]
    return [PeerChanged()]


def _failure(event: Responded) -> str:
    """Why a request of ours came to nothing, in words."""
    if event.error is None:
        return f"{event.request.method}: the result can't be read: {event.problem}"
    words = f"{event.request.method} failed: {event.error.message} ({event.error.code})"
    return words if event.error.data is None else f"{words}: {event.error.data}"


def _initialized(state: State, event: Responded) -> None:
    result = event.result
    if not isinstance(result, InitializeResult):
        state.peer.trouble = _failure(event)
    elif result.protocol_version != PROTOCOL_VERSION:
        state.peer.trouble = (
            f"the agent speaks ACP version {result.protocol_version}, "
            f"this client speaks version {PROTOCOL_VERSION}"
        )
    else:
        state.peer.initialized = result
        state.peer.trouble = None


def _authenticated(state: State, event: Responded) -> None:
    sign_in = state.peer.sign_in
    if sign_in is None:
        return
    sign_in.trying = None
    if event.error is not None:
        sign_in.failure = event.error
    else:
        state.peer.sign_in = None


def _wants_sign_in(event: Responded) -> bool:
    return event.error is not None and event.error.code == ErrorCode.AUTH_REQUIRED


def _sign_in(state: State, event: Responded) -> None:
    """The agent refused a request for want of a sign-in: offer its methods."""
    assert event.error is not None
    methods = _methods_in(event.error.data)
    if not methods and state.peer.initialized is not None:
        methods = state.peer.initialized.auth_methods
    state.peer.sign_in = SignIn(event.request, event.error, methods)


def _methods_in(data: object) -> list[AuthMethod]:
    """Some agents send the methods with the error, not with `initialize`."""
    offered = data.get("authMethods") if isinstance(data, dict) else None
    if not isinstance(offered, list):
        return []
    wrapped = {"protocolVersion": PROTOCOL_VERSION, "authMethods": offered}
    return InitializeResult.model_validate(wrapped).auth_methods


def _opened(state: State, event: Responded, params: NewSessionParams) -> list[Change]:
    if _wants_sign_in(event):
        _sign_in(state, event)
        return []
    result = event.result
    if not isinstance(result, NewSessionResult):
        state.peer.trouble = _failure(event)
        return []
    state.peer.trouble = None
    session = state.session(result.session_id)
    _continue_lost(state, session, event.at)
    session.opened = True
    session.lost = False
    session.cwd = params.cwd
    session.modes = result.modes or session.modes
    session.config_options = result.config_options or session.config_options
    return [SessionChanged(session.session_id, Facet.OPENED)]


def _continue_lost(state: State, session: Session, at: float) -> None:
    """After a restart the transcript goes on in the new session, though the agent forgot it."""
    lost = [one for one in state.sessions.values() if one.lost and one.turns]
    if not lost:
        return
    old = state.sessions.pop(lost[-1].session_id)
    notice = NoticeEntry(
        at,
        "info",
        "A new session begins here",
        "The agent remembers nothing of what stands above.",
        ours=True,
        ended=at,
    )
    session.go_on_from([*old.entries, notice])


def _mode_set(state: State, params: SetModeParams) -> list[Change]:
    """The agent agreed; some never send the `current_mode_update` that should follow."""
    session = state.session(params.session_id)
    if session.modes is not None:
        session.modes = session.modes.model_copy(update={"current_mode_id": params.mode_id})
    return [SessionChanged(session.session_id, Facet.MODES)]


def _options_set(state: State, event: Responded, params: SetConfigOptionParams) -> list[Change]:
    session = state.session(params.session_id)
    if not isinstance(event.result, ConfigOptionsResult):
        return []
    session.config_options = event.result.config_options
    return [SessionChanged(session.session_id, Facet.MODES)]
