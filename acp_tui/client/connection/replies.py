"""Answers permission requests and elicitations, asks for consent, cancels turns and requests."""

from typing import TYPE_CHECKING

import anyio

from acp_tui.client.core import Core
from acp_tui.client.permissions.rule_book import RuleBook
from acp_tui.protocol.events import AnswerGiven
from acp_tui.protocol.file_events import AccessAnswered, AccessAsked
from acp_tui.protocol.jsonrpc import Notification
from acp_tui.protocol.requests import CancelRequestParams, RequestPermissionResult
from acp_tui.protocol.setup import PromptParams, SessionParams
from acp_tui.state.commands import (
    AnswerElicitation,
    AnswerPermission,
    Cancel,
    CancelRequest,
    CancelTerminal,
    CancelToolCall,
)
from acp_tui.state.elicitations import answer_elicitation, find_problems
from acp_tui.state.open_questions import PendingElicitation, Permission
from acp_tui.state.reducers.permissions import ALLOW_FOLDER, ALLOW_ONCE, CANCELLED
from acp_tui.state.subagents import descendants_of, is_canceled

if TYPE_CHECKING:
    from acp_tui.state.subject_parts import Parts

READING = 1.0
"""Seconds that an answer waits at most for the places that its question names to be read."""


class Consent:
    """Asks the user whether a file operation or a command is allowed, and waits for the answer."""

    def __init__(self, core: Core, rules: RuleBook) -> None:
        self._core = core
        self._rules = rules
        self._pending: dict[int, anyio.Event] = {}
        self._answers: dict[int, str] = {}

    def answer(self, permission: Permission, option_id: str | None) -> None:
        """Answer a question with the option that the user or a rule chose, or None for canceled."""
        access = permission.access
        assert access is not None
        words = option_id or CANCELLED
        self._answers[permission.number] = words
        self._core.emit(AccessAnswered(self._core.clock(), permission.number, words))
        self._pending[permission.number].set()
        if words == ALLOW_FOLDER:
            self._rules.allow_folder(permission.session_id, access.operation, access.folder)

    async def ask(self, question: AccessAsked) -> bool:
        """Ask the user; return whether access is allowed."""
        number = question.request
        self._pending[number] = anyio.Event()
        self._core.emit(question)
        permission = self._core.state.permission(number)
        if permission is not None and is_canceled(self._core.state, question.session_id):
            self.answer(permission, None)
        try:
            await self._pending[number].wait()
        finally:
            waits = self._core.state.permission(number)
            if waits is not None:
                self.answer(waits, None)
            del self._pending[number]
            answer = self._answers.pop(number, CANCELLED)
        return answer in (ALLOW_ONCE, ALLOW_FOLDER)


