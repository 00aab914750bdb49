"""Plays a script to an agent: sends its prompts, answers the agent's questions, and judges each
step.
"""

import time
from collections.abc import Callable
from pathlib import Path

import anyio
from anyio import to_thread

from acp_tui.client.client import Client
from acp_tui.errors import AcpTuiError, AgentTimeoutError, RequestError
from acp_tui.headless.outcome import ExitCode
from acp_tui.library.agent import Agent, Session
from acp_tui.library.connection import Changes, ClientConnection
from acp_tui.library.questions import Answers
from acp_tui.library.turn import Turn
from acp_tui.recordings.records import PackedLog
from acp_tui.script.answers import ScriptedAnswers
from acp_tui.script.model import (
    CancelAfter,
    EndExpected,
    Expectation,
    PromptScript,
    ScriptStep,
    is_like,
)
from acp_tui.script.outcome import FAILED, ScriptOutcome, StepResult
from acp_tui.script.verdicts import ScriptFailure, StepEvents, file_fingerprints, find_failures
from acp_tui.state.commands import Cancel
from acp_tui.workspace.mentions import mention_of, prepare_prompt


class ScriptPlayer:
    """Plays one script; calls `report` with each step's result."""

    def __init__(self, script: PromptScript, report: Callable[[StepResult], None]) -> None:
        self._script = script
        self._report = report
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
        """Open a session, or load the session `resume`, and play the steps until one can't be
        played.

        `auth` is the method to sign in with, if the agent requires it.
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
        """Record that the user interrupted the run; the remaining steps are skipped."""
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
        self._report(result)

    def _skip_rest(self, done: int) -> None:
        for number, step in enumerate(self._script.steps[done:], done + 1):
            result = StepResult(number, step.name, step.line, skipped=True)
            self.played.results.append(result)
            self._report(result)


class _StepPlayer:
    """Plays one step: its prompt, and the prompts that its rejections add."""

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
        """Play a step and judge it; add its events to those of the `whole` script."""
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
        self._answers.begin(None)  # no answers for questions between steps
        if limit.cancelled_caught:
            result.code = ExitCode.TIMEOUT
            result.trouble = f"not done within {step.timeout:g} s; canceled"
        elif not result.trouble:
            result.failures += wrong
            result.failures += await to_thread.run_sync(find_failures, _expectations_of(step), seen)

    def _missing(self, step: ScriptStep) -> str:
        """Return why files of a prompt can't be sent, or "". This check is needed, as a mention of
        a missing file is just text.
        """
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
            except AcpTuiError as error:  # to be raised later, outside of the group
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
    """Wait for the text or the tool call after which the turn is to be canceled."""
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
    """Add the text, tool calls, findings and stop reason of turns."""
    for turn in turns:
        seen.text = "\n\n".join(filter(None, (seen.text, turn.text)))
        seen.tool_calls += turn.tool_calls
        seen.findings += [*turn.findings, *turn.notes]
        seen.stop = turn.stop_reason


def _expectations_of(step: ScriptStep) -> tuple[Expectation, ...]:
    """Return the expectations of a step; without one about the turn's end, it must end normally."""
    if any(isinstance(one, EndExpected) for one in step.expect):
        return step.expect
    usual = "cancelled" if step.cancel is not None else "end_turn"
    return (EndExpected(step.line, stop=usual), *step.expect)
