"""Reads each record once for all parts of the log, and matches responses with their requests."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.connection import Pending
from acp_tui.protocol.dialects import shape_of
from acp_tui.protocol.events import Abandoned, NotSent, Record, TimedOut
from acp_tui.protocol.frames import Direction, Flaw, Frame
from acp_tui.protocol.json_decoder import over_limit
from acp_tui.protocol.json_parts import object_at, text_at
from acp_tui.protocol.jsonrpc import (
    Failure,
    Id,
    Malformed,
    Message,
    Multiline,
    Notification,
    Request,
    Response,
)
from acp_tui.protocol.kinds import TOOL_CALL_UPDATES
from acp_tui.protocol.process_events import Connecting, ProcessStarted
from acp_tui.protocol.unstable import SDK_MESSAGE

_NOTHING: dict[str, Any] = {}
"""Shared by all requests whose params aren't stored."""


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """The facts about a pending request, stored until its response; the frame isn't."""

    index: int
    at: float
    direction: Direction
    id: Id
    method: str
    session_id: str
    params: dict[str, Any]
    """Empty for file requests: no rule compares them with the answer."""


Recall = Callable[[int, dict[str, Any]], PendingRequest]
"""Returns the facts about the request at an index of the log, with the given params."""


class Unanswered:
    """The pending requests.

    There may be very many, so only the log index of each is stored, and the params of few.
    """

    def __init__(self, recall: Recall) -> None:
        self._recall = recall
        self._places: Pending[int] = Pending()
        self._params: dict[int, dict[str, Any]] = {}

    def put(
        self, direction: Direction, request: Request, index: int, params: dict[str, Any]
    ) -> None:
        """Add the request at an index of the log."""
        self._places.put(direction, request.id, index)
        if not request.method.startswith("fs/"):
            self._params[index] = params

    def pop_request(self, direction: Direction, id: Id) -> PendingRequest | None:
        """Remove and return the request that a response answers; None if no request is pending."""
        index = self._places.pop(direction, id)
        if index is None:
            return None
        return self._recall(index, self._params.pop(index, _NOTHING))

    def oldest(self, direction: Direction, id: Id) -> PendingRequest | None:
        """Return the oldest pending request with this id, which is answered next."""
        return self._at(self._places.oldest(direction, id))

    def newest(self, direction: Direction, id: Id) -> PendingRequest | None:
        """Return the newest pending request with this id."""
        return self._at(self._places.newest(direction, id))

    def since(self, start: int) -> Iterator[PendingRequest]:
        """Yield the requests from an index of the log on, oldest first."""
        for index in sorted(self._places):
            if index >= start:
                yield self._recall(index, self._params.get(index, _NOTHING))

    def __iter__(self) -> Iterator[int]:
        """Yield the log indexes of all pending requests."""
        yield from self._places

    def _at(self, index: int | None) -> PendingRequest | None:
        return None if index is None else self._recall(index, self._params.get(index, _NOTHING))


SDK = "sdk"
"""Prefix of the kinds of messages that an agent's SDK sent to its adapter."""


class Status(StrEnum):
    """The outcome of a record: the same for a request and its response; for a tool call update, the
    one that it reports.
    """

    NONE = ""
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNANSWERED = "unanswered"
    """A request to or from a process that has ended."""
    TIMED_OUT = "timeout"
    OK = "ok"
    ERROR = "error"
    ORPHAN = "orphan"
    UNREADABLE = "unreadable"


_OF_TOOL_CALLS = {
    status.value: status
    for status in (
        Status.PENDING,
        Status.IN_PROGRESS,
        Status.COMPLETED,
        Status.FAILED,
        Status.CANCELLED,
    )
}


class Spread(NamedTuple):
    """A JSON object on several lines: `lines` of them up to this one, from the record `first` on.
    The last one has the `message`.
    """

    first: int
    lines: int
    message: Message | None = None


