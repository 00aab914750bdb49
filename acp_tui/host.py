"""Composes a client with a view, and sees to it that both end, whatever happens."""

import gc
import signal
from collections.abc import AsyncIterable, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel

from acp_tui.client.client import Client, Launch, Record
from acp_tui.client.foreground import run_program
from acp_tui.client.recorder import Recorder
from acp_tui.session.sign_in import Program
from acp_tui.wire.memory import Memory

if TYPE_CHECKING:
    from acp_tui.headless.run import Options


class Leave:
    """A signal's wish that we leave; `number` is the signal's once it is `asked`."""

    def __init__(self) -> None:
        self.asked = anyio.Event()
        self.number = 0

    async def hear(self, signals: AsyncIterable[int], client: Client) -> None:
        """The first signal is a wish; whoever sends a second one wants no more waiting."""
        async for number in signals:
            if self.asked.is_set():
                client.kill_now()
            else:
                self.number = number
                self.asked.set()


@asynccontextmanager
async def hosted(
    launch: Launch, recorder: Recorder | None, memory: Memory | None = None
) -> AsyncIterator[tuple[Client, Leave]]:
    """A client whose agent is being started; at the end nothing of it is left.

    What happens is recorded and kept in memory, where that is wanted. Signals are heard until that end: none kills us before the agent has gone.
    """
    async with anyio.create_task_group() as tasks:
        client, leave = Client(launch, tap=_tap(recorder, memory)), Leave()
        if recorder is not None:
            tasks.start_soon(recorder.run, partial(client.warn, "Not recorded any more"))
        with anyio.open_signal_receiver(*_signals()) as signals:
            tasks.start_soon(leave.hear, signals, client)
            try:
                async with anyio.create_task_group() as hosts:
                    hosts.start_soon(client.run)
                    yield client, leave
                    hosts.cancel_scope.cancel()
            finally:
                client.kill_now()
            tasks.cancel_scope.cancel()


def _tap(recorder: Recorder | None, memory: Memory | None) -> Callable[[Record], None]:
    """Give each record to all who want it."""
    takers = [] if recorder is None else [recorder.record]
    if memory is not None:
        takers.append(memory.append)

    def tap(record: Record) -> None:
        for take in takers:
            take(record)

    return tap


def _signals() -> list[signal.Signals]:
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


async def with_turn(
    launch: Launch, recorder: Recorder | None, options: "Options", report_format: str
) -> int:
    """One turn without a UI; returns the exit code."""
    from acp_tui.headless.report import JsonReport, TextReport
    from acp_tui.headless.run import Run

    async with hosted(launch, recorder) as (client, leave), anyio.create_task_group() as tasks:
        report = JsonReport() if report_format == "json" else TextReport()
        if options.person:
            options = replace(options, run_program=partial(_run_program, launch))
        run = Run(client.state, client.do, report, options)
        client.listen(run.happened)

        async def leave_on_signal() -> None:
            await leave.asked.wait()
            run.interrupt()

        tasks.start_soon(leave_on_signal)
        code = await run.turn()
        tasks.cancel_scope.cancel()
    return code


async def _run_program(launch: Launch, program: Program) -> int:
    return await run_program(program, launch.env)


async def with_ui(launch: Launch, recorder: Recorder | None, theme: str | None) -> int:
    """The terminal interface; returns the exit code."""
    memory = Memory()
    async with (
        hosted(launch, recorder, memory) as (client, leave),
        anyio.create_task_group() as tasks,
    ):
        await anyio.lowlevel.checkpoint()  # the agent starts while the UI is being loaded
        from acp_tui.ui.app import AcpApp
        from acp_tui.ui.lifeline import terminal_gone

        # All that code stays. Looking through it, or through much at one go, would stall the screen.
        gc.freeze()
        gc.set_threshold(5_000, 20, 50)
        app = AcpApp(
            client.state,
            client.do,
            theme_name=theme,
            records=memory,
            timeout=launch.timeout,
            run_program=partial(_run_program, launch),
        )
        client.listen(lambda _, changes: app.changed(changes))

        async def leave_on_signal() -> None:
            await leave.asked.wait()
            app.exit(return_code=128 + leave.number)

        async def leave_without_terminal() -> None:
            await terminal_gone()
            app.exit(return_code=129)

        tasks.start_soon(leave_on_signal)
        tasks.start_soon(leave_without_terminal)
        await app.run_async()
        tasks.cancel_scope.cancel()
    return app.return_code or 0
