"""A check's connection to the agent: sends any message, and records everything that arrives."""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from acp_tui.check.connection import CannotStart, CheckWire
from acp_tui.check.messages import Json, NumberedMessage
from acp_tui.check.verdicts import Skip, Why
from acp_tui.client.core import Wakeup
from acp_tui.client.launch import Launch
from acp_tui.client.recorder import recorder_at
from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.dialects import dialect_of
from acp_tui.protocol.events import Record
from acp_tui.protocol.findings import Finding
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.protocol.json_parts import is_supported
from acp_tui.protocol.jsonrpc import Error, ErrorCode, Failure, Id, Request, Response
from acp_tui.protocol.wire_events import Requested, Unreadable, WireEvent
from acp_tui.text import clean_line

Answer = Callable[[Json], Json | Error | None]
"""Returns the response to a request of the agent's with these params; None leaves it pending."""
_LAST_WORDS = 200
"""Longest part of the last stderr line that is quoted, in characters."""
_LONGEST_REPORTED_FRAME = 600
"""Longest part of a frame in a report, in characters."""


class Probe:
    """Sends messages to one agent process, and stores all messages of both sides.

    Messages of `call`, `start` and `notify` are checked like any client's; those of `send_line` are
    hand-made, and the agent isn't blamed for its reaction.

    `answers` has functions that answer the agent's requests, by method. Other requests are served
    by the client, if it advertised the capability. `permission` is the kind of option that answers
    permission requests; None cancels them.
    """

    def __init__(
        self,
        launch: Launch,
        recording: Path,
        tap: Callable[[Record], None],
        patience: float,
    ) -> None:
        self.launch = launch
        self.recording = recording
        self.patience = patience
        self.records: list[Record] = []
        self.messages: list[NumberedMessage] = []
        """All messages of both sides, in order."""
        self.noise: list[int] = []
        """The numbers of the agent's frames that aren't messages."""
        self.answers: dict[str, Answer] = {}
        self.initialized: Json = {}
        """The result of `initialize`, in version 1's form."""
        self.signed_in = False
        self.version = 1
        """The protocol version that is requested and spoken; requests are translated to it."""
        self.offer: Json = {}
        """The client capabilities for `initialize`."""
        self._changed = Wakeup()
        self.wire = CheckWire(launch, self._store_record, self._receive, self._changed.wake)
        self._tap = tap
        self._responses: dict[tuple[type, Any], list[NumberedMessage]] = {}
        self._ids = 0

    @property
    def permission(self) -> str | None:
        """The kind of option that answers permission requests; None cancels them."""
        return self.wire.permission

    @permission.setter
    def permission(self, kind: str | None) -> None:
        self.wire.permission = kind

    # Sending

    def start(self, method: str, params: Json | None = None, *, id: Id = None) -> Id:
        """Send a request; return its id, which is the next number unless one is given."""
        if id is None:
            self._ids += 1
            id = self._ids
        params = {} if params is None else params
        if method != "initialize":
            dialect = dialect_of(self.version)
            method, params = dialect.name(method), dialect.written(method, params)
        self.wire.link.send(Request(id, method, params))
        return id

    async def call(
        self,
        method: str,
        params: Json | None = None,
        *,
        id: Id = None,
        within: float | None = None,
    ) -> NumberedMessage | None:
        """Send a request, and wait for its response; return None if none comes in time."""
        return await self.answer(self.start(method, params, id=id), within=within)

    def notify(self, method: str, params: Json | None = None) -> None:
        """Send a notification."""
        self.wire.link.send(jsonrpc.Notification(method, {} if params is None else params))

    def send_line(self, line: bytes | Json) -> None:
        """Send a hand-made line, valid or not."""
        raw = line if isinstance(line, bytes) else _encode(line)
        self.wire.link.send_line(raw, Origin.HAND)

    def reply(self, request: NumberedMessage, answer: Json | Error) -> None:
        """Answer a request of the agent's that is pending."""
        id = request.body.get("id")
        message = Failure(id, answer) if isinstance(answer, Error) else Response(id, answer)
        self.wire.link.send(message)

    # Receiving

    @property
    def agent_messages(self) -> list[NumberedMessage]:
        """The agent's messages, in order."""
        return [one for one in self.messages if one.direction is Direction.IN]

    @property
    def folder(self) -> str:
        """The agent's folder, as a path on this machine."""
        return self.launch.cwd

    @property
    def cwd(self) -> str:
        """The agent's folder as the agent sees it, which may differ in a container or on another
        machine.
        """
        return self.wire.folder

    @property
    def is_in_order(self) -> bool:
        """Whether messages arrive in the order they were sent: over HTTP, which has several
        streams, they may not.
        """
        remote = self.launch.remote
        return remote is None or remote.is_websocket

    @property
    def exit_reason(self) -> str | None:
        """How the agent exited by itself; None if it is running, or was until it was stopped."""
        peer = self.wire.state.peer
        if peer.unreachable_reason is None or (
            peer.process.exit is not None and peer.process.exit.asked
        ):
            return None
        # Quote the last line: "exited with code 125" alone doesn't explain that a container is
        # missing. Container tools end with a hint at `--help`, which isn't quoted.
        lines = (line.strip() for line in reversed(peer.output.stderr))
        last = next((line for line in lines if line and "--help" not in line), "")
        return (
            f"{peer.unreachable_reason}, and said: {last[:_LAST_WORDS]}"
            if last
            else peer.unreachable_reason
        )

    def missing_answer(self, what: str) -> str:
        """Describe a missing response, with the reason if it is known."""
        reason = self.exit_reason
        return f"no answer to {what}{' in time' if reason is None else f': {reason}'}"

    @property
    def stderr(self) -> list[str]:
        """The last lines of the agent's stderr."""
        return list(self.wire.state.peer.output.stderr)

    async def until(self, condition: Callable[[], Any], *, within: float | None = None) -> bool:
        """Wait until a condition holds; return False after the timeout, or once the agent is gone."""
        with anyio.move_on_after(self.patience if within is None else within):
            while not condition():
                if self.wire.state.peer.unreachable_reason is not None:
                    return bool(condition())
                await self._changed.wait()
            return True
        return bool(condition())

    async def answer(self, id: Any, *, within: float | None = None) -> NumberedMessage | None:
        """Wait for the response to a request; return None if none comes in time."""
        await self.until(lambda: self.answered(id) is not None, within=within)
        return self.answered(id)

    def answered(self, id: Any) -> NumberedMessage | None:
        """Return the response to a request of the client's, or None."""
        found = self.responses(id)
        return found[0] if found else None

    def responses(self, id: Any) -> list[NumberedMessage]:
        """Return all responses with an id; there should be one.

        If there is none, return those whose id differs only in its type: that breaks a rule of its
        own, and should fail no other check.
        """
        exact = self._responses.get((type(id), id), [])
        return exact or self._responses.get((str, str(id)), [])

    @property
    def last_record(self) -> int:
        """The number of the last frame, message or not; 0 if there is none."""
        numbers = (getattr(one, "number", 0) for one in reversed(self.records))
        return next(filter(None, numbers), 0)

    def last_frames(self, count: int) -> tuple[int, ...]:
        """Return the frame numbers of the last `count` messages."""
        return tuple(one.number for one in self.messages[-count:])

    async def listen(self, seconds: float) -> None:
        """Wait some seconds for further messages; stop early if the agent exits."""
        await self.until(lambda: False, within=seconds)

    def called(self, *methods: str) -> list[NumberedMessage]:
        """Return the agent's calls of these methods; a name that ends in / stands for all methods
        below it.
        """
        return [
            one
            for one in self.agent_messages
            if any(
                one.method == m or (m.endswith("/") and one.method.startswith(m)) for m in methods
            )
        ]

    def updates(self, *kinds: str) -> list[NumberedMessage]:
        """Return all `session/update` notifications, or those of these kinds."""
        found = [one for one in self.agent_messages if one.method == "session/update"]
        return [one for one in found if not kinds or one.kind in kinds]

    def findings(self, *rules: str) -> list[Finding]:
        """Return the linter's findings about the agent's side, or those of these rules."""
        log = Log.of_all(self.records, Linter())
        return [
            one
            for one in log.findings
            if (not rules or one.rule.id in rules) and log[one.index].direction != "out"
        ]

    def frame(self, finding: Finding) -> int:
        """Return the number of a finding's frame; 0 if it has none."""
        return getattr(self.records[finding.index], "number", 0)

    def _store_record(self, record: Record) -> None:
        self.records.append(record)
        self._tap(record)

    def _receive(self, event: WireEvent, raw: bytes) -> bool:
        """Store a message; return whether it was answered here."""
        body = jsonrpc.decode(raw)
        if not isinstance(body, dict) or isinstance(event, Unreadable):
            if event.direction is Direction.IN:
                self.noise.append(event.number)
            return False
        message = NumberedMessage(event.number, event.at, event.direction, body)
        self.messages.append(message)
        if event.direction is Direction.OUT:
            return False
        if "method" not in body and isinstance(id := body.get("id"), str | int | float | None):
            self._responses.setdefault((type(id), id), []).append(message)
        if not isinstance(event, Requested):
            return False
        if event.method.startswith("_") and event.method not in self.answers:
            # The client implements some extensions, but a check advertises none, and no one can
            # answer.
            self.reply(message, Error(ErrorCode.METHOD_NOT_FOUND, "Method not found"))
            return True
        if event.method not in self.answers:
            return False
        answer = self.answers[event.method](message.params)
        if answer is not None:
            self.reply(message, answer)
        return True


