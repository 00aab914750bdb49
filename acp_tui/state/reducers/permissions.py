"""The agent's permission requests (ACP: Requesting Permission), and the client's own for files."""

from dataclasses import replace

from acp_tui.policy.rules import ruling_words
from acp_tui.protocol.events import AnswerGiven, Ruled, RulesChanged
from acp_tui.protocol.file_events import AccessAnswered, AccessAsked, FileOperation, FilesChanged
from acp_tui.protocol.requests import (
    AnyPermissionRequest,
    PermissionOption,
    RequestPermissionParams,
    RequestPermissionResult,
)
from acp_tui.protocol.wire_events import Requested, Responded
from acp_tui.state.changes import Change, ScreenChanged
from acp_tui.state.entries import NoticeEntry, ToolCallEntry
from acp_tui.state.open_questions import Permission, QuestionAnswer
from acp_tui.state.reducers import interception, tool_calls, transcript, turns
from acp_tui.state.reducers.transcript import add_entry
from acp_tui.state.session import Session
from acp_tui.state.state import State

ALLOW_ONCE = "allow_once"
ALLOW_FOLDER = "allow_always"
REJECT = "reject_once"
CANCELLED = "cancelled"


def on_requested(state: State, event: Requested) -> list[Change]:
    """Add a permission request; other requests don't change the state."""
    params = event.params
    if not isinstance(params, AnyPermissionRequest):
        return []
    session = state.session(params.session_id)
    if not isinstance(params, RequestPermissionParams):
        from acp_tui.state.reducers.v2.tool_calls import ask_permission  # version 2 only

        return ask_permission(state, session, event)
    announced = announced_call(session, params.tool_call.tool_call_id)
    changes = tool_calls.apply_requested_call(session, event.at, params.tool_call)
    call = session.tool_call(params.tool_call.tool_call_id)
    assert call is not None
    is_of_call = announced is not None and announced.key == call.key
    question = Permission(
        event.number,
        params.session_id,
        event.at,
        params.options,
        params.asked,
        call=call.key,
        described_call=call.frozen_copy(),
        announced=announced if is_of_call else None,
    )
    return [*changes, *ask_question(state, question)]


def announced_call(session: Session, tool_call_id: str | None) -> ToolCallEntry | None:
    """Return a copy of a tool call before a permission request changes it.

    None if the request must be about another call, because this one has finished, or a question
    about it was answered.
    """
    call = session.tool_call(tool_call_id) if tool_call_id is not None else None
    return call.frozen_copy() if call is not None and not call.decided else None


def on_responded(state: State, event: Responded) -> list[Change]:
    """Remove a question that the client has answered, and record the answer."""
    permission = state.permission(event.request.number)
    if permission is None:
        return []
    session = state.session(permission.session_id)
    if permission.access is not None:
        return _remove_question(state, permission, event.at)
    result = event.result
    outcome = result.outcome if isinstance(result, RequestPermissionResult) else None
    alike = permission.alike(outcome.option_id) if outcome is not None else []
    words = " or ".join(option.name for option in alike) or CANCELLED
    if permission.screen and alike:
        words += f", on {permission.screen}"
    allowed = bool(alike) and not any(one.rejects for one in alike)
    asked = permission.described_call
    if asked is None:  # a command, or something else that isn't a tool call of the session
        from acp_tui.state.subject import asked_about

        asked = asked_about(session, permission)
        asked.title = asked.title or permission.title
    session.answers.append(QuestionAnswer(event.at, allowed, asked))
    settled = _remove_question(state, permission, event.at)
    if permission.call is None:
        return [*settled, *_add_answer_notice(session, permission, event.at, words)]
    entry = session.call_of(permission.call)
    if entry is None:
        return settled  # its tool call was cleared by a load after the question
    _decided(entry, permission, words, alike)
    if event.stopped is not None:
        interception.note_stopped_answer(state, event, permission, entry)
    return [*settled, *tool_calls.waiting_call_changed(session, entry.key)]


def on_access(state: State, event: AccessAsked | AccessAnswered | FilesChanged) -> list[Change]:
    """Apply a question about file access, its answer, or a change of its files."""
    if isinstance(event, FilesChanged):
        return _files_changed(state, event)
    if isinstance(event, AccessAsked):
        options = access_options(event)
        question = Permission(
            event.request, event.session_id, event.at, options, access=event, rule=event.rule
        )
        return ask_question(state, question)
    permission = state.permission(event.request)
    if permission is None or permission.access is None:
        return []
    if permission.access.operation is FileOperation.WRITE:
        allowed = event.answer in (ALLOW_ONCE, ALLOW_FOLDER)
        answer = QuestionAnswer(event.at, allowed, path=permission.access.path)
        state.session(permission.session_id).answers.append(answer)
    return _remove_question(state, permission, event.at)


def _files_changed(state: State, event: FilesChanged) -> list[Change]:
    """Update which files of a question have changed on disk."""
    permission = state.permission(event.request)
    if permission is None:
        return []
    permission.changed = event.paths
    return [ScreenChanged()]


