"""Writes a recording off the loop, so that a slow disk never slows the session."""

import os
from pathlib import Path

import anyio
from anyio import to_thread

from acp_tui.wire.recording import Record, dump, header

PERIOD = 0.5
"""Seconds between two writes; so much a crash can lose."""


class Recorder:
    """Collects records and writes them in batches; `failure` says why it had to stop.

    Raises OSError if the file can't be made.
    """

    def __init__(self, path: Path, facts: dict[str, object]) -> None:
        self._lines = [header(facts)]
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        self.failure: str | None = None

    def record(self, record: Record) -> None:
        """Take a record; never waits."""
        if self.failure is None:
            self._lines.append(dump(record))

    async def run(self) -> None:
        """Write what was taken, until cancelled; then the rest."""
        try:
            while self.failure is None:
                await anyio.sleep(PERIOD)
                await self._write()
        finally:
            await self._write()
            os.close(self._file)

    async def _write(self) -> None:
        lines, self._lines = self._lines, []
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
        try:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(self._write_all, data)
        except OSError as error:
            self.failure = f"the recording has stopped: {error.strerror or error}"

    def _write_all(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._file, rest) :]
