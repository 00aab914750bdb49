"""Pipe ends without a transport: large reads, no buffers of our own."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import anyio
from anyio.lowlevel import checkpoint

READ_SIZE = 256 * 1024
"""Bytes per read."""
_DRAIN_PERIOD = 0.02
_DRAIN_CHUNKS = 64


@contextmanager
def open_pipe() -> Iterator[tuple[int, int]]:
    """Open a pipe; yield (read end, write end), which are both closed if the block fails."""
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
        """Close this end and wake its waiters. May be called again."""
        if not self.closed:
            self.closed = True
            with suppress(RuntimeError):  # the event loop is closed: nobody waits
                anyio.notify_closing(self._descriptor)
            os.close(self._descriptor)


class PipeReader(_End):
    """The reading end. One task reads at a time."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor)
        self._receives = 0
        self._waiting = False

    async def receive(self, size: int = READ_SIZE) -> bytes:
        """Return the available bytes, at most `size`; wait if there are none. b"" after EOF."""
        await checkpoint()
        self._receives += 1
        while not self.closed:
            try:
                return os.read(self._descriptor, size)
            except BlockingIOError:
                await self._until_readable()
        return b""

    async def drain(self) -> None:
        """Drop all output until EOF while no task receives it.

        Polls: a task that has received within the last moments will receive the rest too.
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
    """The writing end. One task writes at a time."""

    async def send(self, data: bytes) -> bool:
        """Write all of `data`; return False if either end is closed.

        If canceled midway, a part may have been written.
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
