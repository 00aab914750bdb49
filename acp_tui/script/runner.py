"""Plays a script to an agent: sends its prompts, answers its requests, and judges each step."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from anyio import to_thread

from acp_tui.client.client import Client
from acp_tui.errors import AcpTuiError, AgentTimeoutError, RequestError
from acp_tui.headless.outcome import ExitCode
from acp_tui.library.agent import Agent, Session
from acp_tui.library.connection import Changes, ClientConnection
from acp_tui.library.questions import Answers, Content, Declined, Elicitation, PermissionRequest
from acp_tui.library.turn import Turn
from acp_tui.protocol.requests import PermissionOption
from acp_tui.recordings.records import PackedLog
from acp_tui.script.model import (
    CancelAfter,
    EndExpected,
    Expectation,
    PromptScript,
    ScriptAnswer,
    ScriptStep,
    is_like,
)
from acp_tui.script.parser import KINDS
from acp_tui.script.verdicts import ScriptFailure, StepEvents, file_fingerprints, find_failures
from acp_tui.state.commands import Cancel
from acp_tui.state.elicitations import default_values, find_problems
from acp_tui.text import clean_line
from acp_tui.workspace.mentions import mention_of, prepare_prompt

FAILED = 7
"""The exit code when an expectation doesn't hold."""


@dataclass
class StepResult:
    """The result of a step; `number` is 0 for expectations about all of them."""

    number: int
    name: str
    line: int
    seconds: float = 0.0
    failures: list[ScriptFailure] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    """Each question with its answer."""
    trouble: str = ""
    """Why the step could not be played to its end."""
    code: int = 0
    skipped: bool = False

    @property
    def holds(self) -> bool:
        return not (self.code or self.skipped)


@dataclass
class ScriptOutcome:
    """The result of a script: the steps that were run, and the exit code."""

    name: str
    results: list[StepResult] = field(default_factory=list)
    agent: str = ""
    trouble: str = ""
    """Why there was no session."""
    code: int = 0

    def end(self, code: int) -> None:
        """Set the exit code, unless a more specific one is set."""
        order = (130, ExitCode.TIMEOUT, ExitCode.NOBODY_TO_ASK, ExitCode.ERROR, FAILED, 0)
        self.code = min(self.code, code, key=order.index)


