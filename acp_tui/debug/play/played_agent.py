"""Plays the recorded agent to a client: gets lines and the time, returns actions. No I/O."""

from collections.abc import Sequence
from typing import Any

from acp_tui.debug.compare.values import Counterparts, ValueChange, compare_values, describe_change
from acp_tui.debug.play.scenes import (
    CANCEL_REQUEST,
    CANCEL_TURN,
    INITIALIZE,
    PROMPT,
    AgentExit,
    AgentLine,
    ClientMessage,
    EndProcess,
    PlayAction,
    RecordedScene,
    ReportProblem,
    SendLine,
    StderrOutput,
    Step,
    WriteStderr,
    canceled_request,
    comparable_content,
    encode_line,
    session_of,
    with_id,
)
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.json_parts import value_at
from acp_tui.protocol.jsonrpc import Error, ErrorCode, Failure, Id, Notification, Request, Response

UNSUPPORTED_VERSION = -32022
"""The error of version 2 for a client that asks for an older version than the agent has."""
MOST_CHANGES = 5
"""Most differences of one message that are reported."""


class Playing:
    """A scene being played: `reached` is the recorded time of its last step, `ready` the real one."""

    def __init__(self, scene: RecordedScene, request: Request | None, now: float) -> None:
        self.scene = scene
        self.request = request
        self.rest: list[Step] = scene.steps[::-1]
        self.reached = scene.at
        self.ready = now
        self.answered = request is None

    @property
    def is_open(self) -> bool:
        """Return whether any step is left, or the answer is missing."""
        return bool(self.rest) or not self.answered


