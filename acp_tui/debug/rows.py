"""The rows of a log, stored as columns: a few bytes per record.

Columns have only numbers and interned names; the records stay in their source (a growing list, a
file). A `LogRow` looks up its values on demand.
"""

from array import array
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterator, Sequence

from acp_tui.debug.exchanges import Spread, Status
from acp_tui.protocol.events import Record
from acp_tui.protocol.findings import Finding, JsonPath, ProtocolRule, Severity
from acp_tui.protocol.frames import UNMARKED, Direction, Frame, FrameMark, Origin
from acp_tui.protocol.jsonrpc import Id

MOST_DETAILED = 50_000
"""Distinct findings that are stored in full; later ones keep only their rule."""
_What = tuple[ProtocolRule, str, JsonPath]


class FindingStore:
    """Findings by the index of their record, in a few bytes each.

    An agent may break the same rule a million times.
    """

    def __init__(self) -> None:
        self.places = array("Q")
        """The indexes of the records that have findings, ascending."""
        self.severities = dict.fromkeys(Severity, 0)
        self._indexes = array("Q")
        self._kinds = array("I")
        self._kind_of: dict[_What, int] = {}
        self._whats: list[_What] = []

    def __len__(self) -> int:
        return len(self._indexes)

    def __iter__(self) -> Iterator[Finding]:
        """Iterate over all findings, in the order of the records."""
        return (self._finding(at) for at in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FindingStore) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it grows

    def note(self, finding: Finding) -> None:
        """Add a finding, which is nearly always about the newest record."""
        index, kind = finding.index, self._kind(finding)
        at = bisect_right(self._indexes, index)
        if not at or self._indexes[at - 1] != index:
            insort(self.places, index)
        self._indexes.insert(at, index)
        self._kinds.insert(at, kind)
        self.severities[finding.severity] += 1

    def of(self, index: int) -> list[Finding]:
        """Return the findings of the record at an index."""
        if not self.places or index > self.places[-1]:
            return []
        first = bisect_left(self._indexes, index)
        return [self._finding(at) for at in range(first, bisect_right(self._indexes, index, first))]

    def last(self, *severities: Severity) -> int | None:
        """Return the index of the last record with a finding of these severities, or None."""
        for at in range(len(self) - 1, -1, -1):
            if self._whats[self._kinds[at]][0].severity in severities:
                return self._indexes[at]
        return None

    def _kind(self, finding: Finding) -> int:
        what: _What = (finding.rule, finding.message, finding.path)
        kind = self._kind_of.get(what)
        if kind is None and len(self._whats) >= MOST_DETAILED:
            what = (finding.rule, "as others before", ())
            kind = self._kind_of.get(what)
        if kind is None:
            kind = self._kind_of[what] = len(self._whats)
            self._whats.append(what)
        return kind

    def _finding(self, at: int) -> Finding:
        rule, message, path = self._whats[self._kinds[at]]
        return Finding(rule, self._indexes[at], message, path)


NOWHERE = -1
"""The partner of a row that has none."""
DIRECTIONS = ("", Direction.IN.value, Direction.OUT.value)
STATUSES = tuple(Status)


class LogRow:
    """One record of the log, as a row of the table."""

    __slots__ = ("index", "log")

    def __init__(self, log: "RowStore", index: int) -> None:
        self.log = log
        self.index = index

    @property
    def record(self) -> Record:
        """The record itself, read from its source."""
        return self.log.records[self.index]

    @property
    def spread(self) -> Spread | None:
        """The multi-line JSON object that begins in this row, if any."""
        return self.log.spreads.get(self.index)

    @property
    def is_part(self) -> bool:
        """Return whether this is a line of a multi-line object, but not the first."""
        run = self.run
        return run != self.index and run in self.log.spreads

    @property
    def whole_size(self) -> int:
        """The bytes of all lines of the multi-line object that begins here."""
        log, first = self.log, self.index
        lines = range(first, log.run_ends[first] + 1)
        return sum(log.size(one, one) for one in lines if log.runs[one] == first)

    @property
    def whole(self) -> Record:
        """The record; if a multi-line object begins here, all its lines as one frame."""
        record = self.record
        if self.spread is None or not isinstance(record, Frame):
            return record
        log, first = self.log, self.index
        lines = [
            index for index in range(first, log.run_ends[first] + 1) if log.runs[index] == first
        ]
        raw = b"\n".join(
            one.raw for one in map(log.records.__getitem__, lines) if isinstance(one, Frame)
        )
        return record._replace(raw=raw, size=len(raw))

    @property
    def number(self) -> int:
        """The frame's number; 0 for a local event."""
        return self.log.numbers[self.index]

    @property
    def at(self) -> float:
        """The time in seconds, by the recording's monotonic clock."""
        return self.log.times[self.index]

    @property
    def time(self) -> float:
        """Seconds since the first record."""
        return self.at - self.log.times[0]

    @property
    def delta(self) -> float:
        """Seconds since the previous record."""
        return self.at - self.log.times[max(0, self.index - 1)]

    @property
    def direction(self) -> str:
        """`in`, `out`, or "" for a local event."""
        return DIRECTIONS[self.log.directions[self.index]]

    @property
    def mark(self) -> FrameMark:
        """Return the mark of a frame that was held or changed."""
        return self.log.marks.get(self.index, UNMARKED)

    @property
    def by(self) -> Origin | None:
        """Return the frame's origin: a hand, a breakpoint or a fault; None for the peer itself."""
        return self.mark.by or self.mark.stopped

    @property
    def method(self) -> str:
        """The method; for a response, the method of its request."""
        return self.log.names[self.log.methods[self.index]]

    @property
    def kind(self) -> str:
        """Return the kind of a session/update, or the name of a local event, such as `stderr_line`."""
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
        """Return the record's size in bytes, on the wire or as text."""
        return self.log.size(self.index, self.index)

    @property
    def status(self) -> Status:
        """Return the outcome: the same for a request and its answer."""
        return STATUSES[self.log.statuses[self.index]]

    @property
    def is_answer(self) -> bool:
        """Return whether this is a response."""
        return self.index in self.log.ids and not self.log.asks[self.index]

    @property
    def partner(self) -> int | None:
        """The index of this request's response, or of the request that this answers or gives up."""
        partner = self.log.partners[self.index]
        return None if partner == NOWHERE else partner

    @property
    def latency(self) -> float | None:
        """Seconds between a request and its response; None if the records have no times."""
        partner, times = self.partner, self.log.times
        if partner is None or times[-1] == times[0]:
            return None
        return abs(self.at - times[partner])

    @property
    def run(self) -> int:
        """The index of the first record of the message that this is a chunk of."""
        return self.log.runs[self.index]

    @property
    def findings(self) -> Sequence[Finding]:
        """The findings about this record."""
        return self.log.findings.of(self.index)


