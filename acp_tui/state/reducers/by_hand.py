"""Messages that the user wrote by hand: which of them change the state.

Those that are true whoever sent them are applied: a turn begun or canceled in an open session, a
canceled request, an option that was set. A session opened, closed or deleted by hand is ignored,
since the client has only half of its facts.
"""

from acp_tui.protocol.events import Notified, Requested, Responded
from acp_tui.protocol.setup import (
    PromptParams,
    SessionParams,
    SetConfigOptionParams,
    SetModelParams,
    SetModeParams,
)
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.reducers import calls, turns
from acp_tui.state.session import Session
from acp_tui.state.state import State

_Option = SetModeParams | SetModelParams | SetConfigOptionParams


def on_requested(state: State, event: Requested) -> list[Change]:
    """Apply a prompt where no turn runs, or a set option; of any other request record only the id."""
    state.peer.hand_ids.add(event.id)
    session = _session(state, event)
    taken = isinstance(event.params, PromptParams | _Option)
    if session is None or not taken or _is_in_use(state, event):
        return []
    if isinstance(event.params, PromptParams) and session.turn is not None:
        return []
    return calls.on_requested(state, event)


def _session(state: State, event: Requested | Notified) -> Session | None:
    session = state.sessions.get(getattr(event.params, "session_id", ""))
    return session if session is not None and session.opened else None


def _is_in_use(state: State, event: Requested) -> bool:
    """Return whether a request of ours is pending with the same id: that one gets the first
    response.
    """
    return any(call.id == event.id for call in state.calls.values())


def on_responded(state: State, event: Responded) -> list[Change]:
    """Apply the response to a request that was applied; an error only ends the turn it began."""
    waited = state.calls.pop(event.request.number, None) is not None
    state.cancelled_calls.pop(event.request.number, None)
    if not waited:
        return []
    params = event.request.params
    if isinstance(params, PromptParams):
        return [ScreenChanged(), *turns.on_responded(state.session(params.session_id), event)]
    return [ScreenChanged(), *calls.apply_result(state, event)] if event.result is not None else []


def on_notified(state: State, event: Notified) -> list[Change]:
    """Apply the cancel of a running turn or request."""
    if isinstance(event.params, SessionParams) and _session(state, event) is None:
        return []
    return turns.on_client_notified(state, event)
