"""The log as a table: reads records in slices, pairs requests, groups chunks, collects findings."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Self

from acp_tui.debug.exchanges import Exchanges, PendingRequest, Reading, Spoken, Spread, Status
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.repeated_chunks import CHUNKS, ChunkCache
from acp_tui.debug.rows import DIRECTIONS, NOWHERE, STATUSES, LogRow, RowStore
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.findings import Finding
from acp_tui.protocol.frames import Direction, Frame, FrameMark
from acp_tui.protocol.json_parts import text_at, text_or_none_at, value_at
from acp_tui.protocol.jsonrpc import Failure, Malformed, Request, Response
from acp_tui.protocol.kinds import AT_WORK
from acp_tui.protocol.process_events import (
    AgentLogLine,
    AgentLogOmitted,
    Disconnected,
    OutputOmitted,
    ProcessExited,
    StderrLine,
    StderrOmitted,
    TerminalOutput,
)
from acp_tui.recordings.recording import event_name
from acp_tui.recordings.records import Records


def chunk_text(record: Record) -> str | None:
    """Return the text of a chunk; None if the record has none."""
    value = jsonrpc.decode(record.raw) if isinstance(record, Frame) else None
    return text_or_none_at(value, "params", "update", "content", "text")


PROMPT = "session/prompt"


@dataclass(frozen=True, slots=True)
class Latency:
    """Response times of one method, in seconds."""

    method: str
    direction: Direction
    count: int
    p50: float
    p95: float
    p99: float
    longest: float


class OpenRuns:
    """Tracks each session's open message, which the next chunk may continue, and the last record."""

    def __init__(self) -> None:
        self._messages: dict[str, tuple[str, str, int]] = {}
        """The kind and message id of each session's last chunk, and the index of the first one."""
        self._sdk_messages: dict[str, tuple[str, int]] = {}
        """The kind of each session's last SDK message, and the index of the first one."""
        self._before: Record | None = None
        self._run_before = 0

    def run_of(self, reading: Reading, kind: str) -> int:
        """Return the index of the record that began the run which this one continues, or its own."""
        run = self._continued(reading, kind)
        self._before = reading.record
        self._run_before = reading.index if run is None else run
        return self._run_before

    def _continued(self, reading: Reading, kind: str) -> int | None:
        if reading.aside:
            return None
        if not isinstance(reading.record, Frame):
            return self._run_before if self._is_continuation(reading.record) else None
        if reading.spread is not None:
            return None if reading.spread.lines == 1 else reading.spread.first
        session = reading.session_id
        if reading.is_sdk_message:  # apart from the chunks that an adapter makes of them
            before_it = self._sdk_messages.get(session)
            if before_it is not None and before_it[0] == kind:
                return before_it[1]
            self._sdk_messages[session] = (kind, reading.index)
            return None
        if kind not in CHUNKS:
            if session and not isinstance(reading.message, Malformed):
                self._messages.pop(session, None)
            return None
        message = text_at(reading.update, "messageId")
        before = self._messages.get(session)
        if before is not None and before[:2] == (kind, message):
            return before[2]
        self._messages[session] = (kind, message, reading.index)
        return None

    def _is_continuation(self, record: Record) -> bool:
        before = self._before
        if isinstance(record, TerminalOutput) and isinstance(before, TerminalOutput):
            return record.terminal_id == before.terminal_id
        return isinstance(record, StderrLine | AgentLogLine) and type(before) is type(record)


