"""Answers the agent's questions during a turn without a UI: permissions, elicitations and sign-ins."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from acp_tui.headless.elicitation_question import ask_elicitation
from acp_tui.headless.keyboard import read_answer
from acp_tui.headless.outcome import Watch
from acp_tui.headless.permission import (
    NOBODY,
    Policy,
    allowing_option,
    describe_kind,
    only_reads,
    rejecting_option,
)
from acp_tui.headless.printer import PrintLine
from acp_tui.headless.report import Report
from acp_tui.headless.terminal_question import TerminalQuestion
from acp_tui.host.agent import RunProgram
from acp_tui.host.session_names import for_subagent
from acp_tui.policy.rules import ruling_words
from acp_tui.protocol.requests import PermissionOption
from acp_tui.state.authentication import Program, sign_in_program
from acp_tui.state.commands import (
    AnswerElicitation,
    AnswerPermission,
    Authenticate,
    Command,
    Do,
    TerminalSignedIn,
)
from acp_tui.state.open_questions import PendingElicitation, Permission
from acp_tui.state.peer import Peer
from acp_tui.state.state import State
from acp_tui.state.subject import format_subject, is_compared
from acp_tui.state.subject_parts import Parts, summary_line
from acp_tui.text import one_line

COMPARE_TIMEOUT = 1.0
"""Most seconds to wait until edits are compared with the files, before a question and after the
turn.
"""
OVER = "acp-tui: this question is over, without an answer of yours"
T = TypeVar("T")


class Questions:
    """Answers the agent's questions by a policy, or by asking a `person` at the terminal."""

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
        """Called with the text that the user rejects with; None if no later prompt can include it."""
        self.unasked_reason: str | None = None
        """The reason why a permission was rejected without asking anybody, or None."""

    def first_for_person(self) -> Permission | PendingElicitation | None:
        """Return the first pending question that only the user at the terminal can answer, or None."""
        if not self._person:
            return None
        permissions = (
            one
            for one in self._state.waiting_permissions()
            if one.rule or self._policy is Policy.ASK
        )
        return next(permissions, None) or next(iter(self._state.elicitations), None)

    async def answer_permissions(self) -> None:
        """Answer all pending permission requests."""
        for permission in self._state.waiting_permissions():
            if not self._watch.interrupted:
                await self._answer_permission(permission)

    async def answer_elicitations(self) -> bool:
        """Answer all pending elicitations; return False if there were none."""
        waiting = list(self._state.elicitations)
        for question in waiting:
            if self._state.elicitation(question.number) and not self._watch.interrupted:
                await self._answer_elicitation(question)
        return bool(waiting)

    async def sign_in(self, method_id: str | None, run: RunProgram | None) -> Command | str:
        """Return the command that signs in with a method, or the reason why that is impossible."""
        with self._report.asking() as print_line:  # the method's program may need the terminal

            async def agrees(program: Program) -> bool:
                agreed = await self._ask_while_open(
                    ask_to_run_program(program, print_line),
                    lambda: self._state.peer.process.exit is None,
                )
                if agreed is None and not self._watch.interrupted:
                    print_line(OVER)
                return bool(agreed)

            return await sign_in_command(self._state.peer, method_id, run, agrees)

    async def _answer_elicitation(self, question: PendingElicitation) -> None:
        if not self._person:
            asker = f"the agent asks{for_subagent(self._state, question.session_id)}"
            self._report.notify(f"{asker}, and nobody answers: {question.message}")
            self._do(AnswerElicitation(question.number, "cancel"))
            return
        with self._report.asking() as print_line:
            if asker := for_subagent(self._state, question.session_id):
                print_line(f"The agent asks{asker}.")
            answer = await self._ask_while_open(
                ask_elicitation(question, print_line),
                lambda: self._state.elicitation(question.number),
            )
            if answer is not None:
                self._do(answer)
            elif not self._watch.interrupted:
                print_line(OVER)

    async def _answer_permission(self, permission: Permission) -> None:
        # If a rule wants to ask, only the user may answer: `--permissions` doesn't count.
        policy = Policy.ASK if permission.rule else self._policy
        reads = policy is Policy.ALLOW_READS and only_reads(self._state, permission)
        by, notify = f"--permissions {policy}", self._report.notify
        if not self._person or policy is not Policy.ASK:
            # Once it is answered, the file may change, and a wrong diff would go unnoticed.
            await self._wait_for_comparison(permission)
        if policy is Policy.ALLOW or reads:
            self._choose_option(permission, allowing_option(permission.options), notify, by)
        elif policy is Policy.REJECT:
            self._choose_option(permission, rejecting_option(permission.options), notify, by)
        elif not self._person:
            way = "" if permission.rule else ": see --permissions"
            self.unasked_reason = f"a permission was rejected, because nobody could be asked{way}"
            self._choose_option(permission, rejecting_option(permission.options), notify, NOBODY)
        else:
            await self._ask_person(permission)

    async def _ask_person(self, permission: Permission) -> None:
        await self._wait_for_comparison(permission)
        with self._report.asking() as print_line:
            question = TerminalQuestion(
                self._state, permission, self._watch, print_line, self.rejecting
            )
            answer = await self._ask_while_open(
                question.ask(), lambda: self._state.permission(permission.number)
            )
            if self._watch.interrupted:
                return  # canceling the turn cancels its questions
            if answer is None or self._state.permission(permission.number) is None:
                print_line(OVER)
            else:
                self._choose_option(permission, answer.option, print_line, in_view=answer.in_view)

    def _choose_option(
        self,
        permission: Permission,
        choice: PermissionOption | None,
        print_line: PrintLine,
        answered_by: str = "",
        in_view: Parts = (),
    ) -> None:
        """Answer, and report the answer by the option's kind, as its name may say anything.

        The answer is for what was in view, whatever the agent changes later.
        """
        words = (
            "canceled" if choice is None else f"{describe_kind(choice)} ({one_line(choice.name)})"
        )
        by = f" ({ruling_words('asked', permission.rule)})" if permission.rule else ""
        about = summary_line(in_view) or format_subject(self._state, permission)
        asker = for_subagent(self._state, permission.session_id)
        print_line(f"permission{asker}: {about}: {words}{by}")
        option_id = choice.option_id if choice else None
        self._do(AnswerPermission(permission.number, option_id, by=answered_by, in_view=in_view))

    async def _wait_for_comparison(self, permission: Permission) -> None:
        """Wait until the edits are compared with the files, as the question shows what was found."""
        with anyio.move_on_after(COMPARE_TIMEOUT):
            while not (self._watch.interrupted or is_compared(self._state, permission)):
                await self._watch.wait()

    async def _ask_while_open(self, asking: Awaitable[T], waits: Callable[[], object]) -> T | None:
        """Ask the user; return None if the question ends before it is answered."""
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


