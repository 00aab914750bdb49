"""The agent's process and its pipes: starts it, drains it, and ends it with its group."""

import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import anyio
from anyio.lowlevel import checkpoint

from acp_tui.client.output_log import LineSplitter
from acp_tui.client.process.group import Exit, ProcessGroup, spawn_process

READ_SIZE = 256 * 1024
"""Bytes per read."""
_DRAIN_PERIOD = 0.02
_DRAIN_CHUNKS = 64


@contextmanager
def open_pipe() -> Iterator[tuple[int, int]]:
    """Open a pipe and yield (read end, write end); both are closed if the block raises."""
    ends = os.pipe()
    try:
        yield ends
    except BaseException:
        for end in ends:
            with suppress(OSError):
                os.close(end)
        raise


class _End:
    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self.closed = False

    def close(self) -> None:
        """Close this end and wake the tasks that wait for it. May be called again."""
        if not self.closed:
            self.closed = True
            with suppress(RuntimeError):  # the event loop is closed: nobody waits
                anyio.notify_closing(self._descriptor)
            os.close(self._descriptor)


class PipeReader(_End):
    """The read end of a pipe. Only one task may read at a time."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor)
        self._receives = 0
        self._waiting = False

    async def receive(self, size: int = READ_SIZE) -> bytes:
        """Wait for output and return at most `size` bytes of it, or b"" at EOF."""
        await checkpoint()
        self._receives += 1
        while not self.closed:
            try:
                return os.read(self._descriptor, size)
            except BlockingIOError:
                await self._until_readable()
        return b""

    async def drain(self) -> None:
        """Discard output until EOF, as long as no task receives it.

        Polls: a task that received something since the last poll will receive the rest, too.
        """
        receives = self._receives
        while not self.closed:
            await anyio.sleep(_DRAIN_PERIOD)
            if not self._waiting and self._receives == receives:
                with suppress(BlockingIOError):
                    for _ in range(_DRAIN_CHUNKS):
                        if self.closed or not os.read(self._descriptor, READ_SIZE):
                            break
            receives = self._receives

    async def _until_readable(self) -> None:
        self._waiting = True
        try:
            await anyio.wait_readable(self._descriptor)
        except anyio.ClosedResourceError:
            pass
        finally:
            self._waiting = False


class PipeWriter(_End):
    """The write end of a pipe. Only one task may write at a time."""

    async def send(self, data: bytes) -> bool:
        """Write all of `data`; return False if either end is closed.

        If canceled, a part may have been written.
        """
        await checkpoint()
        rest = memoryview(data)
        while rest and not self.closed:
            try:
                rest = rest[os.write(self._descriptor, rest) :]
            except BlockingIOError:
                try:
                    await anyio.wait_writable(self._descriptor)
                except anyio.ClosedResourceError:
                    break
            except BrokenPipeError:
                return False
        return not rest and not self.closed


_STDERR_CHUNK = 16 * 1024


class AgentProcess:
    """A running agent with three pipes, in a process group of its own."""

    def __init__(
        self, group: ProcessGroup, stdin: PipeWriter, stdout: PipeReader, stderr: PipeReader
    ) -> None:
        self._group = group
        self._stdin = stdin
        self._stdout = stdout
        self._stderr = stderr
        self.stdin_closed = False
        """Whether we closed stdin, after which an exit is expected."""
        self._stopping = anyio.Lock()

    @classmethod
    async def spawn(
        cls, argv: Sequence[str], cwd: str, env: Mapping[str, str] | None = None
    ) -> "AgentProcess":
        """Start the agent in `cwd`, with `env` added to our environment.

        Raises SpawnError, whose message names the command and what to do. `stop` must be called
        afterward, even if the process has exited by itself.
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
        """Write to stdin; return False if the agent has closed it. Only one task may write."""
        return await self._stdin.send(data)

    def close_stdin(self) -> None:
        """Close stdin, which asks the agent to exit."""
        self.stdin_closed = True
        self._stdin.close()

    def stderr_lines(self) -> "StderrLines":
        """Return the lines of stderr, cleaned and of limited length. A task must keep reading."""
        return StderrLines(self._stderr)

    async def wait(self) -> Exit:
        """Wait for the agent itself to exit, even if other processes still hold its pipes."""
        return await self._group.wait()

    async def stop(self, grace: float) -> Exit:
        """End the agent and its group: close stdin, wait, SIGTERM, wait, SIGKILL.

        Each wait takes up to `grace` seconds. Completes under cancellation; may be called again,
        and after the agent has exited. Unread output is drained until then, so that the agent can't
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
        """SIGKILL the group without waiting, as a last resort in signal handlers and atexit."""
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