class Log(RowStore):
    """A table over `records`, which may grow: `catch_up` reads the new ones. With a `linter`, it
    also has findings.
    """

    def __init__(self, records: Sequence[Record], linter: Linter | None = None) -> None:
        super().__init__(records)
        self.linter = linter
        self._exchanges = Exchanges(self._recall)
        self._repeats = ChunkCache()
        self._open_runs = OpenRuns()
        self._counted = ("", "", "")
        self.durations: dict[tuple[str, Direction], array[float]] = defaultdict(lambda: array("d"))
        """Seconds until each response, in order, by the method and direction of the request."""

    def catch_up(self, limit: int | None = None, size: int | None = None) -> bool:
        """Read new records: at most `limit`, and about `size` bytes; return whether none are left."""
        end = len(self.records)
        start = len(self)
        stop = end if limit is None else min(end, start + limit)
        enough = None if size is None else self._ends[-1] + size
        for index in range(start, stop):
            self._add_record(self.records[index], index)
            if enough is not None and self._ends[-1] > enough:
                break
        return len(self) == end

    def finish(self) -> None:
        """Add the findings that only the end of a recording shows."""
        if self.linter is not None:
            self._note_findings(self.linter.finish())

    @classmethod
    def of_all(cls, records: Sequence[Record], linter: Linter) -> Self:
        """Return the table of a whole recording, with its findings."""
        log = cls(records, linter)
        log.catch_up()
        log.finish()
        return log

    @property
    def spoken(self) -> Spoken | None:
        """The protocol version that was spoken last, if known."""
        return None if self.linter is None else self.linter.spoken

    def latencies(self) -> list[Latency]:
        """Return the latencies of each method, slowest first."""
        found = []
        for (method, direction), values in self.durations.items():
            ordered = sorted(values)
            found.append(
                Latency(
                    method,
                    direction,
                    len(ordered),
                    percentile(ordered, 0.5),
                    percentile(ordered, 0.95),
                    percentile(ordered, 0.99),
                    ordered[-1],
                )
            )
        return sorted(found, key=lambda one: -one.longest)

    def _add_record(self, record: Record, index: int) -> None:
        if isinstance(record, Frame) and self._repeats.has(record):
            findings = self._findings_of_repeated(index)
            if findings is not None:
                self._add_repeated(record, index)
                self._note_findings(findings)
                return
        reading = self._exchanges.read(index, record)
        self._repeats.learn(reading)
        direction = DIRECTIONS[0] if reading.direction is None else reading.direction.value
        # Of a multi-line object, only the first row gets names, once its last line is read.
        named = reading if reading.spread is None else Reading(index, record)
        kind = named.kind if isinstance(record, Frame) else event_name(type(record))
        is_answer = isinstance(reading.message, Response | Failure)
        if not is_answer:
            self._counted = (kind, named.method, direction)
            self.counts[self._counted] += 1
        self.times.append(record.at)
        self.numbers.append(record.number if isinstance(record, Frame) else 0)
        self.events += not isinstance(record, Frame)
        if isinstance(record, Frame) and record.is_marked:
            self.marks[index] = FrameMark(record.by, record.of, record.stopped)
        self._ends.append(self._ends[-1] + _size(record))
        self.directions.append(DIRECTIONS.index(direction))
        self.methods.append(self._code(named.method, "method"))
        self.kinds.append(self._code(kind, "kind"))
        self.sessions.append(self._code(named.session_id, "session"))
        self.statuses.append(STATUSES.index(reading.status))
        self.asks.append(reading.is_request)
        self.partners.append(NOWHERE)
        run = self._open_runs.run_of(reading, kind)
        self.runs.append(run)
        if run != index:
            self.run_ends[run] = index
        if isinstance(reading.message, Request | Response | Failure):
            self.ids[index] = reading.message.id
            if not reading.aside:
                self._pair_exchange(reading)
        if reading.spread is not None and reading.spread.message is not None:
            self._describe_spread(reading, reading.spread)
        self._abandon_requests(reading)
        if self.linter is not None:
            self._note_findings(self.linter.feed(reading))

    def _recall(self, index: int, params: dict[str, Any]) -> PendingRequest:
        """Rebuild the facts about a request from the columns."""
        row = self[index]
        direction = Direction(row.direction)
        return PendingRequest(index, row.at, direction, row.id, row.method, row.session, params)

    def _findings_of_repeated(self, index: int) -> list[Finding] | None:
        """Return the findings of a repeated chunk; None if it must be parsed to find them."""
        before = self.findings.of(index - 1) if index else []
        text, growth = self._repeats.text, self._repeats.growth
        if self.linter is None or not (before or growth or self.linter.needs_every_chunk):
            return before
        return self.linter.repeated_findings(before, index, text, growth)

    def _add_repeated(self, record: Frame, index: int) -> None:
        """Add a row that equals the previous one except for its time, number and size."""
        self.times.append(record.at)
        self.numbers.append(record.number)
        self._ends.append(self._ends[-1] + (record.size or len(record.raw)))
        self.directions.append(self.directions[-1])
        self.methods.append(self.methods[-1])
        self.kinds.append(self.kinds[-1])
        self.sessions.append(self.sessions[-1])
        self.statuses.append(0)
        self.asks.append(0)
        self.partners.append(NOWHERE)
        run = self.runs[-1]
        self.runs.append(run)
        self.run_ends[run] = index
        self.counts[self._counted] += 1

    def _describe_spread(self, reading: Reading, spread: Spread) -> None:
        """Give the first of several lines the names of the message that they form together."""
        first, message = spread.first, spread.message
        self.spreads[first] = spread
        self.methods[first] = self._code(reading.method, "method")
        self.kinds[first] = self._code(reading.kind, "kind")
        self.sessions[first] = self._code(reading.session_id, "session")
        self.counts[self._counted] -= spread.lines
        self.counts += Counter()  # drops counts of zero
        if isinstance(message, Request | Response | Failure):
            self.ids[first] = message.id
            self.asks[first] = isinstance(message, Request)
        if not isinstance(message, Response | Failure):
            self.counts[reading.kind, reading.method, Direction.IN.value] += 1
        self.changed.append(first)

    def _pair_exchange(self, reading: Reading) -> None:
        if reading.is_request:
            self.unanswered += 1
            self.pending += 1
            if reading.method == PROMPT:
                self.prompts.append(reading.index)
            return
        asked = reading.answered_request
        if asked is None:
            self.orphans += 1
            return
        self.unanswered -= 1
        self.pending -= self.statuses[asked.index] == STATUSES.index(Status.PENDING)
        self.partners[reading.index] = asked.index
        self.partners[asked.index] = reading.index
        self.statuses[asked.index] = self.statuses[reading.index]
        self.changed.append(asked.index)
        duration = reading.record.at - asked.at
        self.durations[asked.method, asked.direction].append(duration)

    def _abandon_requests(self, reading: Reading) -> None:
        """Mark the request that this record gives up, or all pending ones if the process or
        connection ends.
        """
        late = reading.abandoned_request
        if late is not None:
            self.pending -= self.statuses[late.index] == STATUSES.index(Status.PENDING)
            self.statuses[late.index] = STATUSES.index(Status.TIMED_OUT)
            self.changed.append(late.index)
            self.methods[reading.index] = self._code(late.method, "method")
            self.partners[reading.index] = late.index
            answer = self.partners[late.index]
            # The time-out is the partner, unless a response arrives after all.
            self.partners[late.index] = reading.index if answer == NOWHERE else answer
        if not isinstance(reading.record, ProcessExited | Disconnected):
            return
        pending, unanswered = map(STATUSES.index, (Status.PENDING, Status.UNANSWERED))
        for index in self._exchanges.waiting:
            if self.statuses[index] == pending:
                self.statuses[index] = unanswered
                self.pending -= 1
                self.changed.append(index)

    def _note_findings(self, findings: list[Finding]) -> None:
        for finding in findings:
            self.note(finding)


