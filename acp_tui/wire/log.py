"""The log as a table: what each record is, in a few bytes a row.

Records stay where they lie (a list that grows, a file); the log reads each of them once, in
slices, and keeps only numbers and names. A `Row` looks its facts up when they are asked for.
"""

import re
from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from acp_tui.protocol.events import StderrLine, TerminalOutput
from acp_tui.protocol.findings import Finding, Severity
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import Failure, Id, Malformed, Request, Response
from acp_tui.wire.exchanges import Exchanges, Reading, Status, text
from acp_tui.wire.linter import Linter
from acp_tui.wire.recording import Record

CHUNKS = {
    "agent_message_chunk",
    "agent_thought_chunk",
    "user_message_chunk",
    "compaction_summary_chunk",
}
"""The updates of which many make one message."""
_NOWHERE = -1
_DIRECTIONS = ("", Direction.IN.value, Direction.OUT.value)
_STATUSES = tuple(Status)
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Latency:
    """How long one method's answers took, in seconds."""

    method: str
    direction: Direction
    count: int
    p50: float
    p95: float
    longest: float


class Row:
    """One record of the log as a table shows it."""

    __slots__ = ("index", "log")

    def __init__(self, log: "Log", index: int) -> None:
        self.log = log
        self.index = index

    @property
    def record(self) -> Record:
        """The record itself, read from where it lies."""
        return self.log.records[self.index]

    @property
    def number(self) -> int:
        """The frame's number; 0 for what did not go over the wire."""
        return self.log.numbers[self.index]

    @property
    def at(self) -> float:
        """When, in seconds of the recording's monotonic clock."""
        return self.log.times[self.index]

    @property
    def time(self) -> float:
        """Seconds since the first record."""
        return self.at - self.log.times[0]

    @property
    def delta(self) -> float:
        """Seconds since the record before."""
        return self.at - self.log.times[max(0, self.index - 1)]

    @property
    def direction(self) -> str:
        """`in`, `out`, or nothing for what did not go over the wire."""
        return _DIRECTIONS[self.log.directions[self.index]]

    @property
    def method(self) -> str:
        """The method called; of a response the one that it answers."""
        return self.log.names[self.log.methods[self.index]]

    @property
    def kind(self) -> str:
        """What a session/update updates; of a local event its name, as `stderr_line`."""
        return self.log.names[self.log.kinds[self.index]]

    @property
    def session(self) -> str:
        """The id of the session that this is about."""
        return self.log.names[self.log.sessions[self.index]]

    @property
    def id(self) -> Id:
        """The id of a request or a response; None for all others, and for a null id."""
        return self.log.ids.get(self.index)

    @property
    def size(self) -> int:
        """How many bytes were on the wire, or were said."""
        return self.log.sizes[self.index]

    @property
    def status(self) -> Status:
        """How it went: of a request and its answer the same."""
        return _STATUSES[self.log.statuses[self.index]]

    @property
    def is_answer(self) -> bool:
        """Whether this is a response."""
        return self.index in self.log.ids and not self.log.asks[self.index]

    @property
    def partner(self) -> int | None:
        """The index of the answer to this request, or of the request that this answers."""
        partner = self.log.partners[self.index]
        return None if partner == _NOWHERE else partner

    @property
    def latency(self) -> float | None:
        """Seconds between a request and its answer."""
        partner = self.partner
        return None if partner is None else abs(self.at - self.log.times[partner])

    @property
    def run(self) -> int:
        """The index of the first record of the message that this is a chunk of."""
        return self.log.runs[self.index]

    @property
    def findings(self) -> Sequence[Finding]:
        """The rules that this record breaks."""
        return self.log.findings.get(self.index, ())