@dataclass(slots=True)
class Reading:
    """A record and its meaning. Parsing is tolerant: a field of the wrong type counts as absent."""

    # The record
    index: int
    record: Record
    direction: Direction | None = None
    value: Any = None
    """The frame's JSON; `Malformed` if it isn't valid, None if the line is over the limit."""
    is_utf8: bool = True
    """Whether the frame is valid UTF-8."""
    message: Message | None = None
    spread: Spread | None = None
    """Set if the line is part of a multi-line object. With its last line, `value` and the content
    below are those of the whole object, which takes part in no exchange.
    """

    # Its exchange
    status: Status = Status.NONE
    """The outcome of the exchange at this record."""
    request: PendingRequest | None = None
    """The facts about this request that later records need."""
    unanswered: Unanswered | None = None
    """All requests that are pending after this record."""
    duplicate_of: PendingRequest | None = None
    """The newest pending request with the same id as this one."""
    answered_request: PendingRequest | None = None
    """The request that this response answers."""
    abandoned_request: PendingRequest | None = None
    """The request that this record gives up."""
    is_repeated_answer: bool = False
    """Whether this responds to a request that was answered before."""
    aside: bool = False
    """Whether the agent neither sent nor received this frame; it is in none of its exchanges."""

    # Its content
    method: str = ""
    """The method; for a response, the method of its request."""
    session_id: str = ""
    """The session that this is about; for a response, the one of its request or its result."""
    params: dict[str, Any] = field(default_factory=dict)
    result: dict[str, Any] = field(default_factory=dict)
    update: dict[str, Any] = field(default_factory=dict)
    """The update in a session/update, which is of the `kind` below."""
    kind: str = ""

    @property
    def is_sdk_message(self) -> bool:
        """Return whether this is a message of an agent's SDK, which its adapter passed on."""
        return self.method == SDK_MESSAGE and isinstance(self.message, Notification)

    @property
    def is_request(self) -> bool:
        return isinstance(self.message, Request)


def sdk_kind(params: dict[str, Any]) -> str:
    """Return the kind of a message of an agent's SDK, such as `sdk system.init`."""
    message = object_at(params, "message")
    names = (text_at(message, name) for name in ("type", "subtype"))
    return f"{SDK} {'.'.join(filter(None, names)) or 'message'}"


def _name(reading: Reading, call: Request | Notification) -> None:
    reading.method = call.method
    reading.params = object_at(call.params)
    reading.session_id = text_at(reading.params, "sessionId")
    if call.method == SDK_MESSAGE and isinstance(call, Notification):
        reading.kind = sdk_kind(reading.params)
    if call.method == "session/update":
        reading.update = object_at(reading.params, "update")
        reading.kind = text_at(reading.update, "sessionUpdate")
        if reading.kind in TOOL_CALL_UPDATES:
            status = text_at(reading.update, "status")
            reading.status = _OF_TOOL_CALLS.get(status, Status.NONE)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


