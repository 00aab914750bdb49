"""Requests of ours that timed out or were abandoned. A late response is still applied."""

from acp_tui.protocol.content import text_of
from acp_tui.protocol.events import Abandoned, Requested, TimedOut
from acp_tui.protocol.extensions import SteeringParams
from acp_tui.protocol.jsonrpc import Error, ErrorCode
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.reducers import notices, session_setup
from acp_tui.state.state import State


def apply(state: State, event: TimedOut | Abandoned) -> list[Change]:
    """Stop waiting for a request that timed out, or that the user canceled in vain."""
    call = next((call for call in state.calls.values() if call.id == event.id), None)
    if call is None:
        return [ScreenChanged()]
    del state.calls[call.number]
    state.cancelled_calls.pop(call.number, None)
    return [ScreenChanged(), *session_setup.on_unanswered(state, call), *_told(state, event, call)]


def _told(state: State, event: TimedOut | Abandoned, call: Requested) -> list[Change]:
    words = f"{call.method} was canceled; no answer came"
    severity = notices.cancelled(state)
    if isinstance(event, TimedOut):
        words, severity = f"no answer to {call.method} within {event.seconds:g} s", "error"
    peer = state.peer
    if call.method == "initialize":
        if peer.noise is not None:
            from acp_tui.text import one_line  # no start needs it

            words += f"; the last line on its stdout is no message: {one_line(peer.noise[1])}"
        if peer.falls_back:
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
    text = text_of(call.params.prompt) if isinstance(call.params, SteeringParams) else None
    return notices.notify(state, event.at, session_id, severity, words, text)
