"""What the agent asks during a turn without a UI, and how it is answered."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from acp_tui.headless import elicitation
from acp_tui.headless.permission import Policy, allowed, ask, only_reads, rejected
from acp_tui.headless.report import Report
from acp_tui.headless.watch import Watch
from acp_tui.session.commands import AnswerElicitation, AnswerPermission, Do
from acp_tui.session.edit_looks import is_looked_at
from acp_tui.session.state import Elicitation, Permission, State
from acp_tui.session.subject import subject

T = TypeVar("T")

LOOKING = 1.0
"""Seconds that a look at files may take, before a question is asked or after the turn."""


class Questions:
    """Answers questions by a policy, or by a `person` at the terminal."""

    def __init__(
        self, state: State, do: Do, report: Report, watch: Watch, policy: Policy, *, person: bool
    ) -> None:
        self._state = state
        self._do = do
        self._report = report
        self._watch = watch
        self._policy = policy
        self._person = person
        self.rejecting: Callable[[str], None] | None = None
        """Takes the words with which a person rejects, if there is a next prompt for them."""
        self.unasked: str | None = None
        """What was rejected because nobody could be asked, in words."""

    async def answer_permissions(self) -> None:
        """Answer all permission requests that wait."""
        for permission in self._state.waiting_permissions():
            if not self._watch.interrupted:
                await self._answer(permission)

    async def answer_elicitations(self) -> bool:
        """Answer all forms and links that wait; return False if there were none."""
        waiting = list(self._state.elicitations)
        for question in waiting:
            if self._state.elicitation(question.number) and not self._watch.interrupted:
                await self._answer_elicitation(question)
        return bool(waiting)

    async def _answer_elicitation(self, question: Elicitation) -> None:
        answer: AnswerElicitation | None = AnswerElicitation(question.number, "cancel")
        if self._person:
            answer = await self._unless_gone(
                elicitation.ask(self._state.peer.name, question, self._report.notify),
                lambda: self._state.elicitation(question.number),
            )
        else:
            self._report.notify(f"the agent asks, and nobody answers: {question.message}")
        if answer is not None:
            self._do(answer)

    async def _answer(self, permission: Permission) -> None:
        # What a rule wants to be asked about needs a person: the option doesn't stand in for one.
        policy = Policy.ASK if permission.rule else self._policy
        reads = policy is Policy.ALLOW_READS and only_reads(self._state, permission)
        if policy is Policy.ALLOW or reads:
            await self._looked_at(permission)  # what is not known before can't be missed after
            choice = allowed(permission.options)
        elif policy is Policy.REJECT:
            choice = rejected(permission.options)
        elif not self._person:
            choice = rejected(permission.options)
            self.unasked = "a permission was rejected, because there was nobody to ask"
        else:
            await self._looked_at(permission)
            choice = await self._unless_gone(
                ask(self._state, permission, self._report.notify, self.rejecting),
                lambda: self._state.permission(permission.number),
            )
            if self._watch.interrupted:
                return  # the turn is cancelled, and all that waits with it
        words = choice.name if choice is not None else "cancelled"
        by = f" (asked, by {permission.rule})" if permission.rule else ""
        self._report.notify(f"permission: {subject(self._state, permission)}: {words}{by}")
        self._do(AnswerPermission(permission.number, choice.option_id if choice else None))

    async def _looked_at(self, permission: Permission) -> None:
        """Let the files be compared: what is found belongs into the question."""
        with anyio.move_on_after(LOOKING):
            while not (self._watch.interrupted or is_looked_at(self._state, permission)):
                await self._watch.wait()

    async def _unless_gone(self, asking: Awaitable[T], waits: Callable[[], object]) -> T | None:
        """Ask a person; None if the question goes away before there is an answer."""
        answer = None
        async with anyio.create_task_group() as tasks:

            async def until_gone() -> None:
                while waits() and not self._watch.interrupted:
                    await self._watch.wait()
                tasks.cancel_scope.cancel()

            tasks.start_soon(until_gone)
            answer = await asking
            tasks.cancel_scope.cancel()
        return answer