class ScriptedAnswers:
    """Answers an agent's questions as one step of the script says, and records what became of them."""

    def __init__(self) -> None:
        self._left: list[tuple[ScriptAnswer, int | None]] = []
        self.failures: list[ScriptFailure] = []
        """Answers that could not be given."""
        self.unanswered: list[str] = []
        """Questions that were rejected, as the step has no answer for them."""
        self.asked: list[str] = []
        """Each question with its answer."""
        self.words: list[str] = []
        """Texts of rejections: the next prompts."""

    def begin(self, step: ScriptStep | None) -> None:
        """Use the answers of a step; without a step there are none."""
        self._left = [(one, one.times) for one in step.answers] if step is not None else []
        self.failures, self.unanswered, self.asked, self.words = [], [], [], []

    def unused(self) -> list[ScriptFailure]:
        """Return a failure for each answer whose question was never asked, or not often enough."""
        return [
            ScriptFailure(
                one.line,
                f"this was not asked{'' if left == one.times else ' as often'}: {one.asked}",
            )
            for one, left in self._left
            if left
        ]

    def permission(self, request: PermissionRequest) -> PermissionOption | None:
        """Choose an option; a question without an answer of its own is rejected."""
        answer = self._pop_answer(request.subject, is_permission=True)
        if answer is None:
            self._note_unanswered(f"permission: {request.subject}")
            return request.reject
        option = _find_option(answer.choose, request)
        if option is None and answer.choose != "reject":
            offered = tuple(
                f"{number}) {one.kind}: {one.name}" for number, one in enumerate(request.options, 1)
            )
            words = (
                f"the question {request.subject!r} has no option {answer.choose!r}: it was rejected"
            )
            self.failures.append(
                ScriptFailure(answer.line, words, offered or ("it has no option at all",))
            )
            return request.reject
        if answer.words:
            self.words.append(answer.words)
        self.asked.append(f"{request.subject}: {option.name if option is not None else 'canceled'}")
        return option

    def elicitation(self, question: Elicitation) -> Content | Declined:
        """Fill in a form, or return the script's other answer."""
        answer = self._pop_answer(question.message, is_permission=False)
        if answer is None:
            self._note_unanswered(f"question: {question.message}")
            return "cancel"
        content = default_values(question.form) if question.form is not None else {}
        if answer.action in ("decline", "cancel"):
            self.asked.append(f"{question.message}: {answer.action}")
            return "decline" if answer.action == "decline" else "cancel"
        if question.form is not None:
            content |= answer.fill or {}
            unknown = [name for name in content if name not in question.form.properties]
            wrong = dict.fromkeys(unknown, "is no field of it")
            wrong |= find_problems(question.form, content)
            if wrong:
                reasons = tuple(f"{name} {why}" for name, why in wrong.items())
                fields = f"its fields: {', '.join(question.form.properties) or 'none'}"
                words = f"the form {question.message!r} can't be sent so: it was canceled"
                self.failures.append(ScriptFailure(answer.line, words, (*reasons, fields)))
                return "cancel"
        elif answer.fill:
            words = f"{question.message!r} is a link, not a form: say `choose: accept` or `decline`"
            self.failures.append(
                ScriptFailure(answer.line, f"{words}; it was canceled", (str(question.url),))
            )
            return "cancel"
        self.asked.append(f"{question.message}: accept")
        return content

    def _pop_answer(self, asked: str, *, is_permission: bool) -> ScriptAnswer | None:
        """Use up and return the first answer that fits this question."""
        for at, (answer, left) in enumerate(self._left):
            if left == 0 or answer.is_permission is not is_permission:
                continue
            if is_like(asked, answer.asked) or is_like(clean_line(asked), answer.asked):
                self._left[at] = (answer, None if left is None else left - 1)
                return answer
        return None

    def _note_unanswered(self, words: str) -> None:
        self.unanswered.append(words)
        self.asked.append(f"{words}: rejected, because no answer of the script is for it")


def _find_option(choose: str | int, request: PermissionRequest) -> PermissionOption | None:
    if isinstance(choose, int):
        return request.options[choose - 1] if choose <= len(request.options) else None
    if choose == "reject":
        return request.reject
    if choose in KINDS:
        return next((one for one in request.options if one.kind == choose), None)
    named = [one for one in request.options if one.name == choose]
    return named[0] if len(named) == 1 else None