_LARGEST_PLAIN_ID = 2**62
"""Integer ids up to this size are stored in the 64-bit column itself, all others separately."""
_NONE = 2**63 - 1
_OTHER = _NONE - 1


class RowIds:
    """The column of JSON-RPC ids; a row may have none, or a null one."""

    def __init__(self) -> None:
        self._numbers = array("q")
        self._others: dict[int, Id] = {}

    def __contains__(self, row: int) -> bool:
        return row < len(self._numbers) and self._numbers[row] != _NONE

    def __setitem__(self, row: int, id: Id) -> None:
        missing = row + 1 - len(self._numbers)
        if missing > 0:
            self._numbers.extend([_NONE] * missing)
        if type(id) is int and -_LARGEST_PLAIN_ID < id < _LARGEST_PLAIN_ID:
            self._numbers[row] = id
        else:
            self._numbers[row] = _OTHER
            self._others[row] = id

    def get(self, row: int) -> Id:
        """Return the id in a row; None if it is missing or null."""
        if row not in self:
            return None
        number = self._numbers[row]
        return self._others[row] if number == _OTHER else number


class RowStore:
    """The rows of `records` that have been read so far."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records
        self.findings = FindingStore()
        self.unanswered = 0
        """The number of requests without an answer."""
        self.pending = 0
        """How many of these still have the status `pending`."""
        self.orphans = 0
        self.events = 0
        """Number of records that aren't frames: events off the wire."""
        self.counts: Counter[tuple[str, str, str]] = Counter()
        """The number of records by (kind, method, direction), without responses."""
        self.ids = RowIds()
        self.names: list[str] = [""]
        self.times = array("d")
        self.numbers = array("I")
        self.directions = array("B")
        self.methods = array("I")
        self.kinds = array("I")
        self.sessions = array("I")
        self.statuses = array("B")
        self.asks = array("B")
        self.partners = array("q")
        self.runs = array("q")
        self.run_ends: dict[int, int] = {}
        """The index of the last record of each run with more than one, by that of the first."""
        self.spreads: dict[int, Spread] = {}
        """Multi-line JSON objects, by the index of their first line; each is a run of rows."""
        self.marks: dict[int, FrameMark] = {}
        """The marks of the frames that were held or changed."""
        self.prompts = array("Q")
        """The indexes of prompts."""
        self.changed = array("Q")
        """The indexes of rows changed since they were read, by a response or a finding."""
        self._ends = array("Q", [0])
        self._codes = {"": 0}
        self._used: dict[str, set[str]] = {"method": set(), "kind": set(), "session": set()}

    def __len__(self) -> int:
        """Return how many records have been read; `records` may hold more."""
        return len(self.times)

    def __getitem__(self, index: int) -> LogRow:
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return LogRow(self, index % len(self))

    @property
    def frame_count(self) -> int:
        """Return the number of frames up to the last one read, which is that frame's number."""
        return next((number for number in reversed(self.numbers) if number), 0)

    @property
    def session_count(self) -> int:
        """Return how many sessions are named."""
        return len(self._used["session"])

    def size(self, first: int, last: int) -> int:
        """Return the size of the records `first` to `last`, in bytes on the wire or as text."""
        return self._ends[last + 1] - self._ends[first]

    def within(self, first: int, stop: int, size: int) -> int:
        """Return the index at which the records from `first` on exceed `size` bytes, or `stop`."""
        return min(stop, bisect_right(self._ends, self._ends[first] + size, first))

    def prompt_before(self, index: int, session: str = "") -> int | None:
        """Find the last prompt up to a row, optionally only in one session."""
        for at in range(bisect_right(self.prompts, index) - 1, -1, -1):
            if session in ("", self[self.prompts[at]].session):
                return self.prompts[at]
        return None

    def next_of_kind(self, kind: str, start: int) -> int | None:
        """Find the first row of a kind from `start` on; fast even among millions."""
        try:
            return self.kinds.index(self._codes[kind], start)
        except (KeyError, ValueError):
            return None

    def values(self, column: str) -> list[str]:
        """List all values of the column `method`, `kind` or `session`, sorted, for completion."""
        return sorted(self._used[column])

    def note(self, finding: Finding) -> None:
        """Add a finding about a record."""
        self.findings.note(finding)
        self.changed.append(finding.index)

    def _code(self, name: str, column: str) -> int:
        code = self._codes.get(name)
        if code is None:
            code = self._codes[name] = len(self.names)
            self.names.append(name)
        if name:
            self._used[column].add(name)
        return code
