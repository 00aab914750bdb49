"""The client's requests to the agent: pending, answered, failed and timed out."""

from acp_tui.protocol.config_options import (
    BooleanConfigOption,
    ConfigOptionsResult,
    SelectConfigOption,
    SetConfigOptionParams,
    SetModelParams,
    SetModeParams,
)
from acp_tui.protocol.content import text_of_content
from acp_tui.protocol.events import Abandoned, NotSent, TimedOut
from acp_tui.protocol.initialization import (
    PROTOCOL_VERSION,
    AuthenticateParams,
    InitializeParams,
    InitializeResult,
)
from acp_tui.protocol.jsonrpc import Error, ErrorCode
from acp_tui.protocol.setup import PromptParams
from acp_tui.protocol.unstable import SteeringParams, SteeringResult
from acp_tui.protocol.wire_events import Requested, Responded
from acp_tui.state import authentication
from acp_tui.state.blocks import append_block
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.entries import MessageEntry, Role
from acp_tui.state.reducers import notices, restart, session_setup, transcript, turns
from acp_tui.state.reducers.notices import announce_mode
from acp_tui.state.session import Session
from acp_tui.state.state import State


def on_requested(state: State, event: Requested) -> list[Change]:
    """Add a request of ours; it is pending unless the agent is gone."""
    gone = state.peer.unreachable_reason
    if gone is None:
        state.calls[event.number] = event
    if isinstance(event.params, PromptParams):
        session = state.session(event.params.session_id)
        state.holding.begin_turn(session.session_id, event.at)
        replayed = restart.finish_replay(session, event.at)
        changes = [*replayed, *turns.begin_turn(session, event, event.params)]
        return (
            changes if gone is None else [*changes, *turns.end_turn(session, event.at, lost=gone)]
        )
    if isinstance(event.params, AuthenticateParams) and state.peer.sign_in is not None:
        state.peer.sign_in.trying = event.params.method_id
        state.peer.sign_in.failure = None
    if isinstance(event.params, InitializeParams):
        state.peer.unstable = event.params.client_capabilities.unstable
        state.peer.offered = event.raw
    return [
        ScreenChanged(),
        *session_setup.on_requested(state, event),
        *_note_stop_request(state, event, asked=True),
    ]


def _note_stop_request(state: State, request: Requested, *, asked: bool) -> list[Change]:
    """Record that a tool call or terminal was asked to stop, or that the agent refused."""
    if request.method not in ("tool_call/cancel", "terminal/cancel") or request.params is None:
        return []
    from acp_tui.state.reducers.v2 import tool_calls  # only imported for version 2

    return tool_calls.note_stop(state, request, asked=asked)


def on_responded(state: State, event: Responded) -> list[Change]:
    """Apply the response to a request of ours."""
    waited = state.calls.pop(event.request.number, None) is not None
    state.cancelled_calls.pop(event.request.number, None)
    wants_sign_in = event.request.call != "authenticate" and authentication.on_refused(state, event)
    match event.request.call, event.request.params:
        case "session/prompt", PromptParams(session_id=session_id):
            return [ScreenChanged(), *turns.on_responded(state.session(session_id), event)]
        case "initialize", _:
            _initialized(state, event)
            return [ScreenChanged()]
        case "authenticate", _:
            authentication.on_authenticated(state, event)
            if event.error is None:
                state.quota.clear()  # the new account may be another one
            return [ScreenChanged()]
    if not session_setup.has_succeeded(event):
        changes = session_setup.on_failed(state, event)
        said = [] if wants_sign_in or not waited else _report_error(state, event)
        return [
            ScreenChanged(),
            *changes,
            *said,
            *_note_stop_request(state, event.request, asked=False),
        ]
    changes = [
        *session_setup.on_responded(state, event),
        *session_setup.apply_admin_response(state, event),
    ]
    return [ScreenChanged(), *changes, *apply_result(state, event)]


def on_not_sent(state: State, event: NotSent) -> list[Change]:
    """Fail a request that was never sent, as if the agent had returned an error."""
    call = next((call for call in state.calls.values() if call.id == event.id), None)
    return [] if call is None else on_responded(state, event.answering(call))


def apply_result(state: State, event: Responded) -> list[Change]:
    """Apply the result of a request about an open session or the account."""
    match event.request.params, event.result:
        case SetModeParams() as params, _:
            return _mode_set(state, event.at, params)
        case SetModelParams() as params, _:
            return _model_set(state, params)
        case SetConfigOptionParams(
            session_id=session_id
        ) as params, ConfigOptionsResult() as result:
            session = state.session(session_id)
            if result.config_options:  # without them, an update will have the new values
                session.config.options = result.config_options
                session.config.unconfirmed.clear()
            elif not _has_value(session, params):
                session.config.unconfirmed[params.config_id] = params.value
            return [ScreenChanged(), *announce_mode(session, event.at)]
        case SteeringParams() as params, SteeringResult(outcome=outcome):
            return [] if outcome == "promptRequired" else _steered(state, event.at, params)
    if event.request.call == "logout":
        state.quota.clear()
        return notices.notify_person(state, event.at, None, "info", "Signed out")
    return []