class ScriptPlayer:
    """Plays one script; calls `tell` with each step as it ends."""

    def __init__(self, script: PromptScript, tell: Callable[[StepResult], None]) -> None:
        self._script = script
        self._tell = tell
        self._answers = ScriptedAnswers()
        self.played = ScriptOutcome(script.name)

    async def play(
        self,
        client: Client,
        memory: PackedLog,
        *,
        auth: str | None,
        resume: str | None,
    ) -> None:
        """Open a session, or `resume` one, and play all steps until one can't be played.

        `auth` is the method to sign in with, if the agent asks for that.
        """
        connection = ClientConnection(client, memory)
        async with anyio.create_task_group() as tasks:
            ask, fill = self._answers.permission, self._answers.elicitation
            client.listen(Answers(client, tasks, ask, fill, connection.fail).follow)
            try:
                agent = Agent(connection, auth=auth, recording=None)
                await self._play_steps(connection, agent, resume)
            finally:
                connection.close()
            tasks.cancel_scope.cancel()

    def interrupt(self) -> None:
        """Record that a person ended the run; the steps that are left count as skipped."""
        self.played.end(130)
        done = len([one for one in self.played.results if one.number])
        self._skip_rest(done)

    async def _play_steps(
        self, connection: ClientConnection, agent: Agent, resume: str | None
    ) -> None:
        try:
            await connection.ready()
            opening = agent.new_session() if resume is None else agent.load_session(resume)
            session = await opening
        except AcpTuiError as error:
            self.played.trouble = str(error)
            late = isinstance(error, AgentTimeoutError)
            self.played.end(ExitCode.TIMEOUT if late else ExitCode.ERROR)
            self._skip_rest(0)
            return
        self.played.agent = agent.name
        here = connection.state.folder_here(connection.state.session(session.session_id))
        folder = Path(here) if here is not None else None
        whole = StepEvents(
            folder, await to_thread.run_sync(file_fingerprints, self._script.expect, folder)
        )
        for number, step in enumerate(self._script.steps, 1):
            result = StepResult(number, step.name, step.line)
            began = time.monotonic()
            try:
                await _StepPlayer(connection, session, self._answers, folder).play_step(
                    step, result, whole
                )
            finally:
                result.seconds = round(time.monotonic() - began, 3)
            self._add_result(result)
            if result.trouble:
                self._skip_rest(number)
                return
        if self._script.expect:
            await self._judge_all(connection, whole)

    async def _judge_all(self, connection: ClientConnection, whole: StepEvents) -> None:
        result = StepResult(0, "at the end", 0)
        log = connection.follower.log
        log.catch_up()
        whole.findings = list(log.findings)
        result.failures = await to_thread.run_sync(find_failures, self._script.expect, whole)
        self._add_result(result)

    def _add_result(self, result: StepResult) -> None:
        if not result.code and result.failures:
            result.code = FAILED
        if result.unanswered and result.code in (0, FAILED, ExitCode.ERROR):
            result.code = ExitCode.NOBODY_TO_ASK
        self.played.results.append(result)
        self.played.end(result.code)
        self._tell(result)

    def _skip_rest(self, done: int) -> None:
        for number, step in enumerate(self._script.steps[done:], done + 1):
            result = StepResult(number, step.name, step.line, skipped=True)
            self.played.results.append(result)
            self._tell(result)


