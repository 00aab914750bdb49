"""Splits a recording into steps: exchanges, messages joined from their chunks, and other records."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from acp_tui.debug.compare.values import ABSENT
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.json_parts import objects_at, text_at, text_or_none_at
from acp_tui.protocol.jsonrpc import Failure, Id, Message, Notification, Request, Response
from acp_tui.protocol.kinds import CHUNKS
from acp_tui.protocol.process_events import ProcessExited, StderrLine

PROMPT = "session/prompt"
STDERR, NOISE, EXIT = "stderr", "no message", "exit"
STATE, UNORDERED = "state", "unordered"
_STATE = (
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
)
"""Updates that may come at any time, in no fixed order."""
LOOSE = (STATE, UNORDERED)
"""Lanes whose order relative to other lanes, and whose place among the turns, doesn't matter."""


@dataclass(slots=True)
class RecordingStep:
    """An action of one side, and how the other side answered it.

    `what` is a method, the kind of an update, or the name of another record; `value` is its params,
    its update or its text. Order matters only among steps of the same `lane`. `duration` is the
    time until the answer, in seconds.
    """

    what: str
    lane: str
    by_agent: bool
    number: int
    at: float
    value: Any
    answer: Any = ABSENT
    duration: float | None = None
    chunks: int = 1


@dataclass(slots=True)
class RecordingPart:
    """A turn, which begins with its prompt; or everything before the first turn."""

    prompt: RecordingStep | None = None
    steps: list[RecordingStep] = field(default_factory=list)

    @property
    def words(self) -> str:
        """The text of the prompt."""
        blocks = [] if self.prompt is None else objects_at(self.prompt.value, "prompt")
        return "\n".join(one["text"] for one in blocks if isinstance(one.get("text"), str))


def split_at_turns(records: Iterable[Record], *, stderr: bool = False) -> list[RecordingPart]:
    """Split a recording into everything before the first turn, and its turns."""
    reader = _StepReader()
    for record in records:
        if stderr or not isinstance(record, StderrLine):
            reader.read_record(record)
    reader.finish()
    return reader.parts


class _StepReader:
    def __init__(self) -> None:
        self.parts = [RecordingPart()]
        self._turns: dict[str, RecordingPart] = {}
        """The last turn of each session."""
        self._pending: dict[tuple[Direction, Id], list[RecordingStep]] = {}
        self._message: dict[int, tuple[tuple[str, str], RecordingStep]] = {}
        """The unfinished message of each part, by the part's `id()`."""
        self._pieces: dict[int, tuple[RecordingStep, list[str]]] = {}
        """The texts of each message's chunks, by its step's `id()`."""

    def finish(self) -> None:
        """Join the texts of the chunks of each message."""
        for step, texts in self._pieces.values():
            step.chunks = len(texts)
            content = {**step.value["content"], "text": "".join(texts)}
            step.value = {**step.value, "content": content}

    def read_record(self, record: Record) -> None:
        match record:
            case Frame() if record.client_knows:
                self._read_frame(record, jsonrpc.parse(record.raw))
            case StderrLine(at=at, text=text):
                self._add_text(STDERR, at, text)
            case ProcessExited(at=at, code=code, signal=signal, asked=False):
                value = {"code": code, "signal": signal}
                self.parts[-1].steps.append(RecordingStep(EXIT, UNORDERED, True, 0, at, value))
            case _:
                pass

    def _read_frame(self, frame: Frame, message: Message) -> None:
        match message:
            case Request() | Notification():
                self._add_call(frame, message)
            case Response(result=result):
                self._add_answer(frame, message.id, {"result": result})
            case Failure(error=error):
                failure = {"code": error.code, "message": error.message, "data": error.data}
                self._add_answer(frame, message.id, {"error": failure})
            case _:
                self._add_text(NOISE, frame.at, frame.raw.decode("utf-8", "replace"), frame.number)

    def _add_call(self, frame: Frame, message: Request | Notification) -> None:
        params = message.params
        by_agent = frame.direction is Direction.IN
        session = text_at(params, "sessionId")
        what, value = message.method, params
        if what == "session/update" and isinstance(params, dict):
            update = params.get("update")
            if isinstance(update, dict) and isinstance(update.get("sessionUpdate"), str):
                what, value = update["sessionUpdate"], update
        lane = STATE if what in _STATE else "agent" if by_agent else "client"
        step = RecordingStep(what, lane, by_agent, frame.number, frame.at, value)
        if what == PROMPT and isinstance(message, Request) and isinstance(value, dict):
            self.parts.append(RecordingPart(step))
            self._turns[session] = self.parts[-1]
        if isinstance(message, Request):
            self._pending.setdefault((frame.direction, message.id), []).append(step)
        self._add_step(self._part_of(session), step)

    def _part_of(self, session: str) -> RecordingPart:
        """Return the turn of a session, or the last turn if no session is named."""
        if session:
            return self._turns.get(session, self.parts[0])
        return self.parts[-1]

    def _add_step(self, part: RecordingPart, step: RecordingStep) -> None:
        """Add a step; a chunk is added to the message that it continues."""
        text = _text_of(step)
        if text is not None:
            key = (step.what, str(step.value.get("messageId")))
            before = self._message.get(id(part))
            if before is not None and before[0] == key:
                self._pieces[id(before[1])][1].append(text)
                return
            self._message[id(part)] = (key, step)
            self._pieces[id(step)] = (step, [text])
        elif step.lane == "agent":
            self._message.pop(id(part), None)
        part.steps.append(step)

    def _add_answer(self, frame: Frame, id: Id, answer: Any) -> None:
        asker = Direction.OUT if frame.direction is Direction.IN else Direction.IN
        waiting = self._pending.get((asker, id))
        if waiting:
            step = waiting.pop(0)
            step.answer, step.duration = answer, frame.at - step.at
        else:
            by_agent = frame.direction is Direction.IN
            step = RecordingStep(
                "stray answer", UNORDERED, by_agent, frame.number, frame.at, answer
            )
            self.parts[-1].steps.append(step)

    def _add_text(self, what: str, at: float, text: str, number: int = 0) -> None:
        self.parts[-1].steps.append(RecordingStep(what, UNORDERED, True, number, at, text))


def _text_of(step: RecordingStep) -> str | None:
    """Return the text of a chunk; None for any other step."""
    return text_or_none_at(step.value, "content", "text") if step.what in CHUNKS else None