class Exchanges:
    """Matches responses with requests, oldest first if an id is used twice.

    `recall` returns requests that were read before.
    """

    def __init__(self, recall: Recall) -> None:
        self._recall = recall
        self._unanswered = Unanswered(recall)
        self._answered: dict[Direction, set[Id]] = {side: set() for side in Direction}
        self._stopped: dict[int, tuple[str, str]] = {}
        """By frame number, the method and session of each response stopped on its way from the
        agent.
        """
        self._multiline = Multiline()
        self._first_line = 0

    @property
    def waiting(self) -> Iterable[int]:
        """The log indexes of the pending requests to or from this process."""
        return self._unanswered

    def read(self, index: int, record: Record) -> Reading:
        """Read the next record of the log."""
        if not isinstance(record, Frame):
            if isinstance(record, ProcessStarted | Connecting):
                self._unanswered = Unanswered(self._recall)  # `recall` knows the older ones
                for ids in self._answered.values():
                    ids.clear()
                self._multiline.close()
            session = text_at(getattr(record, "session_id", ""))
            return Reading(
                index, record, session_id=session, abandoned_request=self._abandoned_request(record)
            )
        reading = Reading(index, record, record.direction, unanswered=self._unanswered)
        if record.flaw is Flaw.OVERSIZED:
            reading.message = over_limit("the line is over the limit")
        else:
            reading.value = jsonrpc.decode(record.raw)
            reading.is_utf8 = record.raw.isascii() or _is_utf8(record.raw)
            malformed = isinstance(reading.value, Malformed)
            reading.message = reading.value if malformed else jsonrpc.to_message(reading.value)
        if not record.agent_knows:
            self._name_aside(reading, record)
            return reading
        match reading.message:
            case Request() | Notification() as call:
                self._read_call(reading, record.direction, call)
            case Response() | Failure() as answer:
                self._read_answer(reading, record.direction, answer)
            case _:
                reading.status = Status.UNREADABLE
        if record.direction is Direction.IN:
            self._join_lines(reading, record)
            if record.stopped is not None:
                self._stopped[record.number] = reading.method, reading.session_id
        return reading

    def _name_aside(self, reading: Reading, frame: Frame) -> None:
        """Set the method and session of a frame that the agent neither sent nor received."""
        reading.aside = True
        match reading.message:
            case Request() | Notification() as call:
                _name(reading, call)
            case Response() | Failure() if frame.direction is Direction.IN:
                reading.method, reading.session_id = self._stopped.get(frame.of, ("", ""))
            case Response(id=id) | Failure(id=id):
                reading.answered_request = self._unanswered.oldest(Direction.IN, id)
                if reading.answered_request is not None:
                    reading.method = reading.answered_request.method
                    reading.session_id = reading.answered_request.session_id
            case _:
                reading.status = Status.UNREADABLE

    def _join_lines(self, reading: Reading, frame: Frame) -> None:
        """Check whether a line that isn't a message completes one together with earlier lines."""
        lines = self._multiline
        message = reading.message
        if not isinstance(message, Malformed) or message.is_over_limit:
            if lines.is_open:
                lines.close()
            return
        part = lines.feed(frame.raw, is_last=frame.flaw is Flaw.UNFINISHED)
        if part is None:
            return
        if part.line == 1:
            self._first_line = reading.index
        message = None if part.value is None else jsonrpc.to_message(part.value)
        reading.spread = Spread(self._first_line, part.line, message)
        if message is None:
            return
        reading.value = part.value
        if isinstance(message, Request | Notification):
            _name(reading, message)
        elif isinstance(message, Response | Failure):
            waiting = self._unanswered.oldest(Direction.OUT, message.id)
            reading.method = waiting.method if waiting is not None else ""

    def _abandoned_request(self, record: Record) -> PendingRequest | None:
        """Return the client's request that this record gives up; a late response to it still
        counts.
        """
        if not isinstance(record, TimedOut | Abandoned | NotSent):
            return None
        return self._unanswered.oldest(Direction.OUT, record.id)

    def _read_call(
        self, reading: Reading, direction: Direction, call: Request | Notification
    ) -> None:
        _name(reading, call)
        if isinstance(call, Request):
            reading.status = Status.PENDING
            index, at, session_id = reading.index, reading.record.at, reading.session_id
            reading.request = PendingRequest(
                index, at, direction, call.id, call.method, session_id, reading.params
            )
            reading.duplicate_of = self._unanswered.newest(direction, call.id)
            self._unanswered.put(direction, call, index, reading.params)

    def _read_answer(
        self, reading: Reading, direction: Direction, answer: Response | Failure
    ) -> None:
        asker = Direction.OUT if direction is Direction.IN else Direction.IN
        asked = self._unanswered.pop_request(asker, answer.id)
        if isinstance(answer, Response):
            reading.result = object_at(answer.result)
        if asked is None:
            reading.status = Status.ORPHAN
            reading.is_repeated_answer = answer.id in self._answered[asker]
            return
        reading.answered_request = asked
        self._answered[asker].add(answer.id)
        reading.status = Status.ERROR if isinstance(answer, Failure) else Status.OK
        reading.method = asked.method
        reading.session_id = asked.session_id or text_at(reading.result, "sessionId")


class Spoken(NamedTuple):
    """A protocol version; `guessed` if there was no `initialize`."""

    version: int
    guessed: bool

    @property
    def is_usual(self) -> bool:
        """Return whether the version is the usual one, which isn't mentioned."""
        return self.version == 1 and not self.guessed

    @property
    def short(self) -> str:
        """Format the version in a few characters."""
        return f"version {self.version}{' (guess)' if self.guessed else ''}"

    @property
    def words(self) -> str:
        """Format the version as part of a sentence."""
        name = f"version {self.version}"
        return f"{name} (a guess: there is no initialize)" if self.guessed else name


def spoken_version(reading: Reading) -> int:
    """Return the protocol version whose form `initialize` params or a result have, whatever they
    claim. Only a claim of a version after 2 counts.
    """
    holder = reading.params or reading.result
    version = holder.get("protocolVersion")
    shape = shape_of(holder)
    return version if shape > 1 and isinstance(version, int) and version > shape else shape
