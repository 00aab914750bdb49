"""What a person said to the agent by hand: what the state takes of it, and what it does not.

It takes what is true whoever said it: a turn that was begun or canceled in an open session, a
request that was canceled, an option that the agent has set. A session that was opened, closed or
deleted by hand it doesn't take: of that one the client knows half.
"""

from acp_tui.protocol.events import Notified, Requested, Responded
from acp_tui.protocol.sessions import SetModelParams
from acp_tui.protocol.setup import PromptParams, SessionParams, SetConfigOptionParams, SetModeParams
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.reducers import calls, turns
from acp_tui.state.state import Session, State

_Option = SetModeParams | SetModelParams | SetConfigOptionParams


def on_requested(state: State, event: Requested) -> list[Change]:
    """Take a prompt where no turn runs, and what sets an option; of all others only the id."""
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
    """Whether a request of ours waits under the same id: the first answer is taken as its own."""
    return any(call.id == event.id for call in state.calls.values())


def on_responded(state: State, event: Responded) -> list[Change]:
    """Take the response to a request that was taken; a failure only ends the turn that it began."""
    waited = state.calls.pop(event.request.number, None) is not None
    state.cancelled_calls.pop(event.request.number, None)
    if not waited:
        return []
    params = event.request.params
    if isinstance(params, PromptParams):
        return [ScreenChanged(), *turns.on_responded(state.session(params.session_id), event)]
    return [ScreenChanged(), *calls.done(state, event)] if event.result is not None else []


def on_notified(state: State, event: Notified) -> list[Change]:
    """Take a cancel of a turn, or of a request, that runs."""
    if isinstance(event.params, SessionParams) and _session(state, event) is None:
        return []
    return turns.on_client_notified(state, event)
