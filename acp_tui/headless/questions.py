"""Answers the agent's questions during a turn without a UI: permissions, forms, links and sign-ins."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from acp_tui.headless.keyboard import read_answer
from acp_tui.headless.outcome import Watch
from acp_tui.headless.permission import (
    NOBODY,
    Policy,
    allowing_option,
    kind_words,
    only_reads,
    rejecting_option,
)
from acp_tui.headless.preview import mark_line
from acp_tui.headless.printer import Say
from acp_tui.headless.report import Report
from acp_tui.headless.terminal_question import TerminalQuestion
from acp_tui.host.agent import RunProgram
from acp_tui.host.session_names import for_subagent
from acp_tui.policy.rules import ruling_words
from acp_tui.protocol.elicitation import (
    BooleanProperty,
    EnumOption,
    Form,
    FormProperty,
    MultiSelectProperty,
    StringProperty,
    UnknownProperty,
    Value,
)
from acp_tui.protocol.requests import PermissionOption
from acp_tui.state import elicitations, links
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

YES_NO = [EnumOption(const="yes", title="Yes"), EnumOption(const="no", title="No")]
LOOK_TIMEOUT = 1.0
"""Seconds to wait for edits to be compared with the files, before a question and after the turn."""
OVER = "acp-tui: this question is over, without an answer of yours"
T = TypeVar("T")


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
        """Callback for the text that a person rejects with; None if no later prompt could carry it."""
        self.unasked: str | None = None
        """The reason why a permission was rejected without asking anybody, in words."""

    def first_for_person(self) -> Permission | PendingElicitation | None:
        """Return the first waiting question that only the person at the terminal can answer."""
        if not self._person:
            return None
        permissions = (
            one
            for one in self._state.waiting_permissions()
            if one.rule or self._policy is Policy.ASK
        )
        return next(permissions, None) or next(iter(self._state.elicitations), None)

    async def answer_permissions(self) -> None:
        """Answer all waiting permission requests."""
        for permission in self._state.waiting_permissions():
            if not self._watch.interrupted:
                await self._answer_permission(permission)

    async def answer_elicitations(self) -> bool:
        """Answer all waiting forms and links; return False if there were none."""
        waiting = list(self._state.elicitations)
        for question in waiting:
            if self._state.elicitation(question.number) and not self._watch.interrupted:
                await self._answer_elicitation(question)
        return bool(waiting)

    async def sign_in(self, method_id: str | None, run: RunProgram | None) -> Command | str:
        """Return the command that signs in by a method, or why that is impossible."""
        with self._report.asking() as say:  # the method's program may need the terminal

            async def agrees(wanted: Program) -> bool:
                agreed = await self._unless_gone(
                    ask_to_run_program(wanted, say), lambda: self._state.peer.process.exit is None
                )
                if agreed is None and not self._watch.interrupted:
                    say(OVER)
                return bool(agreed)

            return await sign_in_command(self._state.peer, method_id, run, agrees)

    async def _answer_elicitation(self, question: PendingElicitation) -> None:
        if not self._person:
            asker = f"the agent asks{for_subagent(self._state, question.session_id)}"
            self._report.notify(f"{asker}, and nobody answers: {question.message}")
            self._do(AnswerElicitation(question.number, "cancel"))
            return
        with self._report.asking() as say:
            if asker := for_subagent(self._state, question.session_id):
                say(f"The agent asks{asker}.")
            answer = await self._unless_gone(
                ask_elicitation(question, say),
                lambda: self._state.elicitation(question.number),
            )
            if answer is not None:
                self._do(answer)
            elif not self._watch.interrupted:
                say(OVER)

    async def _answer_permission(self, permission: Permission) -> None:
        # What a rule wants to be asked about needs a person: the option doesn't stand in for one.
        policy = Policy.ASK if permission.rule else self._policy
        reads = policy is Policy.ALLOW_READS and only_reads(self._state, permission)
        by, notify = f"--permissions {policy}", self._report.notify
        if not self._person or policy is not Policy.ASK:
            # After the answer the file may change, and a wrong diff would go unnoticed.
            await self._wait_for_comparison(permission)
        if policy is Policy.ALLOW or reads:
            self._choose_option(permission, allowing_option(permission.options), notify, by)
        elif policy is Policy.REJECT:
            self._choose_option(permission, rejecting_option(permission.options), notify, by)
        elif not self._person:
            way = "" if permission.rule else ": see --permissions"
            self.unasked = f"a permission was rejected, because nobody could be asked{way}"
            self._choose_option(permission, rejecting_option(permission.options), notify, NOBODY)
        else:
            await self._ask_person(permission)

    async def _ask_person(self, permission: Permission) -> None:
        await self._wait_for_comparison(permission)
        with self._report.asking() as say:
            question = TerminalQuestion(self._state, permission, self._watch, say, self.rejecting)
            given = await self._unless_gone(
                question.ask(), lambda: self._state.permission(permission.number)
            )
            if self._watch.interrupted:
                return  # the turn is canceled, and its questions with it
            if given is None or self._state.permission(permission.number) is None:
                say(OVER)
            else:
                self._choose_option(permission, given.option, say, in_view=given.in_view)

    def _choose_option(
        self,
        permission: Permission,
        choice: PermissionOption | None,
        say: Say,
        answered_by: str = "",
        in_view: Parts = (),
    ) -> None:
        """Answer, and report it by the option's kind: its name may say anything.

        What was in view is what is answered, whatever the agent changes later.
        """
        words = "canceled" if choice is None else f"{kind_words(choice)} ({one_line(choice.name)})"
        by = f" ({ruling_words('asked', permission.rule)})" if permission.rule else ""
        about = summary_line(in_view) or format_subject(self._state, permission)
        asker = for_subagent(self._state, permission.session_id)
        say(f"permission{asker}: {about}: {words}{by}")
        option_id = choice.option_id if choice else None
        self._do(AnswerPermission(permission.number, option_id, by=answered_by, in_view=in_view))

    async def _wait_for_comparison(self, permission: Permission) -> None:
        """Wait until the edits are compared with the files: findings belong in the question."""
        with anyio.move_on_after(LOOK_TIMEOUT):
            while not (self._watch.interrupted or is_compared(self._state, permission)):
                await self._watch.wait()

    async def _unless_gone(self, asking: Awaitable[T], waits: Callable[[], object]) -> T | None:
        """Ask a person; return None if the question goes away before there is an answer."""
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


async def ask_elicitation(question: PendingElicitation, say: Say) -> AnswerElicitation:
    """Ask the person at the terminal, who may decline or cancel at any point."""
    try:
        if question.url is not None:
            return await _agree(question, question.url, say)
        return await _fill_in(question, question.form or Form(), say)
    except Stopped as stop:
        return AnswerElicitation(question.number, stop.action)


class Stopped(Exception):  # noqa: N818  not an error: a person's choice
    """The person stopped answering; `action` is "decline" or "cancel"."""

    def __init__(self, action: str) -> None:
        super().__init__(action)
        self.action = action


async def _agree(question: PendingElicitation, url: str, say: Say) -> AnswerElicitation:
    say(f"The agent asks you to open a link: {question.message}")
    say(f"  host: {links.host_of(url) or '?'}")
    say(mark_line(url))
    for words in links.link_warnings(url):
        say(f"  Mind: {words}")
    say("  It is not opened from here; yes tells the agent that you open it.")
    await _wants("Do you", say)
    return AnswerElicitation(question.number, "accept")


async def _fill_in(question: PendingElicitation, form: Form, say: Say) -> AnswerElicitation:
    say(f"The agent asks: {question.message}")
    for words in (form.title, form.description):
        if words:
            say(mark_line(words))
    await _wants("Answer", say)
    content = elicitations.default_values(form)
    while True:
        for name, field in form.properties.items():
            await _fill_in_field(form, name, field, content, say)
        for name, value in content.items():
            say(mark_line(f"{form.properties[name].title or name}: {_shown(value)}"))
        wrong = elicitations.find_problems(form, content)
        for name, why in wrong.items():
            say(mark_line(f"{form.properties[name].title or name} {why}"))
        if wrong:
            raise Stopped("cancel")
        if await _wants("Send this", say, change=True):
            return AnswerElicitation(question.number, "accept", content)


async def _wants(what: str, say: Say, *, change: bool = False) -> bool:
    """Return True for a yes, False for "change". Raises Stopped for a no, or without an answer."""
    keys = "[y]es, [c]hange, [n]o" if change else "[y]es, [n]o"
    while True:
        line = await read_answer(f"{what}? {keys}; Enter alone cancels: ", say)
        answer = (line or "").lower()
        if answer in ("y", "yes"):
            return True
        if change and answer in ("c", "change"):
            return False
        if answer in ("n", "no"):
            raise Stopped("decline")
        if not answer:
            raise Stopped("cancel")


async def _fill_in_field(
    form: Form, name: str, field: FormProperty, content: dict[str, Value], say: Say
) -> None:
    """Ask for a field until its value is valid; Enter alone leaves the field as it is."""
    if isinstance(field, UnknownProperty):
        return
    required = " (required)" if name in (form.required or []) else ""
    about = f": {field.description}" if field.description else ""
    say(mark_line(f"{field.title or name}{required}{about}"))
    choices: list[EnumOption] = []
    if isinstance(field, BooleanProperty):
        choices = YES_NO
    elif isinstance(field, StringProperty | MultiSelectProperty):
        choices = field.choices
    for number, choice in enumerate(choices, 1):
        more = f" ({choice.description})" if choice.description else ""
        say(f"  {number}) {choice.title}{more}")
    several = isinstance(field, MultiSelectProperty)
    numbers = f" [1-{len(choices)}{', several with commas' if several else ''}]" if choices else ""
    kept = f"keeps {_shown(content[name])}" if name in content else "leaves it empty"
    say(f"  Enter {kept}")
    while True:
        line = await read_answer(f"Your answer{numbers}: ", say)
        if line is None:
            raise Stopped("cancel")
        value = _value(field, choices, line) if line else content.get(name)
        values = {} if value is None else {name: value}
        wrong = elicitations.find_problems(form, values).get(name)
        if wrong is None:
            content.update(values)
            return
        say(f"  It {wrong}.")


def _value(field: FormProperty, choices: list[EnumOption], line: str) -> Value:
    """Parse a line as the value of a field; a choice can be given by its number, value or title."""
    if isinstance(field, MultiSelectProperty):
        return [_chosen(choices, word.strip()) for word in line.split(",") if word.strip()]
    if isinstance(field, BooleanProperty):
        chosen = _chosen(choices, line.lower())
        return {"yes": True, "y": True, "no": False, "n": False}.get(chosen, line)
    return _chosen(choices, line) if choices else elicitations.parse_field(field, line)


def _chosen(choices: list[EnumOption], word: str) -> str:
    if word.isdecimal() and 1 <= int(word) <= len(choices):
        return choices[int(word) - 1].const
    return next((one.const for one in choices if word in (one.const, one.title)), word)


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)


async def sign_in_command(
    peer: Peer,
    method_id: str | None,
    run: RunProgram | None,
    agrees: Callable[[Program], Awaitable[bool]],
) -> Command | str:
    """Return the command that signs in by a method, or why that is impossible.

    A program that the agent names is only run if a person `agrees`.
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
    wanted = sign_in_program(peer, method)
    if wanted is None:
        return Authenticate(method.id)
    if run is None:
        return f"the method {method.id} runs in a terminal, and there is none; offered: {names}"
    if wanted.named_by_agent and not await agrees(wanted):
        return "you didn't agree to its program"
    return TerminalSignedIn(method.id, await run(wanted))


async def ask_to_run_program(wanted: Program, say: Say) -> bool:
    """Show a program that the agent names, and ask before it is run."""
    say("To sign in, the agent wants to run:")
    say(f"  $ {' '.join(wanted.argv)}")
    return (await read_answer("Run it? [y/N] ", say) or "").lower() in ("y", "yes")
