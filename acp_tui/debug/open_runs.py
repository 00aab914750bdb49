"""Which records continue what began in one before: the chunks of a message, the lines of output."""

from acp_tui.debug.chunk_cache import CHUNKS
from acp_tui.debug.exchanges import Reading, text
from acp_tui.protocol.events import AgentLogLine, StderrLine, TerminalOutput
from acp_tui.protocol.frames import Frame
from acp_tui.protocol.jsonrpc import Malformed
from acp_tui.recordings.recording import Record


class OpenRuns:
    """Knows the message of each session that the next chunk may continue, and the record before."""

    def __init__(self) -> None:
        self._messages: dict[str, tuple[str, str, int]] = {}
        """Of each session: the kind of its last chunk, the message's id, and where it began."""
        self._before: Record | None = None
        self._run_before = 0

    def run_of(self, reading: Reading, kind: str) -> int:
        """Return the index of the record in which began what this one continues, or its own."""
        run = self._continued(reading, kind)
        self._before = reading.record
        self._run_before = reading.index if run is None else run
        return self._run_before

    def _continued(self, reading: Reading, kind: str) -> int | None:
        if reading.aside:
            return None
        if not isinstance(reading.record, Frame):
            return self._run_before if self._goes_on(reading.record) else None
        if reading.spread is not None:
            return None if reading.spread.lines == 1 else reading.spread.first
        session = reading.session_id
        if kind not in CHUNKS:
            if session and not isinstance(reading.message, Malformed):
                self._messages.pop(session, None)
            return None
        message = text(reading.update.get("messageId"))
        before = self._messages.get(session)
        if before is not None and before[:2] == (kind, message):
            return before[2]
        self._messages[session] = (kind, message, reading.index)
        return None

    def _goes_on(self, record: Record) -> bool:
        before = self._before
        if isinstance(record, TerminalOutput) and isinstance(before, TerminalOutput):
            return record.terminal_id == before.terminal_id
        return isinstance(record, StderrLine | AgentLogLine) and type(before) is type(record)
