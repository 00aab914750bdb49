"""Answers the agent's permission requests and elicitations by a word, or by the caller's callbacks."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from inspect import isawaitable
from typing import Literal, TypeVar

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.client import Client
from acp_tui.client.core import Wakeup
from acp_tui.headless.permission import Policy, allowing_option, only_reads, rejecting_option
from acp_tui.library.turn import ToolCall, tool_call
from acp_tui.protocol.elicitation import Form, Value
from acp_tui.protocol.events import Event
from acp_tui.protocol.requests import PermissionOption
from acp_tui.state.changes import Change
from acp_tui.state.commands import AnswerElicitation, AnswerPermission
from acp_tui.state.elicitations import find_problems
from acp_tui.state.open_questions import PendingElicitation, Permission
from acp_tui.state.state import State
from acp_tui.state.subject import format_subject, is_compared

COMPARE_TIMEOUT = 1.0
"""Most seconds to wait until an edit is compared with the files, before its permission is answered."""
T = TypeVar("T")


@dataclass(frozen=True)
class PermissionRequest:
    """A permission request for a `tool_call`, or for a file access through the client.

    The client itself asks before the agent reads or writes a file outside the session's folder:
    then `operation` is "read" or "write", and `path` is the file. `subject` describes either in one
    line. `only_reads` is true if nothing would be changed.
    """

    session_id: str
    subject: str
    options: tuple[PermissionOption, ...]
    tool_call: ToolCall | None = None
    operation: str | None = None
    path: str | None = None
    only_reads: bool = False

    @property
    def allow(self) -> PermissionOption | None:
        """The option that allows, once if possible; None if there is none."""
        return allowing_option(self.options)

    @property
    def reject(self) -> PermissionOption | None:
        """The option that rejects, once if possible; None if there is none. Answering None cancels."""
        return rejecting_option(self.options)


@dataclass(frozen=True)
class Elicitation:
    """A question of the agent's: a `form` to fill in, or a `url` to open."""

    message: str
    session_id: str | None = None
    form: Form | None = None
    url: str | None = None


PermissionCallback = Callable[
    [PermissionRequest], PermissionOption | Awaitable[PermissionOption | None] | None
]
"""Returns one of the request's options; None cancels."""
Permissions = Literal["allow", "allow-reads", "reject"] | PermissionCallback
Content = Mapping[str, Value]
Declined = Literal["decline", "cancel"]
ElicitationCallback = Callable[[Elicitation], Content | Declined | Awaitable[Content | Declined]]
"""Returns the values of the form (an empty mapping accepts a link), "decline" or "cancel"."""


def permission_callback(permissions: Permissions) -> PermissionCallback:
    """Return the callback that answers permission requests. Raises ValueError for an unknown word."""
    if callable(permissions):
        return permissions
    words = (Policy.ALLOW, Policy.ALLOW_READS, Policy.REJECT)
    if permissions not in words:
        known = ", ".join(repr(str(word)) for word in words)
        raise ValueError(f"permissions is a function or one of {known}, not {permissions!r}")
    policy = Policy(permissions)

    def answer(request: PermissionRequest) -> PermissionOption | None:
        reads = policy is Policy.ALLOW_READS and request.only_reads
        return request.allow if policy is Policy.ALLOW or reads else request.reject

    return answer


async def result_of(answer: T | Awaitable[T]) -> T:
    """Return the result of a callback, which may be async."""
    return await answer if isawaitable(answer) else answer


def permission_request(state: State, permission: Permission, now: float) -> PermissionRequest:
    """Convert a pending permission for the callback."""
    access = permission.access
    entry = state.session(permission.session_id).call_of(permission.call)
    return PermissionRequest(
        permission.session_id,
        format_subject(state, permission),
        tuple(permission.options),
        tool_call(state, entry, now) if entry is not None else None,
        str(access.operation) if access is not None else None,
        access.path if access is not None else None,
        only_reads(state, permission),
    )


def elicitation_answer(
    question: PendingElicitation, answer: Content | Declined
) -> AnswerElicitation:
    """Return the command that answers an elicitation. Raises ValueError for values that don't fit
    the form.
    """
    if isinstance(answer, str):
        if answer not in ("decline", "cancel"):
            raise ValueError(
                f'an elicitation is answered with values, "decline" or "cancel": {answer!r}'
            )
        return AnswerElicitation(question.number, answer)
    if question.form is None:
        return AnswerElicitation(question.number, "accept")
    wrong = find_problems(question.form, dict(answer))
    if wrong:
        words = "; ".join(f"{name} {why}" for name, why in wrong.items())
        raise ValueError(f"the answer doesn't fit the form: {words}")
    return AnswerElicitation(question.number, "accept", answer)


class Answers:
    """Answers the agent's questions by running the caller's callbacks in `tasks`.

    A callback's exception is passed to `failed`, and its question is canceled, so that each
    question is answered.
    """

    def __init__(
        self,
        client: Client,
        tasks: TaskGroup,
        ask_permission: PermissionCallback,
        ask: ElicitationCallback | None,
        failed: Callable[[Exception], None],
    ) -> None:
        self._client = client
        self._tasks = tasks
        self._ask_permission = ask_permission
        self._ask = ask
        self._failed = failed
        self._started: set[int] = set()
        self._changed = Wakeup()

    def follow(self, event: Event, _: list[Change]) -> None:
        """Start a task for each new question of the agent's."""
        for permission in self._client.state.waiting_permissions():
            if permission.number not in self._started:
                self._started.add(permission.number)
                self._tasks.start_soon(self._answer_permission, permission, event.at)
        for question in self._client.state.elicitations:
            if question.number not in self._started:
                self._started.add(question.number)
                self._tasks.start_soon(self._answer_elicitation, question)
        self._changed.wake()

    async def _answer_permission(self, permission: Permission, now: float) -> None:
        chosen = None
        await self._wait_for_comparison(permission)
        try:
            request = permission_request(self._client.state, permission, now)
            chosen = await result_of(self._ask_permission(request))
            if chosen is not None and chosen not in request.options:
                raise ValueError(f"a permission is answered with one of its options: {chosen!r}")
        except Exception as error:
            chosen = None
            self._failed(error)
        option_id = chosen.option_id if chosen is not None else None
        self._client.do(AnswerPermission(permission.number, option_id, by="a program"))

    async def _wait_for_comparison(self, permission: Permission) -> None:
        """Wait until the files are compared: before that, `only_reads` would miss an edit that
        isn't written yet.
        """
        with anyio.move_on_after(COMPARE_TIMEOUT):
            while self._client.state.permission(permission.number) is not None:
                if is_compared(self._client.state, permission):
                    return
                await self._changed.wait()

    async def _answer_elicitation(self, question: PendingElicitation) -> None:
        command = AnswerElicitation(question.number, "cancel")
        try:
            if self._ask is not None:
                request = Elicitation(
                    question.message, question.session_id, question.form, question.url
                )
                command = elicitation_answer(question, await result_of(self._ask(request)))
        except Exception as error:
            self._failed(error)
        self._client.do(command)