class Log:
    """A table over `records`, which may grow: `catch_up` reads what is new.

    With a `linter` it also says what is wrong, under `findings`, by the index of the record, and
    how often, under `severities`.
    """

    def __init__(self, records: Sequence[Record], linter: Linter | None = None) -> None:
        self.records = records
        self.linter = linter
        self.findings: dict[int, list[Finding]] = {}
        self.severities = dict.fromkeys(Severity, 0)
        self.exchanges = Exchanges()
        self.orphans = 0
        self.ids: dict[int, Id] = {}
        self.names: list[str] = [""]
        self._codes = {"": 0}
        self.times = array("d")
        self.numbers = array("I")
        self.directions = array("B")
        self.methods = array("I")
        self.kinds = array("I")
        self.sessions = array("I")
        self.sizes = array("Q")
        self.statuses = array("B")
        self.asks = array("B")
        self.partners = array("q")
        self.runs = array("q")
        self._open_runs: dict[str, tuple[str, str, int]] = {}
        self._before: Record | None = None
        self._durations: dict[tuple[str, Direction], array[float]] = defaultdict(lambda: array("d"))

    def __len__(self) -> int:
        """How many records have been read; `records` may hold more."""
        return len(self.times)

    def __getitem__(self, index: int) -> Row:
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return Row(self, index % len(self))

    def catch_up(self, limit: int | None = None) -> bool:
        """Read what is new, at most `limit` records; tell whether all has been read."""
        end = len(self.records)
        stop = end if limit is None else min(end, len(self) + limit)
        for index in range(len(self), stop):
            self._take(self.records[index], index)
        return stop == end

    def finish(self) -> None:
        """The recording is complete: find what only its end can tell."""
        if self.linter is not None:
            self._note(self.linter.finish())

    @property
    def unanswered(self) -> int:
        """How many requests have no answer."""
        return self.statuses.tobytes().count(_STATUSES.index(Status.PENDING))

    def all_findings(self) -> list[Finding]:
        """Every finding, in the order of the records."""
        return [finding for index in sorted(self.findings) for finding in self.findings[index]]

    def latencies(self) -> list[Latency]:
        """Each method's latencies, slowest first."""
        found = []
        for (method, direction), values in self._durations.items():
            ordered = sorted(values)
            found.append(
                Latency(
                    method,
                    direction,
                    len(ordered),
                    _percentile(ordered, 0.5),
                    _percentile(ordered, 0.95),
                    ordered[-1],
                )
            )
        return sorted(found, key=lambda one: -one.longest)

    def values(self, column: str) -> list[str]:
        """Every value in the column `method`, `kind` or `session`, in order; for completion."""
        codes = {"method": self.methods, "kind": self.kinds, "session": self.sessions}[column]
        return sorted(self.names[code] for code in set(codes) if code)

    def index_at(self, time: float) -> int:
        """The index of the last record not after `time`, in seconds since the first."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.times[middle] - self.times[0] <= time:
                low = middle + 1
            else:
                high = middle
        return max(0, low - 1)

    # Reading

    def _take(self, record: Record, index: int) -> None:
        reading = self.exchanges.read(index, record)
        direction = reading.direction
        self.times.append(record.at)
        self.numbers.append(record.number if isinstance(record, Frame) else 0)
        self.directions.append(0 if direction is None else _DIRECTIONS.index(direction.value))
        self.methods.append(self._code(reading.method))
        kind = reading.kind if isinstance(record, Frame) else event_name(record)
        self.kinds.append(self._code(kind))
        self.sessions.append(self._code(reading.session_id))
        self.sizes.append(_size(record))
        self.statuses.append(_STATUSES.index(reading.status))
        self.asks.append(reading.is_request)
        self.partners.append(_NOWHERE)
        self.runs.append(self._run(reading, kind))
        if isinstance(reading.message, Request | Response | Failure):
            self.ids[index] = reading.message.id
            self._pair(reading)
        self._before = record
        if self.linter is not None:
            self._note(self.linter.feed(reading))

    def _pair(self, reading: Reading) -> None:
        asked = reading.asked
        if reading.is_request:
            return
        if asked is None:
            self.orphans += 1
            return
        self.partners[reading.index] = asked.index
        self.partners[asked.index] = reading.index
        self.statuses[asked.index] = self.statuses[reading.index]
        assert asked.direction is not None
        duration = reading.record.at - asked.record.at
        self._durations[asked.method, asked.direction].append(duration)

    def _run(self, reading: Reading, kind: str) -> int:
        """Where the message began that this continues; where none does, here."""
        record = reading.record
        if not isinstance(record, Frame):
            return self.runs[-1] if self._goes_on(record) else reading.index
        session = reading.session_id
        if kind not in CHUNKS:
            if session and not isinstance(reading.message, Malformed):
                self._open_runs.pop(session, None)
            return reading.index
        message = text(reading.update.get("messageId"))
        before = self._open_runs.get(session)
        if before is not None and before[:2] == (kind, message):
            return before[2]
        self._open_runs[session] = (kind, message, reading.index)
        return reading.index

    def _goes_on(self, record: Record) -> bool:
        before = self._before
        if isinstance(record, TerminalOutput) and isinstance(before, TerminalOutput):
            return record.terminal_id == before.terminal_id
        return isinstance(record, StderrLine) and isinstance(before, StderrLine)

    def _note(self, findings: list[Finding]) -> None:
        for finding in findings:
            self.findings.setdefault(finding.index, []).append(finding)
            self.severities[finding.severity] += 1

    def _code(self, name: str) -> int:
        code = self._codes.get(name)
        if code is None:
            code = self._codes[name] = len(self.names)
            self.names.append(name)
        return code


def event_name(record: Record) -> str:
    """A local event's name in a log: `stderr_line`, `process_started`."""
    return _CAPITAL.sub("_", type(record).__name__).lower()


def _size(record: Record) -> int:
    match record:
        case Frame():
            return record.size or len(record.raw)
        case TerminalOutput():
            return len(record.data)
        case StderrLine():
            return len(record.text.encode("utf-8", "replace"))
    return 0


def _percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which `share` of all values lie, by nearest rank."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
