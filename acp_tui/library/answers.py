"""Answers what the agent asks, with the functions that the caller gave."""

from collections.abc import Callable

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.client import Client
from acp_tui.library.questions import Elicitation as Question
from acp_tui.library.questions import (
    ElicitationCallback,
    PermissionCallback,
    elicitation_answer,
    permission_request,
    result_of,
)
from acp_tui.protocol.events import Event
from acp_tui.state.changes import Change
from acp_tui.state.commands import AnswerElicitation, AnswerPermission
from acp_tui.state.state import PendingElicitation, Permission
from acp_tui.state.subject import is_compared

LOOK_TIMEOUT = 1.0
"""Seconds that looking at files may take before a permission is answered."""


class Answers:
    """Runs the functions in `tasks`. What one of them raises is `failed`; its question is canceled."""

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
        self._asked: set[int] = set()
        self._moved = anyio.Event()

    def follow(self, event: Event, _: list[Change]) -> None:
        """Have answered what the agent asks, each question once."""
        for permission in self._client.state.waiting_permissions():
            if permission.number not in self._asked:
                self._asked.add(permission.number)
                self._tasks.start_soon(self._answer_permission, permission, event.at)
        for question in self._client.state.elicitations:
            if question.number not in self._asked:
                self._asked.add(question.number)
                self._tasks.start_soon(self._answer_elicitation, question)
        moved, self._moved = self._moved, anyio.Event()
        moved.set()

    async def _answer_permission(self, permission: Permission, now: float) -> None:
        chosen = None
        await self._looked_at(permission)
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

    async def _looked_at(self, permission: Permission) -> None:
        """Look at the files first: only that shows an edit that is never written."""
        with anyio.move_on_after(LOOK_TIMEOUT):
            while self._client.state.permission(permission.number) is not None:
                if is_compared(self._client.state, permission):
                    return
                await self._moved.wait()

    async def _answer_elicitation(self, question: PendingElicitation) -> None:
        command = AnswerElicitation(question.number, "cancel")
        try:
            if self._ask is not None:
                asked = Question(question.message, question.session_id, question.form, question.url)
                command = elicitation_answer(question, await result_of(self._ask(asked)))
        except Exception as error:
            self._failed(error)
        self._client.do(command)
