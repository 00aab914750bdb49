"""The recorded client's calls, each with the answers that it had by then."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from acp_tui.debug.play.recorded_answers import ABOUT, Exchange, object_in, params_of
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import Failure, Id, Notification, Request, Response


@dataclass(slots=True)
class RecordedCall:
    """A request or notification of the client's.

    `after` counts the answers to its own requests that it had by then, `pause` the seconds since it
    last did anything or got an answer. `overlaps` is true while one of its requests was open.
    """

    raw: bytes
    message: Request | Notification
    number: int
    after: frozenset[int]
    pause: float
    overlaps: bool
    answer: bytes | None = None


@dataclass(slots=True)
class Acts:
    """All calls of the client, and its answers."""

    acts: list[RecordedCall] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)


class RecordedToolCalls:
    """Remembers what each tool call is about."""

    def __init__(self) -> None:
        self._calls: dict[str, dict[str, Any]] = {}

    def note(self, message: Notification) -> None:
        """Record an update of a tool call."""
        self._keep(object_in(message.params, "update"))

    def of(self, request: Request) -> dict[str, Any]:
        """Return the tool call of a permission request, as reported so far."""
        return dict(self._keep(object_in(params_of(request), "toolCall")))

    def _keep(self, call: dict[str, Any]) -> dict[str, Any]:
        told = {name: call[name] for name in ABOUT if call.get(name) is not None}
        if not isinstance(call.get("toolCallId"), str):
            return told
        known = self._calls.setdefault(call["toolCallId"], {})
        known |= told
        return known


def acts(records: Iterable[Record]) -> Acts:
    """Read what the client of one run did."""
    reader = _Reader()
    for record in records:
        if isinstance(record, Frame):
            reader.read_frame(record)
    return reader.found


class _Reader:
    def __init__(self) -> None:
        self.found = Acts()
        self._open: dict[Id, list[int]] = {}
        self._answered: set[int] = set()
        self._asking: dict[Id, list[tuple[Request, dict[str, Any]]]] = {}
        self._calls = RecordedToolCalls()
        self._last: float | None = None

    def read_frame(self, frame: Frame) -> None:
        message = jsonrpc.parse(frame.raw)
        incoming = frame.direction is Direction.IN
        match message:
            case Request() if incoming:
                self._asking.setdefault(message.id, []).append((message, self._calls.of(message)))
            case Notification() if incoming:
                self._calls.note(message)
            case Request() | Notification():
                self._act(frame, message)
            case Response() | Failure() if incoming:
                self._got(frame, message.id)
            case Response() | Failure():
                for request, call in self._asking.pop(message.id, [])[:1]:
                    self.found.exchanges.append(Exchange(request, message, call))
            case _:
                pass

    def _act(self, frame: Frame, message: Request | Notification) -> None:
        pause = 0.0 if self._last is None else max(0.0, frame.at - self._last)
        overlaps = any(self._open.values())
        after = frozenset(self._answered)
        if isinstance(message, Request):
            self._open.setdefault(message.id, []).append(len(self.found.acts))
        self.found.acts.append(
            RecordedCall(frame.raw, message, frame.number, after, pause, overlaps)
        )
        self._last = frame.at

    def _got(self, frame: Frame, id: Id) -> None:
        if waiting := self._open.get(id):
            at = waiting.pop(0)
            self.found.acts[at].answer = frame.raw
            self._answered.add(at)
            self._last = frame.at
