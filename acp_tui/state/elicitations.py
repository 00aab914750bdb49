"""Elicitations and free-form questions: lifecycle, defaults and validation (ACP: Elicitation)."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from urllib.parse import urlsplit

from acp_tui.formatting import counted
from acp_tui.protocol.elicitation import (
    BooleanProperty,
    ElicitationCompleteParams,
    ElicitationParams,
    ElicitationResult,
    EnumOption,
    Form,
    FormProperty,
    IntegerProperty,
    MultiSelectItems,
    MultiSelectProperty,
    NumberProperty,
    StringProperty,
    UnknownProperty,
    Value,
)
from acp_tui.protocol.model import Model
from acp_tui.protocol.unstable import AskUserParams, AskUserResult
from acp_tui.protocol.wire_events import Notified, Requested, Responded
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.open_questions import PendingElicitation
from acp_tui.state.reducers import notices, tool_calls, turns
from acp_tui.state.session import Session
from acp_tui.state.state import State

LONGEST_MATCHED = 200
"""Longest text that is matched against the agent's pattern."""
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_LONGEST_EMAIL = 320
_SLOW = re.compile(r"\)[*+{]|([*+{].*){4}|(\?.*){10}", re.DOTALL)


def default_values(form: Form) -> dict[str, Value]:
    """Return the default values that the agent sent."""
    content: dict[str, Value] = {}
    for name, field in form.properties.items():
        default = None if isinstance(field, UnknownProperty) else field.default
        if default is not None:
            content[name] = default
    return content


def parse_field(field: FormProperty, text: str) -> Value:
    """Parse a field's text. Text that isn't a number is returned unchanged; validation rejects it."""
    try:
        if isinstance(field, IntegerProperty):
            return int(text)
        if isinstance(field, NumberProperty):
            return float(text)
    except ValueError:
        pass
    return text


def describe_answers(form: Form, content: Mapping[str, Value]) -> list[str]:
    """Format the values that were filled in, one line per field, as the user saw them."""
    lines = []
    for name, value in content.items():
        field = form.properties.get(name)
        title = field.title if field is not None else None
        lines.append(f"{title or name}: {_shown(field, value)}")
    return lines


