"""Asks a permission question at a terminal without a UI: prints it, and reads the answer as a line."""

from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

import anyio

from acp_tui.headless.keyboard import (
    PASTED,
    SEVERAL_LINES,
    announce_question,
    has_typed_text,
    read_line,
    read_typed,
)
from acp_tui.headless.outcome import Watch
from acp_tui.headless.permission import describe_kind, describe_request, rejecting_option
from acp_tui.headless.preview import count_rows, split_pages
from acp_tui.headless.printer import PrintLine
from acp_tui.protocol.requests import PermissionOption
from acp_tui.state.open_questions import Permission
from acp_tui.state.question import (
    CHANGING,
    KEEPS_CHANGING,
    WORD_GAP,
    Answered,
    Explained,
    InView,
    Question,
    QuestionEffect,
    permission_offers,
)
from acp_tui.state.state import State
from acp_tui.state.subject import format_subject
from acp_tui.state.subject_parts import Parts, describe_differences, question_parts
from acp_tui.text import one_line

_IN_VIEW = 12
"""Rows below which a question certainly is in view; a longer one is summarized at its end."""
READ_ON = "Not all of it was shown: here is more. Answer again."


class TerminalAnswer(NamedTuple):
    """The user's answer: an option, or None, and the question that was in view."""

    option: PermissionOption | None
    in_view: Parts = ()


class TerminalQuestion:
    """Asks one permission question at the terminal.

    If the question changes, it is printed and asked again: a line answers only what was printed
    before it. Only a number allows: alone on its line, with nothing typed after it, and once
    everything was printed. Other text rejects, and goes to `rejecting`, if that is given.
    """

    def __init__(
        self,
        state: State,
        permission: Permission,
        watch: Watch,
        print_line: PrintLine,
        rejecting: Callable[[str], None] | None = None,
    ) -> None:
        self._state = state
        self._permission = permission
        self._watch = watch
        self._print_line = print_line
        self._rejecting = rejecting
        self._printed = question_parts(state, permission)
        self._pages: list[list[str]] = []
        """The pages that haven't been printed yet."""
        self._question = Question(self._printed)
        self._question.offer(permission_offers(permission.options))
        self._has_warned = False
        self._input_ended = False

    async def ask(self) -> TerminalAnswer:
        """Ask until there is an answer; it has no option if the input ended."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._follow_changes)
            answer = await self._ask_until_answered()
            tasks.cancel_scope.cancel()
        return answer

    async def _follow_changes(self) -> None:
        """Follow the question's changes, even during `_apply_line`: otherwise a question that keeps
        changing would seem stable.
        """
        while True:
            self._update_question()
            await self._watch.wait()

    async def _ask_until_answered(self) -> TerminalAnswer:
        await self._print_question()
        count, rejecting = len(self._permission.options), self._rejecting
        words = "" if rejecting is None else ", or why not"
        while True:
            line = await self._read_unless_changed(f"Your answer [1-{count}]{words}: ")
            if line is not None:
                answer = await self._apply_line(line)
                if answer is not None:
                    return answer
            elif self._input_ended:
                return TerminalAnswer(None)
            if not self._warn() and self._is_new:
                changed = describe_differences(self._printed, self._update_question())
                self._print_line(f"⚠ This has changed, so it is asked again: {changed}")
                await self._print_question()

    async def _apply_line(self, line: str) -> TerminalAnswer | None:
        """Return the answer in a line; None if it has none, after printing why."""
        options, rejecting = self._permission.options, self._rejecting
        if not line and rejecting is None:
            return TerminalAnswer(None)
        effects = self._question.enter_line(line, monotonic())
        due = self._question.next_tick
        await anyio.sleep(PASTED if due is None else WORD_GAP)
        self._update_question()  # changes that were sent before the line come first
        if has_typed_text():
            return self._refuse_line(SEVERAL_LINES)
        if due is not None:
            effects += self._question.tick(max(due, monotonic()))
        for effect in effects:
            if isinstance(effect, Answered):
                return TerminalAnswer(options[effect.index], effect.seen)
            if isinstance(effect, Explained):
                return self._refuse_line(effect.reason)
            if effect is QuestionEffect.READ_ON:
                self._print_line(READ_ON)
                await self._print_page()
                return None
        if line and not line.isdecimal() and rejecting is not None:
            rejecting(line)
            return TerminalAnswer(rejecting_option(options), self._printed)
        alone = "Enter alone gives no answer." if rejecting is None else "words reject it."
        return self._refuse_line(f"A number from 1 to {len(options)}, please; {alone}")

    def _refuse_line(self, why: str) -> TerminalAnswer | None:
        """Print why a line isn't an answer, and discard lines typed after it, except for one that
        rejects: return that.
        """
        lines = read_typed()
        self._print_line(why)
        self._question.guard_allowing(monotonic())
        options = self._permission.options
        numbers = {str(number): option for number, option in enumerate(options, 1)}
        typed = [numbers[line] for line in lines if line in numbers]
        rejecting = [option for option in typed if option.rejects]
        return TerminalAnswer(rejecting[0], self._printed) if rejecting else None

    # Printing

    async def _print_question(self) -> None:
        """Print the question and its options; only lines typed after that count."""
        self._pages = split_pages(describe_request(self._state, self._permission))
        self._printed = self._update_question()
        await self._print_page()

    async def _print_page(self) -> None:
        """Print the next page of the question, with the options below it."""
        lines = self._pages.pop(0)
        if sum(map(count_rows, lines)) > _IN_VIEW or self._pages:
            short = f"  In short: {format_subject(self._state, self._permission)}"
            more = sum(map(len, self._pages))
            lines = [*lines, *([f"  … {more:,} more lines"] if more else []), short]
        options = self._permission.options
        menu = [  # with the kind, which counts: the name may say anything
            f"  {number}) [{describe_kind(option)}] {one_line(option.name)}"
            for number, option in enumerate(options, 1)
        ]
        for line in [*lines, *menu]:
            self._print_line(line)
        unread = bool(self._pages)
        view = InView(self._printed, frozenset(range(len(options))), unread, unread)
        self._question.paint(view, monotonic())
        self._question.guard_allowing(monotonic())
        await announce_question()

    def _warn(self) -> bool:
        """Warn once that the agent keeps changing the question; return whether it does."""
        keeps = self._question.is_changing(monotonic())
        if keeps and not self._has_warned:
            self._print_line(f"⚠ {KEEPS_CHANGING}; it can be rejected.")
        self._has_warned = keeps
        return keeps

    # Changes by the agent

    def _update_question(self) -> Parts:
        """Update the question's state machine; return the question as it is now."""
        now = question_parts(self._state, self._permission)
        self._question.update(now, monotonic())
        return now

    @property
    def _is_new(self) -> bool:
        """Whether the question has changed since it was printed."""
        return self._update_question() != self._printed

    async def _read_unless_changed(self, prompt: str) -> str | None:
        """Read a line; return None at EOF, or if the question changed and must be printed again."""
        line = None
        async with anyio.create_task_group() as tasks:

            async def until_new() -> None:
                while not self._has_to_print():
                    # no event reports that changes have stopped
                    with anyio.move_on_after(CHANGING / 4):
                        await self._watch.wait()
                tasks.cancel_scope.cancel()

            tasks.start_soon(until_new)
            line = await read_line(prompt)
            self._input_ended = line is None
            tasks.cancel_scope.cancel()
        return line

    def _has_to_print(self) -> bool:
        if self._question.is_changing(monotonic()):
            return not self._has_warned
        return self._is_new