async def sign_in_command(
    peer: Peer,
    method_id: str | None,
    run: RunProgram | None,
    agrees: Callable[[Program], Awaitable[bool]],
) -> Command | str:
    """Return the command that signs in with a method, or the reason why that is impossible.

    A program that the agent names is only run if the user `agrees`.
    """
    assert peer.sign_in is not None
    offered = {method.id: method for method in peer.sign_in.methods}
    method = offered.get(method_id or "")
    names = ", ".join(offered)
    if not offered:
        return "it offers no way to do that from here: sign in with a program of its own first"
    if method is None:
        unknown = "" if method_id is None else f"{method_id} is not offered: "
        return f"{unknown}choose one with --auth METHOD: {names}"
    program = sign_in_program(peer, method)
    if program is None:
        return Authenticate(method.id)
    if run is None:
        return f"the method {method.id} runs in a terminal, and there is none; offered: {names}"
    if program.named_by_agent and not await agrees(program):
        return "you didn't agree to its program"
    return TerminalSignedIn(method.id, await run(program))


async def ask_to_run_program(program: Program, print_line: PrintLine) -> bool:
    """Show a program that the agent names, and ask whether to run it."""
    print_line("To sign in, the agent wants to run:")
    print_line(f"  $ {' '.join(program.argv)}")
    return (await read_answer("Run it? [y/N] ", print_line) or "").lower() in ("y", "yes")
