"""A transport that spares us: of an agent that floods its stdout with logs only the first are kept."""

from collections.abc import Sequence

from acp_tui.client.connection.transport import Outgoing, Transport
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.frames import Line
from acp_tui.protocol.json_decoder import LONGEST
from acp_tui.protocol.jsonrpc import Malformed

MOST = 1000
"""Lines that are no messages after which no more of them are kept."""


class SparingTransport:
    """Passes on what an agent says, but for too much that is no message."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._noise = 0

    @property
    def left_out(self) -> int:
        """How many lines were left out."""
        return max(0, self._noise - MOST)

    async def receive(self) -> Sequence[Line]:
        """Return the next lines that are kept; none when no more will come."""
        while lines := await self._transport.receive():
            if kept := [line for line in lines if self._is_kept(line.raw)]:
                return kept
        return ()

    async def send(self, message: Outgoing) -> None:
        """Send a message."""
        await self._transport.send(message)

    def _is_kept(self, raw: bytes) -> bool:
        if _may_be_message(raw):
            return True
        self._noise += 1
        return self._noise <= MOST


def _may_be_message(raw: bytes) -> bool:
    """Whether a line is a message, or one that is over a limit."""
    if len(raw) > LONGEST:
        return True
    return b"{" in raw and not isinstance(jsonrpc.parse(raw), Malformed)
