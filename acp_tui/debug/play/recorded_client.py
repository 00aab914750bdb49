"""Reads the recorded client: its calls in order, and its answers to requests in any order."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from acp_tui.debug.compare.values import Counterparts
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.json_decoder import read_json
from acp_tui.protocol.json_parts import object_at, objects_at
from acp_tui.protocol.jsonrpc import Failure, Id, Notification, Request, Response

PERMISSION = "session/request_permission"
_KEYS = ("path", "command", "terminalId")
"""Params that name the subject of a request."""
ABOUT = ("kind", "title", "rawInput", "locations", "content")
"""Fields that say what a tool call would do; all but its kind identify it."""


@dataclass(slots=True)
class Exchange:
    """A request of the recorded agent, and its answer."""

    request: Request
    answer: Response | Failure
    call: dict[str, Any] = field(default_factory=dict)
    """The subject of a permission request."""
    used: bool = False


class RecordedAnswers:
    """Finds the recorded answer to a request.

    An answer to a permission request is used once; for other requests, the last answer is repeated.
    `report` is called for each permission that is answered differently than recorded.
    """

    def __init__(
        self, exchanges: list[Exchange], counterparts: Counterparts, report: Callable[[str], None]
    ) -> None:
        self._exchanges = exchanges
        self._counterparts = counterparts
        self._report = report

    def to(self, request: Request, call: dict[str, Any]) -> Response | Failure | None:
        """Return the answer with the id of the request; None if no such request was recorded.
        `call` is the tool call of a permission request.
        """
        alike = [one for one in self._exchanges if self._is_like(one, request, call)]
        unused = [one for one in alike if not one.used]
        if request.method == PERMISSION:
            alike = []  # a recorded permission counts once
        chosen = next(iter(unused or alike[-1:]), None)
        if chosen is None:
            return None
        chosen.used = True
        answer = chosen.answer
        if request.method == PERMISSION and isinstance(answer, Response):
            return self._permission(request, chosen)
        return answer._replace(id=request.id)

    def _is_like(self, one: Exchange, request: Request, call: dict[str, Any]) -> bool:
        if one.request.method != request.method:
            return False
        before, after = object_at(one.request.params), object_at(request.params)
        if request.method == PERMISSION:
            return self._is_same_call(one.call, call)
        return all(
            self._counterparts.translate(str(before.get(key))) == str(after.get(key))
            for key in _KEYS
        )

    def _is_same_call(self, recorded: dict[str, Any], call: dict[str, Any]) -> bool:
        """Return whether a tool call would do what the recorded one would, in the folder of the
        play.

        A call with nothing but a kind matches none, as it could do anything.
        """
        if not call.keys() - {"kind"}:
            return False
        try:
            line = json.dumps(recorded, ensure_ascii=False).encode()
            return bool(read_json(self._counterparts.translate_line(line)) == call)
        except ValueError:
            return False  # a lone surrogate

    def _permission(self, request: Request, recorded: Exchange) -> Response:
        """Choose the option of the recorded kind, as option ids are each agent's own.

        `allow_always` becomes `allow_once`: it would allow calls that were never asked about.
        """
        kind = _chosen_kind(recorded)
        if kind is None:
            return Response(request.id, {"outcome": {"outcome": "cancelled"}})
        choice = "allow_once" if kind == "allow_always" else kind
        for option in _options(request):
            if option.get("kind") == choice:
                if kind != choice:
                    self._report("a permission was given once: the recording has it for always")
                return _selected(request.id, option)
        self._report(f"a permission was rejected: the agent offers no {choice}, as it was recorded")
        return rejecting_response(request)


def rejecting_response(request: Request) -> Response:
    """Reject an unrecorded permission request, once if possible; cancel it if no option rejects."""
    options = _options(request)
    for kind in ("reject_once", "reject_always"):
        for option in options:
            if option.get("kind") == kind:
                return _selected(request.id, option)
    return Response(request.id, {"outcome": {"outcome": "cancelled"}})


def _chosen_kind(recorded: Exchange) -> str | None:
    """Return the kind of the chosen option, "" for an unknown one; None if it was canceled."""
    answer = recorded.answer
    outcome = object_at(answer.result, "outcome") if isinstance(answer, Response) else {}
    if outcome.get("outcome") != "selected":
        return None
    chosen = outcome.get("optionId")
    kinds = [one.get("kind") for one in _options(recorded.request) if one.get("optionId") == chosen]
    return next((one for one in kinds if isinstance(one, str)), "")


def _selected(id: Id, option: dict[str, Any]) -> Response:
    return Response(id, {"outcome": {"outcome": "selected", "optionId": option.get("optionId")}})


def _options(request: Request) -> list[dict[str, Any]]:
    return objects_at(request.params, "options")


@dataclass(slots=True)
class RecordedCall:
    """A request or notification of the client.

    `after` are the indexes of its calls that were answered by then, `pause` the seconds since its
    last call or the last response to it. `overlaps` if one of its requests was pending.
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
    """Collects what each tool call would do, from its updates."""

    def __init__(self) -> None:
        self._calls: dict[str, dict[str, Any]] = {}

    def note(self, message: Notification) -> None:
        """Record an update of a tool call."""
        self._remember_call(object_at(message.params, "update"))

    def of(self, request: Request) -> dict[str, Any]:
        """Return the tool call of a permission request, as reported so far."""
        return dict(self._remember_call(object_at(request.params, "toolCall")))

    def _remember_call(self, call: dict[str, Any]) -> dict[str, Any]:
        fields = {name: call[name] for name in ABOUT if call.get(name) is not None}
        if not isinstance(call.get("toolCallId"), str):
            return fields
        known = self._calls.setdefault(call["toolCallId"], {})
        known |= fields
        return known


def read_acts(records: Iterable[Record]) -> Acts:
    """Read the calls and answers of the client in one run."""
    reader = _ActReader()
    for record in records:
        if isinstance(record, Frame):
            reader.read_frame(record)
    return reader.found


class _ActReader:
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
                self._add_call(frame, message)
            case Response() | Failure() if incoming:
                self._add_answer(frame, message.id)
            case Response() | Failure():
                for request, call in self._asking.pop(message.id, [])[:1]:
                    self.found.exchanges.append(Exchange(request, message, call))
            case _:
                pass

    def _add_call(self, frame: Frame, message: Request | Notification) -> None:
        pause = 0.0 if self._last is None else max(0.0, frame.at - self._last)
        overlaps = any(self._open.values())
        after = frozenset(self._answered)
        if isinstance(message, Request):
            self._open.setdefault(message.id, []).append(len(self.found.acts))
        self.found.acts.append(
            RecordedCall(frame.raw, message, frame.number, after, pause, overlaps)
        )
        self._last = frame.at

    def _add_answer(self, frame: Frame, id: Id) -> None:
        if waiting := self._open.get(id):
            at = waiting.pop(0)
            self.found.acts[at].answer = frame.raw
            self._answered.add(at)
            self._last = frame.at
