"""One turn from a prompt to its end, with no person at a screen."""

import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

import anyio
from anyio import to_thread

from acp_tui.headless.choices import option_command
from acp_tui.headless.findings import Findings
from acp_tui.headless.outcome import Ended, ExitCode, outcome
from acp_tui.headless.permission import Policy
from acp_tui.headless.questions import LOOKING, Questions
from acp_tui.headless.report import Report
from acp_tui.headless.sign_in import RunProgram, sign_in
from acp_tui.headless.summary import summary
from acp_tui.headless.watch import Watch
from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.events import Event, TimedOut
from acp_tui.session.changes import Change
from acp_tui.session.commands import Cancel, Do, Prompt
from acp_tui.session.entries import MessageEntry, NoticeEntry, TurnEndEntry
from acp_tui.session.state import Phase, Session, State
from acp_tui.workspace.mentions import prepare

CANCEL_GRACE = 5.0
"""Seconds that the agent gets to end a cancelled turn."""
LAST_WORDS = 1.0
"""Seconds that our output gets to be read once we are asked to leave."""


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """What a person asked for on the command line; `max_time` is in seconds.

    `choices` are config options and their values; "mode" stands for the session's mode. `find` ends
    the agent and tells what broke the rules; what is as bad as `findings` fails a turn. `settled`
    waits until the files are compared with what was allowed.
    """

    prompt: str
    policy: Policy
    person: bool
    auth: str | None = None
    max_time: float | None = None
    choices: tuple[tuple[str, str], ...] = ()
    run_program: RunProgram | None = None
    findings: str | None = None
    find: Callable[[], Awaitable[Findings]] | None = None
    settled: Callable[[], Awaitable[None]] | None = None