class PlayedAgent:
    """Answers each request as the recorded agent did. `speed` divides its pauses; 0 skips them.

    If it is `strict`, it answers whatever differs from the recording with an error, and reports it.
    Each `initialize` after the first begins one of the `next_runs`.
    """

    def __init__(
        self,
        scenes: list[RecordedScene],
        now: float,
        *,
        speed: float = 1.0,
        strict: bool = False,
        next_runs: Sequence[list[RecordedScene]] = (),
    ) -> None:
        self.differs = False
        """Whether the client sent something that can't be played or, if `strict`, differs from the
        recording.
        """
        self._speed = speed
        self._strict = strict
        self.next_runs = list(next_runs)
        """The runs that haven't begun."""
        self._counterparts = Counterparts()
        self._waiting: list[RecordedScene] = []
        self._actions: list[PlayAction] = []
        self._begin_run(scenes, now)
        self._ids = 0
        self._notified: list[tuple[str, bytes]] = []

    def _begin_run(self, scenes: list[RecordedScene], now: float) -> None:
        """Begin a run, ending the previous one."""
        self._report_unsent()
        self._waiting = scenes[1:]
        self._playing = [Playing(one, None, now) for one in scenes[:1]]
        self._pending: dict[Id, int] = {}
        """The pending requests of the played agent, by id: the frames in which they were recorded."""
        self._sent: dict[Id, Id] = {}
        """The ids of its requests in this run, by their recorded ids."""
        self._answers: dict[int, bytes] = {}
        """The responses to its requests, by the recorded frames of the requests."""

    def receive(self, raw: bytes, now: float) -> None:
        """Receive a line from the client."""
        match jsonrpc.parse(raw):
            case Request() as request:
                self._begin_scene(request, now)
            case Notification(method=method) as notification:
                if method in (CANCEL_TURN, CANCEL_REQUEST):
                    self._cancel_turn(notification, now)
                else:
                    self._notified.append((method, raw))
            case Response() | Failure() as answer:
                number = self._pending.pop(answer.id, None)
                if number is None:
                    self._report_difference(f"an answer to {answer.id!r}, which nobody asked for")
                else:
                    self._answers[number] = raw
            case malformed:
                self._report_difference(f"a line that is no message: {malformed.reason}")

    def advance(self, now: float) -> list[PlayAction]:
        """Play the steps that are due, in the order of the recording; return what to send or do."""
        while due := [one for one in self._playing if self._is_due(one, now)]:
            self._play_step(min(due, key=lambda one: one.rest[-1].at), now)
            self._drop_finished()
        return self._pop_actions()

    @property
    def next(self) -> float | None:
        """The time at which the next step is due; None while all wait for the client."""
        return min(
            (self._due_time(one) for one in self._playing if self._needs_only_time(one)),
            default=None,
        )

    def finish(self) -> list[PlayAction]:
        """Report, once the client has ended, what it didn't send, and what wasn't recorded."""
        self._report_unsent()
        for method, _ in self._notified:
            self._report_difference(f"{method} was not recorded")
        return self._pop_actions()

    def _report_unsent(self) -> None:
        for scene in self._waiting:
            self._report_difference(f"the client never sent {_describe_scene(scene)}")

    def _pop_actions(self) -> list[PlayAction]:
        actions, self._actions = self._actions, []
        return actions

    def _drop_finished(self) -> None:
        self._playing = [one for one in self._playing if one.is_open]

    # From the client

    def _begin_scene(self, request: Request, now: float) -> None:
        scene = self._scene_of(request)
        if scene is None and request.method == INITIALIZE and self.next_runs:
            self._begin_run(self.next_runs.pop(0), now)
            scene = self._scene_of(request)
        if scene is None or scene.request is None:
            words = f"the recording has no more {request.method}"
            self._report_problem(words)
            self._send_answer(Failure(request.id, Error(ErrorCode.METHOD_NOT_FOUND, words)))
            return
        if request.method == INITIALIZE and self._is_too_old(request, scene):
            return
        expected = self._waiting[0]
        self._waiting.remove(scene)
        before, after = scene.request.params, request.params
        found = compare_values(before, after, self._counterparts)
        playing = Playing(scene, request, now)
        if self._strict and expected is not scene:
            self._refuse_request(
                playing, f"{request.method} came before {_describe_scene(expected)}", []
            )
        elif self._strict and found:
            self._refuse_request(
                playing, f"{_describe_scene(scene)} differs from the recording", found
            )
        else:
            self._playing.append(playing)

    def _is_too_old(self, request: Request, scene: RecordedScene) -> bool:
        """Refuse a client that asks for an older version than the agent spoke; it may ask again."""
        requested, spoken = _version(request.params), _recorded_version(scene)
        if requested is None or spoken is None or requested >= spoken:
            return False
        words = f"the client asks for version {requested} of the protocol"
        words += f", and the recording speaks {spoken}"
        self._report_problem(words)
        data = {"requested": requested, "supported": [spoken]}
        self._send_answer(Failure(request.id, Error(UNSUPPORTED_VERSION, words, data)))
        return True

    def _scene_of(self, request: Request) -> RecordedScene | None:
        """Return the next recorded scene with this method, preferably of the same session."""
        alike = [one for one in self._waiting if one.method == request.method]
        session = session_of(request)
        mine = [one for one in alike if self._counterparts.of(one.session) == session]
        return next(iter(mine or alike), None)

    def _cancel_turn(self, notification: Notification, now: float) -> None:
        """Continue where the recorded client canceled; if it didn't, end as the protocol requires."""
        id, session = canceled_request(notification), session_of(notification)
        for one in self._playing:
            is_turn = one.scene.method == PROMPT and session_of(one.request) == session
            is_it = one.request is not None and one.request.id == id
            if is_turn if notification.method == CANCEL_TURN else is_it:
                self._cut_scene(one, notification.method, now)
                return
        self._report_difference(f"{notification.method} came while nothing was going on")

    def _cut_scene(self, one: Playing, method: str, now: float) -> None:
        while one.rest:
            step = one.rest.pop()
            if isinstance(step, ClientMessage) and _method(step) == method:
                one.reached, one.ready = step.at, now
                return
        assert one.request is not None
        self._report_problem(f"{method} was not recorded here: ending {one.request.method}")
        one.answered = True
        self._drop_finished()
        if method == CANCEL_TURN:
            self._send_answer(Response(one.request.id, {"stopReason": "cancelled"}))
        else:
            error = Error(ErrorCode.REQUEST_CANCELLED, "canceled by the client")
            self._send_answer(Failure(one.request.id, error))

    # From the agent

    def _due_time(self, one: Playing) -> float:
        """Return when the next step of a scene is due."""
        pause = max(0.0, one.rest[-1].at - one.reached)
        return one.ready + (pause / self._speed if self._speed else 0.0)

    def _is_due(self, one: Playing, now: float) -> bool:
        return self._has_received(one) or (
            self._needs_only_time(one) and self._due_time(one) <= now
        )

    def _needs_only_time(self, one: Playing) -> bool:
        """Return whether a step waits only for its time. Unless strict, so do notifications."""
        step = one.rest[-1] if one.rest else None
        if isinstance(step, ClientMessage):
            return not self._strict and not step.to
        return step is not None

    def _has_received(self, one: Playing) -> bool:
        step = one.rest[-1] if one.rest else None
        if not isinstance(step, ClientMessage):
            return False
        return step.to in self._answers if step.to else self._notification(step) is not None

    def _notification(self, step: ClientMessage) -> int | None:
        """Return the index of a received notification with this method, if any."""
        methods = [method for method, _ in self._notified]
        return methods.index(_method(step)) if _method(step) in methods else None

    def _play_step(self, one: Playing, now: float) -> None:
        one.ready = now if self._has_received(one) else self._due_time(one)
        step = one.rest.pop()
        one.reached = step.at
        match step:
            case AgentLine():
                self._actions.append(SendLine(self._line_to_send(one, step)))
            case StderrOutput(text=text):
                self._actions.append(WriteStderr(text))
            case AgentExit(code=code, signal=signal):
                self._actions.append(EndProcess(code, signal))
            case _:
                self._compare_received(one, step)

    def _line_to_send(self, one: Playing, step: AgentLine) -> bytes:
        """Return the line to send, with the ids, sessions and folders of this play."""
        raw, message = self._counterparts.translate_line(step.raw), step.message
        if step.answers and one.request is not None:
            one.answered = True
            return with_id(raw, one.request.id)
        if isinstance(message, Request):
            self._ids += 1
            id = f"play-{self._ids}" if isinstance(message.id, str) else self._ids
            self._pending[id], self._sent[message.id] = step.number, id
            return with_id(raw, id)
        named = canceled_request(message)
        if named not in self._sent:
            return raw
        value = jsonrpc.decode(raw)
        value["params"]["requestId"] = self._sent[named]
        return encode_line(value)

    def _compare_received(self, one: Playing, step: ClientMessage) -> None:
        """Compare a message from the client with the recorded one."""
        at = None if step.to else self._notification(step)
        if step.to:
            raw = self._answers.pop(step.to)
            what = f"the answer to the request of frame {step.to}"
        elif at is None:
            return
        else:
            what, raw = self._notified.pop(at)
        found = compare_values(
            comparable_content(step.raw), comparable_content(raw), self._counterparts
        )
        if found and self._strict:
            one.rest = []
            self._refuse_request(one, f"{what} differs from the recording", found)

    def _refuse_request(self, one: Playing, words: str, found: list[ValueChange]) -> None:
        """Report a difference, and answer the request with it."""
        listed = [describe_change(one) for one in found[:MOST_CHANGES]]
        if len(found) > MOST_CHANGES:
            listed.append(f"and {len(found) - MOST_CHANGES} more")
        words = f"{words}: {'; '.join(listed)}" if listed else words
        self._report_difference(words)
        if one.request is not None and not one.answered:
            one.answered = True
            self._send_answer(Failure(one.request.id, Error(ErrorCode.INTERNAL_ERROR, words)))

    def _report_difference(self, words: str) -> None:
        """Report a difference if the play is strict."""
        if self._strict:
            self._report_problem(words)

    def _report_problem(self, words: str) -> None:
        self.differs = True
        self._actions.append(ReportProblem(words))

    def _send_answer(self, message: Response | Failure) -> None:
        self._actions.append(SendLine(jsonrpc.encode(message)))


def _version(holder: Any) -> int | None:
    """Return the version in the params of `initialize`, or in its result."""
    version = value_at(holder, "protocolVersion")
    return version if isinstance(version, int) and not isinstance(version, bool) else None


def _recorded_version(scene: RecordedScene) -> int | None:
    """Return the version in the recorded response to `initialize`; None if there is none."""
    for step in scene.steps:
        if isinstance(step, AgentLine) and step.answers and isinstance(step.message, Response):
            return _version(step.message.result)
    return None


def _method(step: ClientMessage) -> str:
    return step.message.method if isinstance(step.message, Notification) else ""


def _describe_scene(scene: RecordedScene) -> str:
    return f"{scene.method} (frame {scene.number})"
