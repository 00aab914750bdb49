"""Turns: from a prompt to its response (ACP: Prompt Turn)."""

from itertools import takewhile

from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.model import Model
from acp_tui.protocol.requests import CancelRequestParams
from acp_tui.protocol.setup import PromptParams, PromptResult, SessionParams
from acp_tui.protocol.wire_events import Notified, Requested, Responded
from acp_tui.state.blocks import append_block, meaning_of
from acp_tui.state.changes import Change, ScreenChanged, TurnChanged
from acp_tui.state.entries import Entry, MessageEntry, NoticeEntry, Role, TurnEndEntry
from acp_tui.state.reducers.air import note_failed_turn
from acp_tui.state.reducers.transcript import add_entry, cancel_tool_calls
from acp_tui.state.session import Session, Turn, UnansweredPrompt
from acp_tui.state.state import State


def begin_turn(session: Session, request: Requested, params: PromptParams) -> list[Change]:
    """Begin a turn with a prompt; a resent prompt keeps its place in the transcript."""
    by_hand = request.by is not None
    unanswered, session.unanswered = session.unanswered, None
    if unanswered is not None and unanswered.params.idempotency_key == params.idempotency_key:
        session.turn = Turn(request, unanswered.entry, is_retry=True)
        session.reported.active = None
        session.turn_index = len(session.entries)
        return [TurnChanged(session.session_id)]
    prompt = MessageEntry(Role.USER, request.at, ended=request.at, ours=True, by_hand=by_hand)
    for block in params.prompt:
        append_block(prompt.blocks, block)
    session.turn = Turn(request, prompt)
    session.refused = None
    session.turns += 1
    session.suggested_prompt = ""
    session.reported.active = None
    session.indexes.messages.clear()  # agents reuse message ids in later turns
    session.turn_index = len(session.entries)
    return [*add_entry(session, prompt), TurnChanged(session.session_id)]


def on_responded(session: Session, event: Responded) -> list[Change]:
    """End the turn whose prompt was answered."""
    if session.turn is None or session.turn.request != event.request:
        return []
    if event.error is not None:
        return end_turn(session, event.at, error=event.error, unsent=event.is_unsent)
    if isinstance(event.result, PromptResult):
        return _end_answered(session, event.at, event.result)
    if event.result is not None:
        from acp_tui.state.reducers.v2 import messages  # only imported for version 2

        return messages.apply_acceptance(session, event)
    return end_turn(session, event.at, stop_reason=f"unreadable result ({event.problem})")


def _end_answered(session: Session, at: float, result: PromptResult) -> list[Change]:
    """End a turn with its prompt's result, whose `_meta` may report a failure to JetBrains AIR."""
    note_model_tokens(session, result)
    failure, changes = note_failed_turn(session, at, result)
    end = end_turn(session, at, stop_reason=result.stop_reason, usage=result.usage, failure=failure)
    return [*changes, *end]


def store_unanswered_prompt(session: Session) -> None:
    """Store the prompt of a turn that was lost with the connection, to resend it once.

    Only if the agent hasn't answered it, and its key makes it safe to resend. A prompt sent as raw
    JSON is never resent: its sender wants to see what the agent does with that very frame.
    """
    turn = session.turn
    params = turn.request.params if turn is not None else None
    if turn is None or not isinstance(params, PromptParams) or params.idempotency_key is None:
        return
    if (
        turn.request.by is None
        and not turn.accepted
        and not turn.is_retry
        and turn.cancelled is None
    ):
        session.unanswered = UnansweredPrompt(params, turn.prompt)


def note_model_tokens(session: Session, ending: Model) -> None:
    """Add the tokens by model from the `_meta` of a turn's end."""
    if not ending.meta:
        return
    from acp_tui.protocol.quota import MOST_WINDOWS, read_model_tokens  # few agents report them

    for model, tokens in read_model_tokens(ending.meta).items():
        if model in session.usage.model_tokens or len(session.usage.model_tokens) < MOST_WINDOWS:
            session.usage.model_tokens[model] = session.usage.model_tokens.get(model, 0) + tokens


def update_waiting(state: State, session_id: str | None, at: float) -> None:
    """Start or stop counting the time that the turn waits for the user."""
    session = state.sessions.get(session_id or "")
    turn = session.turn if session is not None else None
    if session is None or turn is None:
        return
    asks = state.has_open_question(session.session_id)
    if asks and not turn.waiting.questions:
        turn.waiting.add_question(at)
    elif not asks and turn.waiting.questions:
        turn.waiting.remove_question(at)


def end_turn(
    session: Session,
    at: float,
    *,
    stop_reason: str | None = None,
    error: Error | None = None,
    lost: str | None = None,
    usage: dict[str, object] | None = None,
    unsent: bool = False,
    failure: str | None = None,
) -> list[Change]:
    """End the turn, if there is one; if it was canceled, cancel its unfinished tool calls, too."""
    turn, session.turn = session.turn, None
    if turn is None:
        return []
    changes = []
    if turn.cancelled is not None:
        changes += cancel_tool_calls(session, at, since=turn.started)
    session.reported.active = None
    canceled = turn.cancelled is not None
    entry = TurnEndEntry(
        at=at,
        started=turn.started,
        stop_reason=stop_reason,
        error=error,
        lost=lost,
        usage=usage,
        waited=turn.waiting.until(at),
        unsent=unsent,
        ended=at,
        over_limit=turn.over_limit,
        canceled=canceled,
        failure=failure,
        silent=stop_reason is not None and not canceled and not _shows_work(session, turn.prompt),
    )
    session.turn_index = len(session.entries)
    return [*changes, *add_entry(session, entry), TurnChanged(session.session_id)]


def _shows_work(session: Session, prompt: MessageEntry) -> bool:
    """Return whether the transcript shows any work by the agent since a prompt."""
    since = takewhile(lambda entry: entry is not prompt, reversed(session.entries))
    return any(map(_is_work, since))


def _is_work(entry: Entry) -> bool:
    if isinstance(entry, MessageEntry):
        return entry.role is not Role.USER and bool(meaning_of(entry.blocks))
    return not (isinstance(entry, NoticeEntry) and entry.ours)


def on_client_notified(state: State, event: Notified) -> list[Change]:
    """Apply a notification of ours, which cancels a turn or a request."""
    if event.method == "$/cancel_request" and isinstance(event.params, CancelRequestParams):
        cancelled = [call for call in state.calls.values() if call.id == event.params.request_id]
        state.cancelled_calls.update({call.number: event.at for call in cancelled})
        return [ScreenChanged()]
    if event.method != "session/cancel" or not isinstance(event.params, SessionParams):
        return []
    session = state.session(event.params.session_id)
    if session.subagent is not None:
        session.subagent.canceled = session.subagent.canceled or event.at
    if session.turn is None:
        return [TurnChanged(session.session_id)] if session.subagent is not None else []
    session.turn.cancelled = session.turn.cancelled or event.at
    changes: list[Change] = [TurnChanged(session.session_id)]
    if session.reported.activity is None:  # otherwise the agent reports the end of each tool call
        changes += cancel_tool_calls(session, event.at, since=session.turn.started)
    return changes