class Run:
    """Follows the state, asks for one turn, and has its questions answered."""

    def __init__(self, state: State, do: Do, report: Report, options: TurnOptions) -> None:
        self._state = state
        self._do = do
        self._report = report
        self._options = options
        self._watch = Watch()
        self._timed_out = False
        self._signed_in = False
        self._prompt: MessageEntry | None = None
        self._questions = Questions(
            state, do, report, self._watch, options.policy, person=options.person
        )
        report.output.listener = self.interrupt  # nobody hears us any more

    def follow(self, event: Event, _: list[Change]) -> None:
        """Listen to the client."""
        self._timed_out = self._timed_out or isinstance(event, TimedOut)
        self._report.event(self._state, event)
        self._watch.wake()

    @property
    def _failed(self) -> ExitCode:
        return ExitCode.TIMEOUT if self._timed_out else ExitCode.ERROR

    def interrupt(self) -> None:
        """Stop the turn: a signal asked us to, or our output can't be written."""
        self._watch.interrupt()

    async def turn(self) -> int:
        """Run the turn; return the exit code."""
        started = time.monotonic()
        session: Session | None = None
        try:
            with anyio.move_on_after(self._options.max_time) as limit:
                session = await self._open()
                await self._choose(session)
                self._do(Prompt(session.session_id, await self._content(session)))
                end = await self._end(session)
                if self._state.peer.phase is Phase.SIGN_IN:
                    session = await self._sign_in_for_turn()
                    end = await self._end(session)
                await self._settle()
                ended = Ended(*outcome(end))
            if limit.cancelled_caught:
                await self._cancel(session)
                ended = Ended(
                    ExitCode.TIMEOUT, f"not done within {self._options.max_time:g} s; canceled"
                )
        except Ended as stop:
            ended = stop
        if self._questions.unasked is not None and ended.code not in (
            ExitCode.INTERRUPTED,
            ExitCode.TIMEOUT,
        ):
            why = (
                f"{self._questions.unasked}; {ended.why}" if ended.why else self._questions.unasked
            )
            ended = Ended(ExitCode.NOBODY_TO_ASK, why)
        seconds = time.monotonic() - started
        if self._options.find is not None and self._options.findings is not None:
            found = await self._options.find()
            self._report.findings(found)
            ended = found.judge(ended, self._options.findings)
        self._report.summary(summary(session, self._prompt, ended, seconds))
        await self._written(ended)
        failure = self._report.output.failure
        return int(ended.code if failure is None else _unheard(failure))

    async def _settle(self) -> None:
        """Let what was written be compared with what was allowed: what is found belongs here."""
        if self._options.settled is not None:
            with anyio.move_on_after(LOOKING):
                await self._options.settled()

    async def _written(self, ended: Ended) -> None:
        """Wait for whoever reads our output; not for long when we are to leave."""
        async with anyio.create_task_group() as tasks:

            async def leave_in_time() -> None:
                while not self._watch.interrupted and ended.code is not ExitCode.TIMEOUT:
                    await self._watch.wait()
                await anyio.sleep(LAST_WORDS)
                tasks.cancel_scope.cancel()

            tasks.start_soon(leave_in_time)
            await self._report.output.written()
            tasks.cancel_scope.cancel()

    async def _open(self) -> Session:
        """Wait for the session; sign in on the way if the agent wants that."""
        while True:
            self._check_alive()
            for session in self._state.sessions.values():
                if session.opened:
                    return session
            if self._state.peer.phase is Phase.SIGN_IN:
                await self._sign_in()
            if not await self._questions.answer_elicitations():
                await self._watch.wait()

    async def _sign_in_for_turn(self) -> Session:
        """Sign in because the prompt was refused; the session in which it is tried again."""
        while True:
            self._check_alive()
            if self._state.peer.phase is Phase.SIGN_IN:
                await self._sign_in()
            for session in self._state.open_sessions():
                if session.turn is not None:
                    return session
            if not await self._questions.answer_elicitations():
                await self._watch.wait()

    async def _choose(self, session: Session) -> None:
        """Set the mode and options that were asked for."""
        for name, value in self._options.choices:
            self._do(option_command(session, name, value))
        while self._state.calls:
            self._check_alive()
            await self._watch.wait()
        for entry in session.entries:
            if isinstance(entry, NoticeEntry) and entry.ours and entry.severity == "error":
                raise Ended(self._failed, ": ".join(filter(None, (entry.title, entry.description))))

    async def _content(self, session: Session) -> tuple[ContentBlock, ...]:
        """The prompt, with the files that it mentions."""
        offered = self._state.peer.capabilities.prompt_capabilities
        prepared = await to_thread.run_sync(
            prepare,
            self._options.prompt,
            self._state.folder_here(session),
            offered,
            abandon_on_cancel=True,
        )
        if prepared.problems:
            raise Ended(ExitCode.ERROR, "; ".join(prepared.problems))
        return prepared.blocks

    async def _end(self, session: Session) -> TurnEndEntry:
        """Wait for the turn's end; answer permissions on the way."""
        self._prompt = session.turn.prompt if session.turn is not None else None
        while session.turn is not None:
            if self._watch.interrupted:
                await self._cancel(session)
                raise Ended(ExitCode.INTERRUPTED, "interrupted")
            await self._questions.answer_permissions()
            await self._questions.answer_elicitations()
            if session.turn is not None and not self._watch.interrupted:
                await self._watch.wait()
        for entry in reversed(session.entries):
            if isinstance(entry, TurnEndEntry):
                return entry
        why = f"the agent {'is gone' if self._state.peer.exit else 'could not take the prompt'}"
        raise Ended(ExitCode.ERROR, why)

    def _check_alive(self) -> None:
        peer = self._state.peer
        if self._watch.interrupted:
            raise Ended(ExitCode.INTERRUPTED, "interrupted")
        if peer.trouble is not None:
            raise Ended(self._failed, peer.trouble)
        over = peer.exit is not None and not (peer.exit.asked and self._signed_in)
        if peer.exit is not None and over and not peer.falls_back:
            raise Ended(ExitCode.ERROR, peer.exit.words)

    async def _cancel(self, session: Session | None) -> None:
        if session is None or session.turn is None:
            return
        self._do(Cancel(session.session_id))
        with anyio.move_on_after(CANCEL_GRACE):
            while session.turn is not None:
                await self._watch.wait()

    async def _sign_in(self) -> None:
        waiting = self._state.peer.sign_in
        assert waiting is not None
        if waiting.trying is not None:
            return
        method = self._options.auth
        if waiting.failure is not None:
            why = waiting.failure.message if self._timed_out else waiting.failure.words
            raise Ended(self._failed, f"signing in by {method} failed: {why}")
        wants = f"the agent wants a sign-in: {waiting.error.words}"
        if self._signed_in:
            raise Ended(ExitCode.ERROR, f"{wants}; that by {method} changed nothing")
        command = await sign_in(self._state.peer, method, self._options.run_program)
        if isinstance(command, str):
            raise Ended(ExitCode.ERROR, f"{wants}; {command}")
        self._signed_in = True
        self._do(command)


def _unheard(failure: OSError) -> ExitCode:
    """The exit code when our output fails; a reader that left, as head does, is no error."""
    if isinstance(failure, BrokenPipeError):
        return ExitCode.INTERRUPTED
    with suppress(OSError):
        print(f"acp-tui: can't write the output: {failure.strerror}", file=sys.stderr)  # noqa: T201
    return ExitCode.ERROR
