"""Splits a recording into scenes: a request of the client, and all that the agent did in response.

The live client may send its requests in another order than the recorded one, or omit some. So a
scene is played when its request arrives, whatever came before.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.json_parts import text_at, value_at
from acp_tui.protocol.jsonrpc import Failure, Id, Message, Notification, Request, Response
from acp_tui.protocol.process_events import Connecting, ProcessExited, ProcessStarted, StderrLine

CANCEL_TURN = "session/cancel"
CANCEL_REQUEST = "$/cancel_request"
INITIALIZE = "initialize"
PROMPT = "session/prompt"
Answer = Response | Failure


@dataclass(slots=True)
class AgentLine:
    """A line that the agent sent; `answers` is true for the response to the scene's own request."""

    at: float
    raw: bytes
    message: Message
    number: int
    answers: bool = False


@dataclass(slots=True)
class ClientMessage:
    """A message from the client during a scene: a notification, or the response to frame `to`."""

    at: float
    message: Notification | Answer
    to: int = 0
    raw: bytes = b""


@dataclass(slots=True)
class StderrOutput:
    """A line on stderr."""

    at: float
    text: str


@dataclass(slots=True)
class AgentExit:
    """The process ended while a request was pending."""

    at: float
    code: int | None
    signal: str | None


Step = AgentLine | ClientMessage | StderrOutput | AgentExit


@dataclass(slots=True)
class RecordedScene:
    """A request of the client and everything that followed from it; without a request, what the
    agent sent unasked.
    """

    at: float
    request: Request | None = None
    number: int = 0
    """The frame of the request."""
    steps: list[Step] = field(default_factory=list)

    @property
    def method(self) -> str:
        return self.request.method if self.request is not None else ""

    @property
    def session(self) -> str:
        return session_of(self.request)


def session_of(message: Message | None) -> str:
    """Return the session id in a message, or ""."""
    return text_at(getattr(message, "params", None), "sessionId")


def runs_in(records: Iterable[Record], side: Direction) -> list[list[Record]]:
    """Return the runs of the agent with at least one message: it may have been restarted.

    Of frames that were held, changed or made by hand, a run has those that one side saw: the client
    if `side` is `IN`, the agent if it is `OUT`.
    """
    runs: list[list[Record]] = [[]]
    for record in records:
        if isinstance(record, Frame):
            was_seen = record.client_knows if side is Direction.IN else record.agent_knows
            if not was_seen:
                continue
        if isinstance(record, ProcessStarted | Connecting):
            runs.append([])
        runs[-1].append(record)
    return [run for run in runs if any(isinstance(one, Frame) for one in run)]


def split_into_scenes(records: Iterable[Record]) -> list[RecordedScene]:
    """Cut one run of an agent into scenes; the first is what it sent before any request."""
    cutter = _Cutter()
    for record in records:
        cutter.cut_record(record)
    return cutter.scenes


class _Cutter:
    def __init__(self) -> None:
        self.scenes: list[RecordedScene] = []
        self._pending: dict[Id, list[RecordedScene]] = {}
        """The pending requests of the client, as scenes."""
        self._turns: dict[str, RecordedScene] = {}
        """The open turn of each session."""
        self._asking: dict[Id, list[tuple[RecordedScene, int]]] = {}
        """The pending requests of the agent: the scene and the frame of each."""

    def cut_record(self, record: Record) -> None:
        if not self.scenes:
            self.scenes.append(RecordedScene(record.at))
        match record:
            case Frame(direction=Direction.IN):
                self._add_agent_frame(record, jsonrpc.parse(record.raw))
            case Frame():
                self._add_client_frame(record, jsonrpc.parse(record.raw))
            case StderrLine(at=at, text=text):
                self.scenes[-1].steps.append(StderrOutput(at, text))
            case ProcessExited(at=at, code=code, signal=signal, asked=False) if self._pending:
                self.scenes[-1].steps.append(AgentExit(at, code, signal))
            case _:
                pass

    def _add_client_frame(self, frame: Frame, message: Message) -> None:
        match message:
            case Request():
                scene = RecordedScene(frame.at, message, frame.number)
                self.scenes.append(scene)
                self._pending.setdefault(message.id, []).append(scene)
                if message.method == PROMPT:
                    self._turns.setdefault(scene.session, scene)
            case Notification():
                waiting = self._pending.get(canceled_request(message))
                scene = self._scene_of(message, waiting[0] if waiting else None)
                scene.steps.append(ClientMessage(frame.at, message, raw=frame.raw))
            case Response() | Failure():
                if asking := self._asking.get(message.id):
                    scene, number = asking.pop(0)
                    scene.steps.append(ClientMessage(frame.at, message, number, frame.raw))
            case _:
                pass  # no agent waits for a line that isn't a message

    def _add_agent_frame(self, frame: Frame, message: Message) -> None:
        line = AgentLine(frame.at, frame.raw, message, frame.number)
        match message:
            case Response() | Failure() if scene := self._answered(message.id):
                line.answers = True
                scene.steps.append(line)
            case Request():
                scene = self._scene_of(message)
                scene.steps.append(line)
                self._asking.setdefault(message.id, []).append((scene, frame.number))
            case _:
                asking = self._asking.get(canceled_request(message))
                self._scene_of(message, asking[0][0] if asking else None).steps.append(line)

    def _answered(self, id: Id) -> RecordedScene | None:
        waiting = self._pending.get(id)
        if waiting is None:
            return None
        scene = waiting.pop(0)
        if not waiting:
            del self._pending[id]
        if self._turns.get(scene.session) is scene:
            del self._turns[scene.session]
        return scene

    def _scene_of(self, message: Message, canceled: RecordedScene | None = None) -> RecordedScene:
        """Return the scene that a message is part of; `canceled` is that of the request it cancels."""
        return canceled or self._turns.get(session_of(message), self.scenes[-1])


def canceled_request(message: Message) -> Id:
    """Return the id of the request that a message cancels; None if it cancels none."""
    if not isinstance(message, Notification) or message.method != CANCEL_REQUEST:
        return None
    id = value_at(message.params, "requestId")
    return id if isinstance(id, str | int | float) else None


class SendLine(NamedTuple):
    """Send a recorded line."""

    raw: bytes


class WriteStderr(NamedTuple):
    """Write a line to stderr, as the recorded agent did."""

    text: str


class ReportProblem(NamedTuple):
    """Report a difference between what the client sent and what was recorded."""

    words: str


class EndProcess(NamedTuple):
    """End the process as the recorded one ended."""

    code: int | None
    signal: str | None


PlayAction = SendLine | WriteStderr | ReportProblem | EndProcess


def comparable_content(raw: bytes) -> Any:
    """Return the content of a message, without its method and its id."""
    value = jsonrpc.decode(raw)
    return {key: value[key] for key in ("params", "result", "error") if key in value}


def with_id(raw: bytes, id: Id) -> bytes:
    """Return a request or response with another id."""
    value = jsonrpc.decode(raw)
    if type(value["id"]) is type(id) and value["id"] == id:
        return raw
    return encode_line({**value, "id": id})


def encode_line(value: Any) -> bytes:
    """Encode a value as a line of JSON."""
    return json.dumps(value, separators=(",", ":")).encode()