class _StepPlayer:
    """Plays one step: its prompt, and the prompts that follow from its rejections."""

    def __init__(
        self,
        connection: ClientConnection,
        session: Session,
        answers: ScriptedAnswers,
        folder: Path | None,
    ) -> None:
        self._connection = connection
        self._session = session
        self._answers = answers
        self._folder = folder

    async def play_step(self, step: ScriptStep, result: StepResult, whole: StepEvents) -> None:
        """Play a step and judge it; add its events to `whole`, too."""
        before = await to_thread.run_sync(file_fingerprints, step.expect, self._folder)
        seen = StepEvents(self._folder, before)
        if missing := self._missing(step):
            result.code, result.trouble = ExitCode.ERROR, missing
            return
        self._answers.begin(step)
        first = len(self._session.turns)
        with anyio.move_on_after(step.timeout) as limit:
            await self._prompts(step, result, seen)
        turns = self._session.turns[first:]
        unused = self._answers.unused()
        for one in (seen, whole):
            _add_turns(one, turns)
        result.asked, result.unanswered = self._answers.asked, self._answers.unanswered
        wrong = [*self._answers.failures, *unused]
        self._answers.begin(None)  # no answer is for what is asked between two steps
        if limit.cancelled_caught:
            result.code = ExitCode.TIMEOUT
            result.trouble = f"not done within {step.timeout:g} s; canceled"
        elif not result.trouble:
            result.failures += wrong
            result.failures += await to_thread.run_sync(find_failures, _expectations_of(step), seen)

    def _missing(self, step: ScriptStep) -> str:
        """Return why files of a prompt can't be sent, or "": a mention that names no file is only text."""
        if step.files and self._folder is None:
            return "files: the agent's files aren't here"
        missing = [one for one in step.files if self._folder and not (self._folder / one).is_file()]
        if missing:
            return f"files: there is no {', '.join(missing)} in {self._folder}"
        unnamed = [one for one in step.files if mention_of(one) is None]
        return f"files: no prompt can mention {unnamed}" if unnamed else ""

    async def _prompts(self, step: ScriptStep, result: StepResult, seen: StepEvents) -> None:
        prompts = [" ".join([step.prompt, *filter(None, map(mention_of, step.files))])]
        try:
            while prompts:
                await self._prompt(prompts.pop(0), step.cancel, result)
                prompts += self._answers.words
                self._answers.words.clear()
        except RequestError as error:
            seen.error = str(error)
            if not any(
                isinstance(one, EndExpected) and one.error is not None for one in step.expect
            ):
                result.code, result.trouble = (
                    ExitCode.ERROR,
                    f"the agent answered with an error: {error}",
                )
        except AcpTuiError as error:
            result.code, result.trouble = ExitCode.ERROR, str(error)

    async def _prompt(self, prompt: str, cancel: CancelAfter | None, result: StepResult) -> None:
        """Run one turn. Raises AcpTuiError."""
        state = self._connection.state
        folder = str(self._folder) if self._folder is not None else None
        offered = state.peer.capabilities.prompt_capabilities
        prepared = await to_thread.run_sync(prepare_prompt, prompt, folder, offered)
        if prepared.problems:
            result.code, result.trouble = ExitCode.ERROR, "; ".join(prepared.problems)
            return
        raised: AcpTuiError | None = None
        canceled = anyio.Event()
        changes = self._session.changes()
        async with anyio.create_task_group() as tasks:
            if cancel is not None:
                tasks.start_soon(self._cancel_when_met, cancel, changes, canceled)
            try:
                await self._session.prompt(prepared.blocks)
            except AcpTuiError as error:  # to be raised as it is, not in a group
                raised = error
            tasks.cancel_scope.cancel()
        if raised is not None:
            raise raised
        if cancel is not None and not canceled.is_set():
            words = "the turn ended before there was what it was to be canceled after"
            result.failures.append(ScriptFailure(cancel.line, words))

    async def _cancel_when_met(
        self, cancel: CancelAfter, changes: Changes, canceled: anyio.Event
    ) -> None:
        """Cancel the turn as soon as its condition is met."""
        if cancel.seconds is not None:
            await anyio.sleep(cancel.seconds)
        else:
            await _wait_until(cancel, changes)
        canceled.set()
        self._connection.do(Cancel(self._session.session_id))


async def _wait_until(cancel: CancelAfter, changes: Changes) -> None:
    """Wait for the text or the tool call after which the turn is canceled."""
    text = ""
    async for change in changes:
        if cancel.text is not None and change.kind == "agent_message_chunk":
            text += change.text
            if cancel.text in text:
                return
        call = change.tool_call
        if cancel.tool is not None and call is not None and is_like(call.title, cancel.tool):
            return
    await anyio.sleep_forever()


def _add_turns(seen: StepEvents, turns: list[Turn]) -> None:
    """Add the text, tool calls, findings and stop reason of some turns."""
    for turn in turns:
        seen.text = "\n\n".join(filter(None, (seen.text, turn.text)))
        seen.tool_calls += turn.tool_calls
        seen.findings += [*turn.findings, *turn.notes]
        seen.stop = turn.stop_reason


def _expectations_of(step: ScriptStep) -> tuple[Expectation, ...]:
    """Return the expectations of a step; without one about its end, the turn must end normally."""
    if any(isinstance(one, EndExpected) for one in step.expect):
        return step.expect
    usual = "cancelled" if step.cancel is not None else "end_turn"
    return (EndExpected(step.line, stop=usual), *step.expect)