def access_options(event: AccessAsked) -> list[PermissionOption]:
    """Return the options of a question about file access.

    There is no "for this session" for a changed file, which is asked about each time, nor for a
    rule that asks, which would ask again whatever was allowed.
    """
    once = PermissionOption(option_id=ALLOW_ONCE, name="Allow once", kind="allow_once")
    reject = PermissionOption(option_id=REJECT, name="Reject", kind="reject_once")
    if not event.outside or event.rule:
        return [once, reject]
    verb = "reading" if event.operation is FileOperation.READ else "writing"
    name = f"Allow {verb} in {event.folder} for this session"
    return [once, PermissionOption(option_id=ALLOW_FOLDER, name=name, kind="allow_always"), reject]


def ask_question(state: State, question: Permission) -> list[Change]:
    """Add a question, unless there is no agent left to answer.

    If there are rules, they evaluate an agent's question first.
    """
    if state.peer.unreachable_reason is not None:
        return []
    session = state.session(question.session_id)
    if state.rules and question.access is None:
        session.evaluating.append(question)
        return []
    return wait_for_person(state, question, question.at)


def wait_for_person(state: State, question: Permission, at: float) -> list[Change]:
    """Add a question to those that wait for the user."""
    session = state.session(question.session_id)
    session.permissions.append(question)
    question.waiting_call = tool_calls.mark_call_waiting(session, question.call, at)
    turns.update_waiting(state, question.session_id, at)
    return _moved(session, question)


def _remove_question(state: State, permission: Permission, at: float) -> list[Change]:
    session = state.session(permission.session_id)
    if permission in session.evaluating:
        session.evaluating.remove(permission)
        return []
    session.permissions.remove(permission)
    tool_calls.resume_call(session, permission.waiting_call, at)
    turns.update_waiting(state, permission.session_id, at)
    return _moved(session, permission)


def _moved(session: Session, permission: Permission) -> list[Change]:
    """Return the changes of the screen, and of the tool call that waits for this answer."""
    held = tool_calls.waiting_call_changed(session, permission.waiting_call)
    return [ScreenChanged(), *held]


def _add_answer_notice(
    session: Session, permission: Permission, at: float, words: str
) -> list[Change]:
    """Add a notice about an answer that no tool call shows."""
    if words == CANCELLED:
        words = "canceled"
    elif permission.by:
        words = f"answered by {permission.by}: {words}"
    rule = ruling_words(permission.ruled or "Asked", permission.rule) if permission.rule else ""
    said = (permission.ruled and rule) or words
    described = rule if permission.rule and not permission.ruled else None
    notice = NoticeEntry(at, "info", f"{permission.title}: {said}", described, ours=True, ended=at)
    return transcript.add_entry(session, notice)


def _decided(
    entry: ToolCallEntry, permission: Permission, words: str, chosen: list[PermissionOption]
) -> None:
    """Record an answer in its tool call."""
    if permission.ruled:
        entry.consent.rulings.append(ruling_words(permission.ruled, permission.rule))
    else:
        if permission.rule:
            entry.consent.rulings.append(ruling_words("Asked", permission.rule))
        if permission.by:
            entry.consent.answered_by[len(entry.consent.decisions)] = permission.by
        if permission.in_view and any(not one.rejects for one in chosen):
            entry.consent.allowed[len(entry.consent.decisions)] = permission.in_view
        entry.consent.decisions.append(words)


def apply_answer(state: State, event: AnswerGiven) -> list[Change]:
    """Record who answers a question, where, and what was in view; the answer itself follows."""
    permission = state.permission(event.request)
    if permission is not None:
        permission.screen, permission.by = event.screen, event.by
        permission.in_view = event.in_view
    for at, question in enumerate(state.elicitations):
        if question.number == event.request:
            state.elicitations[at] = replace(question, screen=event.screen)
    return []


_WORDS = {"allow": ("info", "Allowed"), "reject": ("warning", "Rejected")}


def apply_rules(state: State, event: RulesChanged | Ruled) -> list[Change]:
    """Apply a change of the rules, or a decision by them."""
    if isinstance(event, RulesChanged):
        state.rules = list(event.rules)
        return [ScreenChanged()]
    return _ruled(state, event)


def _ruled(state: State, event: Ruled) -> list[Change]:
    """Apply the rules' decision: the user is asked if there is none, else the client answers.

    A decision that no tool call shows gets a notice.
    """
    changes: list[Change] = []
    severity, verb = _WORDS.get(event.answer, ("", ""))
    if event.about and verb:
        title = f"{verb} by a rule: {event.about}"
        notice = NoticeEntry(event.at, severity, title, event.by, ours=True, ended=event.at)
        changes += add_entry(state.session(event.session_id), notice)
    permission = state.permission(event.request)
    if permission is None:
        return changes
    permission.rule = event.by if event.answer != "none" else ""
    permission.ruled = verb
    session = state.session(permission.session_id)
    if not permission.ruled and permission in session.evaluating:
        session.evaluating.remove(permission)
        changes += wait_for_person(state, permission, event.at)
    return changes
