"""Writes to the terminal in a thread of its own: a terminal may be slow, or stuck."""

import os
import select
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from threading import Thread


class Outbox(Thread):
    """Writes to a terminal. When it has gone away, what is written is dropped.

    Sending never blocks. `table` has replacements for characters that the terminal does not have;
    `emptied` is called in this thread when everything is written.
    """

    def __init__(
        self, file: int, emptied: Callable[[], object], table: Mapping[int, str] | None = None
    ) -> None:
        super().__init__(name="acp-tui-output", daemon=True)
        self._file = file
        self._emptied = emptied
        self.table = table
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        self._sent = self._written = 0
        self._gone = False

    @property
    def is_busy(self) -> bool:
        """Whether something is still to be written."""
        return self._sent != self._written

    def send(self, text: str) -> None:
        """Write a text after everything that was sent before it. Call it from one thread only."""
        self._sent += 1
        self._waiting.put(text)

    def end(self, seconds: float) -> bool:
        """Write what is left for `seconds` at most; return whether that was enough."""
        self._waiting.put(None)
        self.join(seconds)
        return not self.is_alive()

    def run(self) -> None:
        while (text := self._waiting.get()) is not None:
            self._write(text if (table := self.table) is None else text.translate(table))
            self._written += 1
            if not self.is_busy:
                self._emptied()

    def _write(self, text: str) -> None:
        data = memoryview(text.encode("utf-8", "replace"))
        while data and not self._gone:
            try:
                data = data[os.write(self._file, data) :]
            except BlockingIOError:  # somebody who has it too has set it so
                select.select([], [self._file], [])
            except OSError:
                self._gone = True