@asynccontextmanager
async def run_probe(launch: Launch, recording: Path, patience: float) -> AsyncIterator[Probe]:
    """Start the agent, record everything, and end it with the block. Raises CannotStart or OSError."""
    recorder = recorder_at(recording, launch)
    probe = Probe(launch, recording, recorder.record, patience)
    raised: Exception | None = None
    async with anyio.create_task_group() as recorders:
        recorders.start_soon(recorder.run, lambda _title, _words: None)
        async with anyio.create_task_group() as tasks:
            try:
                async with probe.wire.connected(tasks):
                    try:
                        yield probe
                    except Exception as error:  # to be raised later, outside of the group
                        raised = error
            except CannotStart as error:
                raised = error
            tasks.cancel_scope.cancel()
        recorders.cancel_scope.cancel()
    if raised is not None:
        raise raised


def _encode(body: Mapping[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **body}, ensure_ascii=False).encode()


def format_frames(probe: Probe, numbers: Sequence[int]) -> tuple[str, ...]:
    """Format frames of a connection, one per line."""
    frames = {one.number: one for one in probe.records if isinstance(one, Frame)}
    lines = []
    for frame in (frames[number] for number in numbers if number in frames):
        arrow = "<-" if frame.direction is Direction.IN else "->"
        text = clean_line(frame.raw[: 4 * _LONGEST_REPORTED_FRAME].decode("utf-8", "replace"))
        if len(text) > _LONGEST_REPORTED_FRAME:
            text = f"{text[:_LONGEST_REPORTED_FRAME]}..."
        lines.append(f"#{frame.number} {arrow} {text}")
    return tuple(lines)


def has_capability(probe: Probe, *names: str) -> bool:
    """Return whether the agent has a capability, as true or an object."""
    return is_supported(probe.initialized, "agentCapabilities", *names)


def require_capability(probe: Probe, *names: str) -> None:
    """Raise Skip unless the agent has a capability."""
    if not has_capability(probe, *names):
        raise Skip(Why.NOT_OFFERED, f"the agent doesn't offer {'.'.join(names)}")


def need_machine(probe: Probe) -> None:
    """Raise Skip unless the agent runs on this machine, outside of containers and sandboxes."""
    if probe.launch.remote is not None or probe.launch.place:
        raise Skip(Why.ELSEWHERE, "the agent doesn't run on this machine")


def need_files(probe: Probe) -> None:
    """Raise Skip unless the agent's files can be read here: they are on this machine, or written by
    the client.
    """
    if probe.wire.is_elsewhere and not probe.called("fs/write_text_file"):
        raise Skip(Why.ELSEWHERE, "the agent's files are not on this machine")
