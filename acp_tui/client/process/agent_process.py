"""The agent's process: started without a shell, drained, and ended with all that it started."""

import os
from collections import deque
from collections.abc import Mapping, Sequence

import anyio

from acp_tui.client.output_log import LineSplitter
from acp_tui.client.process.group import Exit, ProcessGroup, SpawnError, spawn_process
from acp_tui.client.process.pipes import PipeReader, PipeWriter, open_pipe

__all__ = ["AgentProcess", "Exit", "SpawnError", "StderrLines"]

_STDERR_CHUNK = 16 * 1024


class AgentProcess:
    """A running agent with three pipes and a process group of its own."""

    def __init__(
        self, group: ProcessGroup, stdin: PipeWriter, stdout: PipeReader, stderr: PipeReader
    ) -> None:
        self._group = group
        self._stdin = stdin
        self._stdout = stdout
        self._stderr = stderr
        self.stdin_closed = False
        """True once we closed stdin: then an exit is expected."""
        self._stopping = anyio.Lock()

    @classmethod
    async def spawn(
        cls, argv: Sequence[str], cwd: str, env: Mapping[str, str] | None = None
    ) -> "AgentProcess":
        """Start the agent in `cwd`, with our environment and `env` on top of it.

        Raises SpawnError, whose message names the command and what to do. Must be followed by
        `stop`, even if the process has exited by itself.
        """
        with open_pipe() as stdin, open_pipe() as stdout, open_pipe() as stderr:
            group = spawn_process(
                argv, cwd, env or {}, stdin=stdin[0], stdout=stdout[1], stderr=stderr[1]
            )
        for theirs in (stdin[0], stdout[1], stderr[1]):
            os.close(theirs)
        return cls(group, PipeWriter(stdin[1]), PipeReader(stdout[0]), PipeReader(stderr[0]))

    @property
    def pid(self) -> int:
        return self._group.pid

    async def receive(self) -> bytes:
        """Return the next bytes of stdout, or b"" after EOF."""
        return await self._stdout.receive()

    async def send(self, data: bytes) -> bool:
        """Write to stdin; return False if the agent has closed it. One task writes at a time."""
        return await self._stdin.send(data)

    def close_stdin(self) -> None:
        """Close stdin, which asks the agent to exit."""
        self.stdin_closed = True
        self._stdin.close()

    def stderr_lines(self) -> "StderrLines":
        """Return the lines of stderr, cleaned and bounded; a task must always read them."""
        return StderrLines(self._stderr)

    async def wait(self) -> Exit:
        """Wait for the exit of the agent itself, even if others still hold its pipes."""
        return await self._group.wait()

    async def stop(self, grace: float) -> Exit:
        """End the agent and its group: close stdin, wait, SIGTERM, wait, SIGKILL.

        Each wait takes up to `grace` seconds. Completes under cancellation; may be called again,
        and when the agent has exited. Unread output is drained meanwhile, so that the agent doesn't
        block on its last output.
        """
        with anyio.CancelScope(shield=True):
            async with self._stopping, anyio.create_task_group() as drains:
                self._stdin.close()
                drains.start_soon(self._stdout.drain)
                drains.start_soon(self._stderr.drain)
                with anyio.move_on_after(grace):
                    await self._group.wait()
                ended = await self._group.end(grace)
                drains.cancel_scope.cancel()
            self._stdout.close()
            self._stderr.close()
        return ended

    def kill_now(self) -> None:
        """SIGKILL the group without waiting, as a last resort: in signal handlers and atexit."""
        self._group.kill_now()


class StderrLines:
    """An async iterator over the lines of stderr, ready for display."""

    def __init__(self, pipe: PipeReader) -> None:
        self._pipe = pipe
        self._lines: deque[str] = deque()
        self._splitter = LineSplitter()

    def __aiter__(self) -> "StderrLines":
        return self

    async def __anext__(self) -> str:
        while not self._lines:
            data = await self._pipe.receive(_STDERR_CHUNK)
            if not data and not self._splitter.open:
                raise StopAsyncIteration
            self._lines.extend(self._splitter.feed(data or b"\n"))
        return self._lines.popleft()