class Replies:
    """Answers the agent's questions; cancels turns and requests."""

    def __init__(self, core: Core, consent: Consent) -> None:
        self._core = core
        self._consent = consent
        core.register(
            {
                Cancel: lambda command: self.cancel(command.session_id),
                CancelRequest: lambda command: self.cancel_request(command.number),
                AnswerPermission: self.permission,
                AnswerElicitation: self.elicitation,
            }
        )

    def cancel(self, session_id: str) -> None:
        """Cancel a session's turn and the questions asked in it."""
        state = self._core.state
        session = state.sessions.get(session_id)
        subagent = session.subagent if session is not None else None
        works = subagent.can_cancel if subagent is not None else session and session.is_working
        if session is None or not works:
            return
        params = SessionParams(session_id=session_id).wire()
        self._core.requests.send(Notification("session/cancel", params))
        self.cancel_questions(session_id)

    def cancel_questions(self, session_id: str) -> None:
        """Answer all open questions of a session and its subagents as canceled."""
        state = self._core.state
        ids = [session_id, *(one.session_id for one in descendants_of(state, session_id))]
        canceled = [state.sessions[one] for one in ids if one in state.sessions]
        for permission in [one for each in canceled for one in each.permissions]:
            self.permission(AnswerPermission(permission.number, None))
        for question in list(state.elicitations):
            if question.session_id in ids:
                self.elicitation(AnswerElicitation(question.number, "cancel"))

    def cancel_request(self, number: int) -> None:
        """Cancel a request that the client sent; for a prompt, cancel its turn."""
        call = self._core.state.calls.get(number)
        if call is None:
            return
        if isinstance(call.params, PromptParams):
            self.cancel(call.params.session_id)
            return
        params = CancelRequestParams(request_id=call.id).wire()
        self._core.requests.send(Notification("$/cancel_request", params))
        for question in list(self._core.state.elicitations):
            if question.session_id is None and question.request_id == call.id:
                self.elicitation(AnswerElicitation(question.number, "cancel"))

    def cancel_late(self, question: Permission | PendingElicitation, limit: float) -> None:
        """Cancel a question that nobody answered within `limit` seconds, and notify the user."""
        words = f"Nobody answered within {limit:g} s, the limit in the settings."
        title = "The question was answered as canceled"
        self._core.notify(question.session_id, "warning", title, words)
        if isinstance(question, Permission):
            self.permission(AnswerPermission(question.number, None))
        else:
            self.elicitation(AnswerElicitation(question.number, "cancel"))

    def permission(self, command: AnswerPermission) -> None:
        """Answer a permission request; without an option, answer it as canceled.

        A program may answer before the places that the question names are read: then the answer waits.
        """
        read = self._core.reading.get(command.number)
        if read is None or command.option_id is None or not command.by:
            self._answer_permission(command)
        else:
            self._core.spawn(self._answer_when_read, command, read)

    async def _answer_when_read(self, command: AnswerPermission, read: anyio.Event) -> None:
        with anyio.move_on_after(READING):
            await read.wait()
        self._answer_permission(command)

    def _answer_permission(self, command: AnswerPermission) -> None:
        state = self._core.state
        permission = state.permission(command.number)
        if permission is None:
            return
        if command.option_id is None:
            self._record_answerer(command.number, command.screen, command.by)
        else:
            in_view = self._allowed(permission, command)
            if in_view is None:
                return
            given = AnswerGiven(
                self._core.clock(), command.number, command.screen, command.by, in_view
            )
            self._core.emit(given)
        if permission.access is not None:
            self._consent.answer(permission, command.option_id)
            return
        result = (
            RequestPermissionResult.cancelled()
            if command.option_id is None or self._has_ambiguous_id(permission, command.option_id)
            else RequestPermissionResult.selected(command.option_id)
        )
        request = self._core.requests.numbered(command.number)
        if request is not None:
            self._core.requests.answer(request, result)

    def elicitation(self, command: AnswerElicitation) -> None:
        """Answer an elicitation (a form or a link), unless the form's content is invalid."""
        question = self._core.state.elicitation(command.number)
        if question is None:
            return
        content = dict(command.content) if command.content is not None else None
        if command.action == "accept" and question.form is not None:
            wrong = find_problems(question.form, content or {})
            if wrong:
                words = "\n".join(f"{name} {why}" for name, why in wrong.items())
                self._core.notify(question.session_id, "error", "Not sent", words)
                return
        self._record_answerer(command.number, command.screen)
        request = self._core.requests.numbered(command.number)
        if request is not None:
            self._core.requests.answer(
                request, answer_elicitation(request, command.action, content)
            )

    def _record_answerer(self, number: int, screen: str, by: str = "") -> None:
        """Record which screen answered, or what answered instead of a person."""
        if screen or by:
            self._core.emit(AnswerGiven(self._core.clock(), number, screen, by))

    def _allowed(self, permission: Permission, command: AnswerPermission) -> "Parts | None":
        """Return the parts of the question that the answer covers. If an allowing answer would
        cover parts that changed since the user saw them, notify the user and return None.
        """
        from acp_tui.state.subject_parts import describe_differences, question_parts

        now, seen = question_parts(self._core.state, permission), command.in_view
        alike = permission.alike(command.option_id)
        if seen and seen != now and any(not one.rejects for one in alike):
            words = f"The agent has changed it: {describe_differences(seen, now)}"
            self._core.notify(permission.session_id, "warning", "Not allowed; answer again", words)
            return None
        return seen or now

    def _has_ambiguous_id(self, permission: Permission, option_id: str) -> bool:
        """Return whether an id belongs to an allowing and a rejecting option; if so, notify the
        user.
        """
        alike = permission.alike(option_id)
        if len({option.rejects for option in alike}) < 2:
            return False
        names = " and ".join(f"“{option.name}”" for option in alike)
        words = f"{names} have the same id, so they can't be told apart."
        self._core.notify(permission.session_id, "error", "Answered as canceled", words)
        return True


class Cancellations:
    """Asks the agent to cancel a tool call or a terminal (version 2), if it can be canceled now."""

    def __init__(self, core: Core) -> None:
        self._core = core
        core.register({CancelToolCall: self._tool_call, CancelTerminal: self._terminal})

    def _tool_call(self, command: CancelToolCall) -> None:
        session = self._core.state.sessions.get(command.session_id)
        call = session.tool_call(command.tool_call_id) if session is not None else None
        if call is None or not call.can_cancel or call.stop_requested:
            return
        from acp_tui.protocol.v2.requests import CancelToolCallParams  # only where it is spoken

        params = CancelToolCallParams(
            session_id=command.session_id, tool_call_id=command.tool_call_id
        )
        self._core.request("tool_call/cancel", params)

    def _terminal(self, command: CancelTerminal) -> None:
        terminal = self._core.state.terminals.get(command.terminal_id)
        if terminal is None or not terminal.can_cancel or terminal.stop_requested:
            return
        from acp_tui.protocol.v2.requests import CancelTerminalParams  # only where it is spoken

        params = CancelTerminalParams(session_id=terminal.session_id, terminal_id=terminal.named)
        self._core.request("terminal/cancel", params)