def _shown(field: FormProperty | None, value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    choices = field.choices if isinstance(field, StringProperty | MultiSelectProperty) else []
    titles = {choice.const: choice.title for choice in choices}
    values = value if isinstance(value, list) else [value]
    return ", ".join(titles.get(str(one), str(one)) for one in values)


def find_problems(form: Form, content: Mapping[str, Value]) -> dict[str, str]:
    """Return the errors of invalid fields by name; empty if the form can be sent."""
    found = {}
    for name, field in form.properties.items():
        value = content.get(name)
        if value is None:
            if name in (form.required or []):
                unknown = isinstance(field, UnknownProperty)
                found[name] = "can't be filled in here" if unknown else "is required"
            continue
        problem = _problem(field, value)
        if problem is not None:
            found[name] = problem
    for name in content.keys() - form.properties.keys():
        found[name] = "is not a field of the form"
    return found


def _problem(field: FormProperty, value: Value) -> str | None:
    match field:
        case StringProperty():
            return _text(field, value) if isinstance(value, str) else "must be text"
        case BooleanProperty():
            return None if isinstance(value, bool) else "must be yes or no"
        case IntegerProperty():
            whole = isinstance(value, int) and not isinstance(value, bool)
            return _number(field, value) if whole else "must be a whole number"
        case NumberProperty():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return _number(field, value) if number else "must be a number"
        case MultiSelectProperty():
            return _selection(field, value) if isinstance(value, list) else "must be a list"
        case _:
            return "can't be filled in here"


def _number(field: IntegerProperty | NumberProperty, value: Value) -> str | None:
    assert isinstance(value, int | float)
    if field.minimum is not None and value < field.minimum:
        return f"must be at least {field.minimum:g}"
    if field.maximum is not None and value > field.maximum:
        return f"must be at most {field.maximum:g}"
    return None if value - value == 0 else "must be finite"


def _selection(field: MultiSelectProperty, value: list[str]) -> str | None:
    offered = {choice.const for choice in field.choices}
    if any(one not in offered for one in value):
        return "holds something that is not offered"
    if field.min_items is not None and len(value) < field.min_items:
        return f"needs at least {field.min_items}"
    if field.max_items is not None and len(value) > field.max_items:
        return f"takes at most {field.max_items}"
    return None


def _text(field: StringProperty, value: str) -> str | None:
    if field.choices and value not in {choice.const for choice in field.choices}:
        return "is not one of the choices"
    if field.min_length is not None and len(value) < field.min_length:
        return f"needs at least {counted(field.min_length, 'character')}"
    if field.max_length is not None and len(value) > field.max_length:
        return f"takes at most {counted(field.max_length, 'character')}"
    if field.pattern is not None and not _matches(field.pattern, value):
        return f"must match {field.pattern}"
    if field.format in _FORMATS and not _FORMATS[field.format](value):
        return f"must be {_FORMAT_WORDS[field.format]}"
    return None


def _matches(pattern: str, value: str) -> bool:
    """Return whether a text matches a pattern. True if the pattern is invalid or could take
    exponential time: then the agent must check.
    """
    if len(value) > LONGEST_MATCHED or _SLOW.search(pattern):
        return True
    try:
        return re.search(pattern, value) is not None
    except re.error:
        return True


def _is_date(value: str) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _is_date_time(value: str) -> bool:
    try:
        return "T" in value and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _is_uri(value: str) -> bool:
    try:
        return bool(urlsplit(value).scheme) and not re.search(r"\s", value)
    except ValueError:
        return False


_FORMATS = {
    "email": lambda value: len(value) <= _LONGEST_EMAIL and _EMAIL.fullmatch(value) is not None,
    "uri": _is_uri,
    "date": _is_date,
    "date-time": _is_date_time,
}
_FORMAT_WORDS = {
    "email": "an e-mail address",
    "uri": "a full address such as https://example.org",
    "date": "a date such as 2026-01-31",
    "date-time": "a date and time with a time zone, such as 2026-01-31T12:00:00Z",
}


CANCELED = "It was canceled."
"""Text for a missing answer. It doesn't say who canceled: the user, or a limit."""
CHOICE = "choice"
WORDS = "words"


def on_requested(state: State, event: Requested) -> list[Change]:
    """Add the agent's question, unless its mode is unknown."""
    params = event.params
    if isinstance(params, AskUserParams):
        question = _question(event, params)
    elif isinstance(params, ElicitationParams) and params.mode in ("form", "url"):
        question = PendingElicitation(
            number=event.number,
            at=event.at,
            message=params.message,
            session_id=params.session_id,
            tool_call_id=params.tool_call_id,
            request_id=params.request_id,
            form=params.requested_schema,
            url=params.url,
            elicitation_id=params.elicitation_id,
        )
    else:
        return []
    session = state.sessions.get(question.session_id or "")
    if session is not None:
        named = question.tool_call_id
        call = session.newest_key(named) if named is not None else None
        held = tool_calls.mark_call_waiting(session, call, event.at)
        question = replace(question, waiting_call=held)
    state.elicitations.append(question)
    turns.update_waiting(state, question.session_id, event.at)
    return [ScreenChanged(), *_waiting_call_changed(session, question)]


def _waiting_call_changed(session: Session | None, question: PendingElicitation) -> list[Change]:
    return (
        [] if session is None else tool_calls.waiting_call_changed(session, question.waiting_call)
    )


def _question(event: Requested, params: AskUserParams) -> PendingElicitation:
    """Convert a free-form question to a form: the suggestions, and a field for other text."""
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
    """Return the result with the user's answer, in the form of the method that asked."""
    if not isinstance(request.params, AskUserParams):
        return ElicitationResult(action=action, content=content if action == "accept" else None)
    given = [(content or {}).get(name) for name in (CHOICE, WORDS)]
    words = [", ".join(one) if isinstance(one, list) else one for one in given]
    text = ", ".join(word for word in words if isinstance(word, str) and word)
    if action != "accept" or not text:
        return AskUserResult(outcome="cancelled")
    return AskUserResult(outcome="answered", text=text)


def on_responded(state: State, event: Responded) -> list[Change]:
    """Remove a question that the client has answered; an accepted link waits for its completion."""
    question = state.elicitation(event.request.number)
    if question is None:
        return []
    state.elicitations.remove(question)
    session = state.sessions.get(question.session_id or "")
    if session is not None:
        tool_calls.resume_call(session, question.waiting_call, event.at)
    turns.update_waiting(state, question.session_id, event.at)
    words = "not answered"
    if isinstance(event.result, ElicitationResult):
        words = _describe_result(question, event.result)
        if question.elicitation_id is not None and event.result.action == "accept":
            state.awaited[question.elicitation_id] = question
    elif isinstance(event.result, AskUserResult):
        words = event.result.text or CANCELED
    changes: list[Change] = [ScreenChanged(), *_waiting_call_changed(session, question)]
    if question.session_id is not None:
        title = f"The agent asked: {question.message}"
        apart = "\n" if "\n" in words else " "
        whose = f"Answered on {question.screen}" if question.screen else "Your answer"
        answered = words if words is CANCELED else f"{whose}:{apart}{words}"
        changes += notices.notify_person(
            state, event.at, question.session_id, "info", title, answered
        )
    return changes


def _describe_result(question: PendingElicitation, result: ElicitationResult) -> str:
    if question.url is not None and result.action == "accept":
        return f"{result.action}\n{question.url}"
    if question.form is None or not result.content:
        return CANCELED if result.action == "cancel" else result.action
    return "\n".join(describe_answers(question.form, result.content))


def on_completed(state: State, event: Notified) -> list[Change]:
    """Apply the completion of a link; ignore unknown or already completed ids."""
    if not isinstance(event.params, ElicitationCompleteParams):
        return []
    question = state.awaited.pop(event.params.elicitation_id, None)
    if question is None:
        return []
    title = f"Done: {question.message}"
    return [
        ScreenChanged(),
        *notices.notify_person(state, event.at, question.session_id, "info", title),
    ]
