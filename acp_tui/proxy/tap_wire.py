"""The wire of a tap, as a gate sees it: both sides are foreign."""

import os
import signal
from asyncio import get_running_loop
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

from acp_tui.client.connection.link import RecordFrame
from acp_tui.client.connection.wire import WireGate
from acp_tui.client.process.group import ProcessGroup
from acp_tui.protocol.events import LocalEvent
from acp_tui.protocol.frames import Direction, Line
from acp_tui.protocol.jsonrpc import Message
from acp_tui.proxy.tap_streams import TapStream


class TapWire:
    """Adapts a tap's streams to the `Wire` that a gate controls: each line goes on with its
    newline.
    """

    in_pieces = frozenset(Direction)

    def __init__(
        self,
        record: RecordFrame,
        emit: Callable[[LocalEvent], None],
        streams: Mapping[Direction, TapStream],
        group: ProcessGroup,
    ) -> None:
        self.record = record
        self.emit = emit
        self._streams = streams
        self._group = group
        self._loop = get_running_loop()  # callbacks of the gate run in this loop, outside any task

    def use(self, gate: WireGate) -> None:
        """Let `gate` decide on each line from now on. When a side ends, held lines are passed on
        first.
        """
        for side, stream in self._streams.items():
            stream.guard(partial(_feed, gate, side), partial(gate.release_all, side))

    def pass_on(self, direction: Direction, raw: bytes, cuts: tuple[int, ...] = ()) -> None:
        """Send a line to the editor or the agent."""
        self._streams[direction].put(raw + b"\n", cuts)

    def after(self, seconds: float, then: Callable[[], None]) -> None:
        """Call `then` after `seconds`, unless the agent ends first."""
        self._loop.call_later(seconds, then)

    def lost(self, direction: Direction, message: Message, why: str) -> None:
        """Do nothing: the sender of a lost request finds out by itself."""

    def stall(self, direction: Direction, seconds: float) -> None:
        """Stop reading and forwarding in one direction for `seconds`."""
        self._streams[direction].stall(seconds)

    def kill(self) -> None:
        """Kill the agent."""
        if self._group.exit is None:
            with suppress(OSError):
                os.kill(self._group.pid, signal.SIGKILL)


def _feed(gate: WireGate, side: Direction, raw: bytes) -> None:
    gate.feed(side, Line(raw, len(raw)))
