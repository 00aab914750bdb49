"""Composes a client with a view, and sees to it that both end, whatever happens."""

import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.lowlevel

from acp_tui.client.client import Client, Launch
from acp_tui.client.recorder import Recorder
from acp_tui.headless.report import JsonReport, TextReport
from acp_tui.headless.run import Options, Run


@asynccontextmanager
async def hosted(launch: Launch, record: Path | None) -> AsyncIterator[Client]:
    """A client whose agent is being started; at the end nothing of it is left."""
    async with anyio.create_task_group() as tasks:
        tap: Callable[[object], None] = _nowhere
        if record is not None:
            facts = {"argv": launch.argv, "cwd": launch.cwd, "started": time.time()}
            recorder = Recorder(record, facts)
            tap = recorder.record  # type: ignore[assignment]
            tasks.start_soon(recorder.run)
        client = Client(launch, tap=tap)
        try:
            async with anyio.create_task_group() as hosts:
                hosts.start_soon(client.run)
                yield client
                hosts.cancel_scope.cancel()
        finally:
            client.kill_now()
        tasks.cancel_scope.cancel()


def _nowhere(_: object) -> None:
    """Where nothing is recorded."""


async def with_turn(
    launch: Launch, record: Path | None, options: Options, report_format: str
) -> int:
    """One turn without a UI; returns the exit code."""
    async with hosted(launch, record) as client, anyio.create_task_group() as tasks:
        report = JsonReport() if report_format == "json" else TextReport()
        run = Run(client.state, client.do, report, options)
        client.listen(run.happened)
        tasks.start_soon(_interrupt, run)
        code = await run.turn()
        tasks.cancel_scope.cancel()
    return code


async def _interrupt(run: Run) -> None:
    """The first Ctrl+C cancels the turn, a second one does not wait for that."""
    with anyio.open_signal_receiver(*_signals()) as signals:
        async for number in signals:
            run.interrupt()
            if number == signal.SIGINT:
                signal.signal(signal.SIGINT, signal.default_int_handler)


def _signals() -> list[signal.Signals]:
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


async def with_ui(launch: Launch, record: Path | None, theme: str | None) -> int:
    """The terminal interface; returns the exit code."""
    async with hosted(launch, record) as client, anyio.create_task_group() as tasks:
        await anyio.lowlevel.checkpoint()  # the agent starts while the UI is being loaded
        from acp_tui.ui.app import AcpApp
        from acp_tui.ui.lifeline import terminal_gone

        app = AcpApp(client.state, client.do, theme_name=theme)
        client.listen(lambda _, changes: app.changed(changes))

        async def leave_on_signal() -> None:
            with anyio.open_signal_receiver(*_signals()) as signals:
                async for number in signals:
                    app.exit(return_code=128 + number)

        async def leave_without_terminal() -> None:
            await terminal_gone()
            app.exit(return_code=129)

        tasks.start_soon(leave_on_signal)
        tasks.start_soon(leave_without_terminal)
        await app.run_async()
        tasks.cancel_scope.cancel()
    return app.return_code or 0
