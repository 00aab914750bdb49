"""Watches one agent process: its frames, its stderr, and its end."""

import anyio
from anyio.abc import TaskGroup

from acp_tui.client.connection.link import Link
from acp_tui.client.core import Core
from acp_tui.client.output_log import StderrLog
from acp_tui.client.process.agent_process import AgentProcess
from acp_tui.protocol.events import (
    ProcessExited,
    Stalled,
    StdoutClosed,
)

STALL = 2.0
"""Seconds without a byte taken after which an agent is said not to read."""
LAST_FRAMES = 0.5
"""Seconds that the output of an exited agent may still take to arrive."""


class ProcessMonitor:
    """Emits what becomes of a process; sets `over` when it has ended by itself."""

    def __init__(self, core: Core, process: AgentProcess, link: Link, over: anyio.Event) -> None:
        self._core = core
        self._process = process
        self._link = link
        self._over = over
        self._stderr = StderrLog(core.clock, core.emit)

    def begin(self, tasks: TaskGroup) -> None:
        """Start the tasks that read, write and watch."""
        tasks.start_soon(self._read)
        tasks.start_soon(self._link.write)
        tasks.start_soon(self._read_stderr)
        tasks.start_soon(self._watch)

    async def _read(self) -> None:
        """Read to the end; then tell whether the process is gone or only its output."""
        async with anyio.create_task_group() as tasks:
            finished = anyio.Event()
            tasks.start_soon(self._await_exit, finished)
            await self._link.read()
            finished.set()
            await anyio.sleep(LAST_FRAMES)
            if self._core.state.peer.exit is None:
                self._core.emit(StdoutClosed(self._core.clock()))

    async def _await_exit(self, finished: anyio.Event) -> None:
        gone = await self._process.wait()
        with anyio.move_on_after(LAST_FRAMES):
            await finished.wait()
        await anyio.sleep(0.05)  # stderr's last lines
        self._stderr.finish()
        self._core.emit(ProcessExited(self._core.clock(), gone.code, gone.signal))
        self._over.set()

    async def _read_stderr(self) -> None:
        lines = self._process.stderr_lines()
        try:
            while True:
                with anyio.move_on_after(self._stderr.due) as patience:
                    line = await anext(lines, None)
                if patience.cancelled_caught:
                    self._stderr.flush()
                elif line is None:
                    break
                else:
                    self._stderr.add(line)
        finally:
            self._stderr.finish()

    async def _watch(self) -> None:
        """Now and then: say whether the agent reads."""
        while True:
            await anyio.sleep(STALL / 4)
            now = self._core.clock()
            since = self._link.writing_since
            waiting = self._link.waiting if since is not None and now - since > STALL else 0
            if waiting != self._core.state.peer.waiting:
                self._core.emit(Stalled(now, waiting))
