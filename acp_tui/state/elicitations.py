"""Elicitations and free questions: asked, answered, completed (ACP: Elicitation)."""

from dataclasses import replace

from acp_tui.protocol.elicitation import (
    ElicitationCompleteParams,
    ElicitationParams,
    ElicitationResult,
    EnumOption,
    Form,
    FormProperty,
    MultiSelectItems,
    MultiSelectProperty,
    StringProperty,
    Value,
)
from acp_tui.protocol.events import Notified, Requested, Responded
from acp_tui.protocol.extensions import AskUserParams, AskUserResult
from acp_tui.protocol.model import Model
from acp_tui.state import forms
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.reducers import notices, tool_calls, turns
from acp_tui.state.state import PendingElicitation, Session, State

CANCELED = "It was canceled."
"""Text for a missing answer; it names nobody, for a person or a limit may have canceled."""
CHOICE = "choice"
WORDS = "words"


def on_requested(state: State, event: Requested) -> list[Change]:
    """Add a question from the agent, unless its mode is unknown."""
    params = event.params
    if isinstance(params, AskUserParams):
        question = _question(event, params)
    elif isinstance(params, ElicitationParams) and params.mode in ("form", "url"):
        question = PendingElicitation(
            event.number,
            event.at,
            params.message,
            params.session_id,
            params.tool_call_id,
            params.request_id,
            params.requested_schema,
            params.url,
            params.elicitation_id,
        )
    else:
        return []
    session = state.sessions.get(question.session_id or "")
    if session is not None:
        named = question.tool_call_id
        call = session.newest_key(named) if named is not None else None
        held = tool_calls.hold(session, call, event.at)
        question = replace(question, holds=held)
    state.elicitations.append(question)
    turns.update_waiting(state, question.session_id, event.at)
    return [ScreenChanged(), *_held(session, question)]


def _held(session: Session | None, question: PendingElicitation) -> list[Change]:
    return [] if session is None else tool_calls.waiting_call_changed(session, question.holds)


def _question(event: Requested, params: AskUserParams) -> PendingElicitation:
    """Return a free question as a form: the suggestions, and a line for other words."""
    fields: dict[str, FormProperty] = {}
    options = [EnumOption(const=option, title=option) for option in params.options]
    if options and params.multiple:
        fields[CHOICE] = MultiSelectProperty(title="Choice", items=MultiSelectItems(any_of=options))
    elif options:
        fields[CHOICE] = StringProperty(title="Choice", one_of=options)
    if params.allow_custom or not options:
        title = "Other" if options else "Answer"
        fields[WORDS] = StringProperty(title=title)
    required = [next(iter(fields))] if len(fields) == 1 else None
    form = Form(title=params.header, properties=fields, required=required)
    return PendingElicitation(event.number, event.at, params.question, params.session_id, form=form)


def answer_elicitation(request: Requested, action: str, content: dict[str, Value] | None) -> Model:
    """Return the result for a person's answer, in the form of the method that asked."""
    if not isinstance(request.params, AskUserParams):
        return ElicitationResult(action=action, content=content if action == "accept" else None)
    given = [(content or {}).get(name) for name in (CHOICE, WORDS)]
    words = [", ".join(one) if isinstance(one, list) else one for one in given]
    text = ", ".join(word for word in words if isinstance(word, str) and word)
    if action != "accept" or not text:
        return AskUserResult(outcome="cancelled")
    return AskUserResult(outcome="answered", text=text)


def on_responded(state: State, event: Responded) -> list[Change]:
    """Settle a question that the client answered; an accepted link is awaited."""
    question = state.elicitation(event.request.number)
    if question is None:
        return []
    state.elicitations.remove(question)
    session = state.sessions.get(question.session_id or "")
    if session is not None:
        tool_calls.resume_call(session, question.holds, event.at)
    turns.update_waiting(state, question.session_id, event.at)
    words = "not answered"
    if isinstance(event.result, ElicitationResult):
        words = _told(question, event.result)
        if question.elicitation_id is not None and event.result.action == "accept":
            state.awaited[question.elicitation_id] = question
    elif isinstance(event.result, AskUserResult):
        words = event.result.text or CANCELED
    changes: list[Change] = [ScreenChanged(), *_held(session, question)]
    if question.session_id is not None:
        title = f"The agent asked: {question.message}"
        apart = "\n" if "\n" in words else " "
        whose = f"Answered on {question.screen}" if question.screen else "Your answer"
        answered = words if words is CANCELED else f"{whose}:{apart}{words}"
        changes += notices.notify(state, event.at, question.session_id, "info", title, answered)
    return changes


def _told(question: PendingElicitation, result: ElicitationResult) -> str:
    if question.url is not None and result.action == "accept":
        return f"{result.action}\n{question.url}"
    if question.form is None or not result.content:
        return CANCELED if result.action == "cancel" else result.action
    return "\n".join(forms.describe(question.form, result.content))


def on_completed(state: State, event: Notified) -> list[Change]:
    """Apply the completion of a link; ignore unknown and completed ids."""
    if not isinstance(event.params, ElicitationCompleteParams):
        return []
    question = state.awaited.pop(event.params.elicitation_id, None)
    if question is None:
        return []
    title = f"Done: {question.message}"
    return [
        ScreenChanged(),
        *notices.notify(state, event.at, question.session_id, "info", title),
    ]
