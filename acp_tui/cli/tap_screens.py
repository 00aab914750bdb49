"""Shows a tap to the screens that attach to it. Loaded when the first one comes."""

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup

from acp_tui.client.spill import Spill
from acp_tui.config.paths import recordings_folder
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.proxy.interceptor import Interceptor
from acp_tui.recordings.long_frames import HUGE, Keep, KeptFrame, keep_frame
from acp_tui.recordings.packed_log import PackedLog
from acp_tui.recordings.recording import Record

if TYPE_CHECKING:
    from acp_tui.kept.run_places import RunPlace
    from acp_tui.kept.tap_server import TappedServer

LOOKED_BACK = 20_000
"""How many of the last records are searched for requests without an answer."""


class TapScreens:
    """Keeps the records of a tap, and shows them to whoever attaches."""

    def __init__(
        self,
        tasks: TaskGroup,
        record: Callable[[Record | KeptFrame], None] | None,
        keep: Keep | None = None,
    ) -> None:
        self._tasks = tasks
        self._to_disk = record
        self._keep = keep
        self._memory = PackedLog(keep=keep)
        self._server: TappedServer | None = None

    def record(self, record: Record) -> None:
        """Record a frame or a fact, and show it."""
        if self._keep is not None and isinstance(record, Frame) and len(record.raw) >= HUGE:
            kept = keep_frame(record, self._keep)
            self._write(kept)
            self._memory.append_kept(kept)
        else:
            self._write(record)
            self._memory.append(record)
        if self._server is not None:
            self._server.wake()

    def _write(self, record: Record | KeptFrame) -> None:
        if self._to_disk is not None:
            self._to_disk(record)

    def waiting(self) -> list[Frame]:
        """Return the recent requests without an answer, but for huge ones; what a huge one answers is
        among them.
        """
        from acp_tui.protocol.connection import WireConnection

        connection, frames = WireConnection(), {}
        for at in range(max(0, len(self._memory) - LOOKED_BACK), len(self._memory)):
            record = None if self._memory.kept(at) else self._memory[at]
            if isinstance(record, Frame):
                frames[record.number] = record
                connection.receive(record)
        waiting = [one.number for side in Direction for one in connection.pending(side)]
        return [frames[number] for number in sorted(waiting)]

    async def listen(
        self, place: "RunPlace", listener: socket.socket, holding: Interceptor
    ) -> None:
        """Take screens until cancelled."""
        listener.setblocking(False)
        await anyio.wait_readable(listener)
        await to_thread.run_sync(_load)
        from acp_tui.kept.tap_server import TappedServer

        self._server = TappedServer(place, self._memory, holding, self._tasks)
        await self._server.listen(listener)


@contextmanager
def kept_on_disk() -> Iterator[Keep | None]:
    """Yield what keeps records on disk: a tap runs as long as the editor. None if that is impossible; then
    they stay in memory.
    """
    with ExitStack() as stack:
        keep = None
        with suppress(OSError):
            keep = stack.enter_context(closing(Spill(recordings_folder())))
        yield keep


def _load() -> None:
    """Load the modules that serve screens, outside of the event loop: that takes some time."""
    from acp_tui.kept import tap_server

    assert tap_server
