"""A screen, as a kept run sees it: how much of each agent's log it has been sent."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import anyio
from anyio.lowlevel import checkpoint

from acp_tui.kept.messages import SocketConnection, format_message, record_pieces
from acp_tui.protocol.events import Record

BATCH_BYTES = 32 * 1024
"""About how many bytes are sent at one time: a few milliseconds of work."""
SHARE = 64
"""Records of one agent that are sent before it is another one's turn."""
MOST_WORDS = 10_000
"""Messages that may wait for a screen that reads nothing; with more, its connection is closed."""


class Screen:
    """Is sent what it lacks, as fast as it takes it. The log is what waits: nothing is queued, so a
    slow screen holds up nobody, and misses nothing.
    """

    def __init__(self, connection: SocketConnection, name: str) -> None:
        self.name = name
        self._connection = connection
        self._words: deque[bytes] = deque()
        self._logs: dict[int, Sequence[Record]] = {}
        self._sent: dict[int, int] = {}
        self._news = anyio.Event()

    def tell(self, **body: Any) -> None:
        """Send a message soon; close the connection of a screen that has read nothing for too long."""
        self._words.append(format_message(**body))
        self.wake()
        if len(self._words) > MOST_WORDS:
            self._connection.close()

    def show_agent(self, number: int, records: Sequence[Record], facts: dict[str, Any]) -> None:
        """Send the facts of an agent, and its records, now and later."""
        self._logs[number] = records
        self._sent[number] = 0
        self.tell(agent=number, records=len(records), **facts)

    def drop(self, number: int) -> None:
        """Notify the screen that an agent was closed."""
        self._logs.pop(number, None)
        self._sent.pop(number, None)
        self.tell(gone=number)

    def wake(self) -> None:
        """Note that there is something to send."""
        self._news.set()

    async def write(self) -> None:
        """Send everything that the screen lacks, until canceled. Raises OSError once the screen is
        gone.
        """
        while True:
            self._news = anyio.Event()
            for piece in self._pieces():
                await self._connection.send(piece)
                await checkpoint()
            await self._news.wait()

    def _pieces(self) -> Iterator[bytes]:
        """Yield the missing messages and records, messages first: an agent is announced before anything is
        said about it.
        """
        batch = bytearray()
        while self._words or any(self._sent[one] < len(self._logs[one]) for one in self._logs):
            while self._words:
                batch += self._words.popleft()
            for number in list(self._logs):
                for piece in self._records(number):
                    batch += piece
                    if len(batch) >= BATCH_BYTES:
                        yield bytes(batch)
                        batch.clear()
        if batch:
            yield bytes(batch)

    def _records(self, number: int) -> Iterator[bytes]:
        """Yield the next records of an agent that was not dropped meanwhile."""
        for _ in range(SHARE):
            records, at = self._logs.get(number, ()), self._sent.get(number, 0)
            if at >= len(records):
                break
            self._sent[number] = at + 1
            yield from record_pieces(number, records, at)
