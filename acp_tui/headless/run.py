"""Runs one turn without a UI (`acp-tui run`), from opening the session to the summary."""

import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import anyio

from acp_tui.client.files.folder_watch import LATE_COMPARISON_DELAY
from acp_tui.headless.outcome import Ended, ExitCode, RunFindings, judge_end, summarize_turn
from acp_tui.headless.questions import COMPARE_TIMEOUT
from acp_tui.headless.report import Report, report_missing_history
from acp_tui.headless.turns import TurnOptions, Turns
from acp_tui.protocol.events import Event
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.requests import AnyPermissionRequest
from acp_tui.protocol.wire_events import Requested, Responded
from acp_tui.state.background import unfinished_work
from acp_tui.state.changes import Change
from acp_tui.state.commands import Do
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.text import clean_line

AFTERMATH = LATE_COMPARISON_DELAY + 1.0
"""Seconds to watch the agent after a turn in which something was not allowed: until its folder was
compared again.
"""
FLUSH_TIMEOUT = 1.0
"""Seconds to wait for the output's reader when the program has to quit."""


class HeadlessRun:
    """Opens a session, runs one turn, and answers the agent's questions.

    `wait_for_comparisons` waits until the files are compared with what was allowed; `store_folder`
    stores the folder before the turn, for this comparison. `find` ends the agent and returns the
    findings.
    """

    def __init__(
        self,
        state: State,
        do: Do,
        report: Report,
        options: TurnOptions,
        *,
        wait_for_comparisons: Callable[[], Awaitable[None]],
        store_folder: Callable[[Session], Awaitable[None]] | None,
        find: Callable[[], Awaitable[RunFindings]] | None,
    ) -> None:
        self._state = state
        self._do = do
        self._report = report
        self._options = options
        self._comparisons_done = wait_for_comparisons
        self._store_folder = store_folder
        self._find = find
        self._turns = Turns(state, do, report, options)
        self._denied = False
        """Whether a permission was rejected."""
        report.output.listener = self.interrupt  # called if the output can't be written

    def follow(self, event: Event, changes: list[Change]) -> None:
        """Report an event of the client's, and wake the run."""
        self._denied = self._denied or _denies(event)
        self._turns.follow(event, changes)

    def interrupt(self) -> None:
        """Stop the turn: because of a signal, or because the output can't be written."""
        self._turns.watch.interrupt()

    async def turn(self) -> int:
        """Run the turn; return the exit code."""
        started = time.monotonic()
        try:
            ended = await self._run_in_time()
        except Ended as stop:
            ended = stop
        unasked_reason = self._turns.questions.unasked_reason
        if unasked_reason is not None and ended.code not in (
            ExitCode.INTERRUPTED,
            ExitCode.TIMEOUT,
        ):
            ended = Ended(
                ExitCode.NOBODY_TO_ASK,
                f"{unasked_reason}; {ended.why}" if ended.why else unasked_reason,
            )
        seconds = time.monotonic() - started
        if self._find is not None and self._options.findings is not None:
            if self._denied or ended.code is ExitCode.TIMEOUT:
                await self._watch_aftermath()
            found = await self._find()
            self._report.findings(found)
            ended = found.judge(ended, self._options.findings)
        self._report.summary(
            summarize_turn(self._turns.session, self._turns.prompt, ended, seconds)
        )
        await self._wait_until_written(ended)
        failure = self._report.output.failure
        return int(ended.code if failure is None else _exit_code_of(failure))

    async def _run_in_time(self) -> Ended:
        """Open the session and run the turn; return how it ended, or that it took too long.

        Raises Ended if the turn could not end normally.
        """
        with anyio.move_on_after(self._options.max_time):
            session = await self._turns.open_session()
            report_missing_history(self._report, session)
            await self._turns.choose(session, self._options.choices)
            if self._store_folder is not None:
                await self._store_folder(session)
            end = await self._turns.run_turn(session, self._options.prompt)
            self._report_unfinished_work()
            await self._wait_for_comparisons()
            return judge_end(end)
        await self._turns.cancel()
        return Ended(ExitCode.TIMEOUT, f"not done within {self._options.max_time:g} s; canceled")

    async def _watch_aftermath(self) -> None:
        """Watch the agent for `AFTERMATH` seconds: it may still do what was rejected."""
        with anyio.move_on_after(AFTERMATH):
            while not self._turns.watch.interrupted and self._state.peer.unreachable_reason is None:
                await self._turns.watch.wait()
        await self._wait_for_comparisons()

    def _report_unfinished_work(self) -> None:
        """Report what is still running although the turn is over: it ends with the agent."""
        session = self._turns.session
        if session is not None and (names := unfinished_work(self._state, session)):
            words = clean_line(", ".join(names))
            self._report.notify(f"acp-tui: the turn is over; still at work, and ended now: {words}")

    async def _wait_for_comparisons(self) -> None:
        """Wait up to `COMPARE_TIMEOUT` until the files are compared with what was allowed, so that
        findings are reported.
        """
        with anyio.move_on_after(COMPARE_TIMEOUT):
            await self._comparisons_done()

    async def _wait_until_written(self, ended: Ended) -> None:
        """Wait until the output is written; only for `FLUSH_TIMEOUT` seconds if the program has to
        quit.
        """
        async with anyio.create_task_group() as tasks:

            async def leave_in_time() -> None:
                while not self._turns.watch.interrupted and ended.code is not ExitCode.TIMEOUT:
                    await self._turns.watch.wait()
                await anyio.sleep(FLUSH_TIMEOUT)
                tasks.cancel_scope.cancel()

            tasks.start_soon(leave_in_time)
            await self._report.output.written()
            tasks.cancel_scope.cancel()


def _denies(event: Event) -> bool:
    """Return whether an event answers a permission request with anything but an option that allows."""
    match event:
        case Responded(
            direction=Direction.OUT, request=Requested(params=AnyPermissionRequest() as asked)
        ):
            return not asked.is_allowed_by(event.result)
    return False


def _exit_code_of(failure: OSError) -> ExitCode:
    """Return the exit code for failed output; print the reason unless the reader closed the pipe,
    as `head` does.
    """
    if isinstance(failure, BrokenPipeError):
        return ExitCode.INTERRUPTED
    with suppress(OSError):
        print(f"acp-tui: can't write the output: {failure.strerror}", file=sys.stderr)  # noqa: T201
    return ExitCode.ERROR
