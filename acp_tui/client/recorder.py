"""Writes a recording off the loop, so that a slow disk never slows the session."""

import os
from pathlib import Path

import anyio
from anyio import to_thread

from acp_tui.wire.recording import Record, dump, header

PERIOD = 0.5
"""Seconds between two writes; so much a crash can lose."""


class Recorder:
    """Collects records and writes them in batches; `failure` says why it had to stop."""

    def __init__(self, path: Path, facts: dict[str, object]) -> None:
        self._lines = [header(facts)]
        self._file = os.fdopen(
            os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
        )
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
                await to_thread.run_sync(self._write)
        finally:
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(self._write)
            self._file.close()

    def _write(self) -> None:
        lines, self._lines = self._lines, []
        try:
            self._file.writelines(f"{line}\n" for line in lines)
            self._file.flush()
        except OSError as error:
            self.failure = f"the recording has stopped: {error.strerror or error}"