def _size(record: Record) -> int:
    match record:
        case Frame():
            return record.size or len(record.raw)
        case TerminalOutput():
            return len(record.data)
        case OutputOmitted() | StderrOmitted() | AgentLogOmitted():
            return record.size
        case StderrLine() | AgentLogLine():
            return len(record.text.encode("utf-8", "replace"))
    return 0


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which `share` of all values lie, by nearest rank."""
    return ordered[ceil(share * len(ordered)) - 1]


TURNS = 8
"""How many of the newest prompts `in_turn` checks for a missing response."""


class _Newest(Records):
    """A growing sequence of frames that stores only the newest."""

    def __init__(self) -> None:
        self._length = 0
        self._newest: Frame | None = None

    def __len__(self) -> int:
        return self._length

    def add(self, frame: Frame) -> None:
        """Add a frame, dropping the previous one."""
        self._length += 1
        self._newest = frame

    def read(self, index: int) -> Frame:
        """Return the newest frame."""
        assert self._newest is not None
        assert index == self._length - 1
        return self._newest


class LiveRows:
    """Turns frames of both directions into rows as they arrive; `waiting` are pending requests."""

    def __init__(self, waiting: Iterable[Frame] = ()) -> None:
        self._frames = _Newest()
        self._log = Log(self._frames)
        self._at_work: set[str] = set()
        """The sessions that report being at work (version 2)."""
        for frame in waiting:
            self.row(frame)

    def row(self, frame: Frame) -> LogRow:
        """Add the next frame and return its row, which is valid until the next call."""
        self._frames.add(frame)
        self._log.catch_up()
        row = self._log[-1]
        if row.kind == "state_update":
            state = value_at(jsonrpc.decode(frame.raw), "params", "update", "state")
            (self._at_work.add if state in AT_WORK else self._at_work.discard)(row.session)
        return row

    @property
    def in_turn(self) -> bool:
        """Return whether a prompt is pending, or a session reports being at work."""
        log = self._log
        return bool(self._at_work) or any(
            log.partners[at] == NOWHERE for at in log.prompts[-TURNS:]
        )