def _report_error(state: State, event: Responded) -> list[Change]:
    """Notify the user of a failed request, in its session if that is open."""
    if event.error is not None and event.error.code == ErrorCode.REQUEST_CANCELLED:
        title = f"{event.request.method} was canceled"
        return notices.notify_person(state, event.at, None, notices.canceled_severity(state), title)
    session_id = getattr(event.request.params, "session_id", None)
    session = state.sessions.get(session_id) if session_id is not None else None
    open_id = session_id if session is not None and session.opened else None
    if event.error is None:
        title, _, words = _failure(event).partition(": ")
    else:
        title = f"{event.request.method} failed"
        opens = _OPENS.get(event.request.call)
        if opens is not None and not state.open_sessions():
            from acp_tui.text import one_line  # not needed by a successful start

            title = f"{one_line(state.peer.name)} couldn't {opens} ({event.request.method})"
        words = "\n".join(filter(None, (event.error.summary, event.error.details)))
    return notices.notify_person(state, event.at, open_id, "error", title, words or None)


def _has_value(session: Session, params: SetConfigOptionParams) -> bool:
    """Return whether an option already has the requested value: an update may precede the response."""
    return any(
        isinstance(one, SelectConfigOption | BooleanConfigOption)
        and one.id == params.config_id
        and one.current_value == params.value
        for one in session.config.options or []
    )


_OPENS = {
    "session/new": "open a session",
    "session/load": "load the session",
    "session/resume": "resume the session",
}
"""What each method that opens a session does, for users who don't know the methods."""


def _failure(event: Responded) -> str:
    """Describe why a request of ours failed."""
    if event.error is None:
        return f"{event.request.method}: the result can't be read: {event.problem}"
    return f"{event.request.method} failed: {event.error.words}"


def _initialized(state: State, event: Responded) -> None:
    result, asked, peer = event.result, event.request.params, state.peer
    wanted = asked.shape if isinstance(asked, InitializeParams) else PROTOCOL_VERSION
    if not isinstance(result, InitializeResult):
        trouble = _failure(event)
    elif not result.protocol_version == result.shape == wanted:
        trouble = _of_other_version(result, wanted)
    else:
        peer.initialized, peer.trouble, peer.output.noise = result, None, None
        peer.output.noise_before.clear()
        return
    if peer.has_fallback:
        peer.fallback = trouble
    else:
        peer.trouble = trouble if wanted == PROTOCOL_VERSION else f"{trouble}; {_AUTO}"


_AUTO = "--protocol auto goes on in version 1 then"


def _of_other_version(result: InitializeResult, wanted: int) -> str:
    """Explain why an agent that responds in another version can't be used."""
    version, shape = result.protocol_version, result.shape
    if version == wanted:
        return f"the agent answers version {version} in the form of version {shape}"
    if wanted != PROTOCOL_VERSION:
        return f"the agent speaks ACP version {version}, and was asked for version {wanted}"
    return f"the agent speaks ACP version {version}, this client speaks version {wanted}"


def _mode_set(state: State, at: float, params: SetModeParams) -> list[Change]:
    """Apply a mode that the agent has accepted: some agents never send a `current_mode_update`."""
    session = state.session(params.session_id)
    if session.config.modes is not None:
        session.config.modes = session.config.modes.model_copy(
            update={"current_mode_id": params.mode_id}
        )
    return [ScreenChanged(), *announce_mode(session, at)]


def _model_set(state: State, params: SetModelParams) -> list[Change]:
    session = state.session(params.session_id)
    if session.config.models is not None:
        session.config.models = session.config.models.model_copy(
            update={"current_model_id": params.model_id}
        )
    return [ScreenChanged()]


def _steered(state: State, at: float, params: SteeringParams) -> list[Change]:
    """Add a user message that was added to the running turn."""
    message = MessageEntry(Role.USER, at, ended=at)
    for block in params.prompt:
        append_block(message.blocks, block)
    return transcript.add_entry(state.session(params.session_id), message)


def apply_timeout(state: State, event: TimedOut | Abandoned) -> list[Change]:
    """Stop waiting for a request that timed out, or was canceled without a response."""
    call = next((call for call in state.calls.values() if call.id == event.id), None)
    if call is None:
        return [ScreenChanged()]
    del state.calls[call.number]
    state.cancelled_calls.pop(call.number, None)
    return [
        ScreenChanged(),
        *session_setup.on_unanswered(state, call),
        *_report_timeout(state, event, call),
    ]


def _report_timeout(state: State, event: TimedOut | Abandoned, call: Requested) -> list[Change]:
    words = f"{call.method} was canceled; no answer came"
    severity = notices.canceled_severity(state)
    if isinstance(event, TimedOut):
        words, severity = f"no answer to {call.method} within {event.seconds:g} s", "error"
    peer = state.peer
    if peer.output.noise is not None and not state.open_sessions():
        from acp_tui.text import one_line  # not needed by a successful start

        where = "from it" if peer.url else "on its stdout"
        words += f"; the last line {where} is no message: {one_line(peer.output.noise[1])}"
    if call.method == "initialize":
        if peer.has_fallback:
            peer.fallback = words
        else:
            peer.trouble = words
        return []
    if call.call == "authenticate" and peer.sign_in is not None:
        peer.sign_in.trying = None
        peer.sign_in.failure = Error(ErrorCode.INTERNAL_ERROR, words)
        return []
    if severity == "error" and not state.open_sessions():
        peer.trouble = words
    session = state.sessions.get(getattr(call.params, "session_id", ""))
    session_id = session.session_id if session is not None and session.opened else None
    text = text_of_content(call.params.prompt) if isinstance(call.params, SteeringParams) else None
    return notices.notify_person(state, event.at, session_id, severity, words, text)
