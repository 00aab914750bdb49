"""Divides the time of a turn among the model, tools, the person and the client.

Each moment between a prompt and its response counts once: for the person while the client waits for
them, else for the client while it serves the agent, else for the tools while a tool call is open,
else for the model.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from acp_tui.formatting import counted, exact_duration, narrow_size
from acp_tui.protocol.events import Record
from acp_tui.protocol.file_events import AccessAnswered, AccessAsked
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.json_parts import object_at, objects_at, value_at
from acp_tui.protocol.jsonrpc import (
    Failure,
    Id,
    Malformed,
    Notification,
    Request,
    Response,
    decode,
    to_message,
)
from acp_tui.protocol.kinds import TOOL_CALL_UPDATES
from acp_tui.state.entries import FINISHED

_CHUNKS = {b'"agent_message_chunk"': "message", b'"agent_thought_chunk"': "thought"}
_OF_PERSON = {"session/request_permission": "permission", "elicitation/create": "question"}
_WAIT = "terminal/wait_for_exit"
"""Time spent waiting for a terminal's command is the tool's, not the client's."""


class Share(StrEnum):
    """The parties that a moment of a turn is attributed to."""

    MODEL = "model"
    TOOL = "tools"
    PERSON = "person"
    CLIENT = "client"


@dataclass(slots=True)
class TimeSpan:
    """A span of time in a turn; `end` is None until it ends.

    `parent` is the span that contains it: the work of a subagent, or the tool call that started it.
    `depth` is the number of its ancestors.
    """

    share: Share
    name: str
    start: float
    end: float | None = None
    place: int = 0
    """The index, within the turn, of the first record about it; 0 is the prompt."""
    parent: "TimeSpan | None" = None
    depth: int = 0


@dataclass(slots=True)
class TurnTimes:
    """One turn, from its prompt to its end; times in seconds of the recording's clock."""

    start: float
    end: float
    first_token: float | None = None
    """Seconds until the first message, thought or tool call."""
    chunks: int = 0
    received: int = 0
    """Bytes received from the agent."""
    spans: list[TimeSpan] = field(default_factory=list)
    waits: list[TimeSpan] = field(default_factory=list)
    """From the prompt to the first update, and to the first token if that is a later one."""
    shares: dict[Share, float] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """Return the duration of the turn in seconds."""
        return self.end - self.start


def records_between(records: Sequence[Record], start: float, end: float) -> range:
    """Find the records within a span of time; their times never decrease."""
    first = bisect_left(records, start, key=lambda record: record.at)
    last = bisect_right(records, end, key=lambda record: record.at)
    return range(first, last)


def summarize_times(turn: TurnTimes) -> str:
    """Summarize the times of a turn in one line."""
    first = "" if turn.first_token is None else f"first token {exact_duration(turn.first_token)} · "
    shares = " · ".join(f"{share} {exact_duration(spent)}" for share, spent in turn.shares.items())
    return f"{first}{shares} · {counted(turn.chunks, 'chunk')} · {narrow_size(turn.received)} bytes"


class TurnTimer:
    """Divides the time of a turn, record by record."""

    def __init__(self, session_id: str, start: float) -> None:
        self._session = session_id
        self._mark = json.dumps(session_id, ensure_ascii=False).encode("utf-8", "replace")
        self._turn = TurnTimes(start, start)
        self._place = -1
        self._calls: dict[tuple[str, str], TimeSpan] = {}
        self._subagents: dict[str, TimeSpan] = {}
        """The newest work of each subagent, by its session."""
        self._links: dict[str, TimeSpan] = {}
        """The tool calls that link to subagents, by session."""
        self._pending: dict[Id, TimeSpan] = {}
        self._access: dict[int, TimeSpan] = {}
        self._message: TimeSpan | None = None

    def add_record(self, record: Record) -> None:
        """Add the next record."""
        self._turn.end = record.at
        self._place += 1
        if isinstance(record, Frame):
            if record.agent_knows:  # a held frame is recorded twice
                self._read_frame(record)
        elif isinstance(record, AccessAsked):
            name = f"{record.operation} {record.path}?"
            self._access[record.request] = self._begin_span(Share.PERSON, name, record.at)
        elif isinstance(record, AccessAnswered) and record.request in self._access:
            self._access.pop(record.request).end = record.at

    def finish(self, end: float | None = None) -> TurnTimes:
        """Return the times of the turn, which ended at `end`, or else with the last record."""
        if end is not None:
            self._turn.end = end
        self._turn.spans = _nested(self._turn.spans)
        self._turn.shares = _shares(self._turn)
        return self._turn

    def _begin_span(
        self, share: Share, name: str, at: float, parent: TimeSpan | None = None
    ) -> TimeSpan:
        span = TimeSpan(share, name, at, place=self._place, parent=parent)
        self._turn.spans.append(span)
        return span

    def _read_frame(self, frame: Frame) -> None:
        incoming = frame.direction is Direction.IN
        if incoming:
            self._turn.received += frame.size
            for mark, name in _CHUNKS.items():
                if mark in frame.raw and self._mark in frame.raw:
                    self._add_chunk(frame.at, name)  # too frequent to parse each one
                    return
        value = decode(frame.raw)
        message = value if isinstance(value, Malformed) else to_message(value)
        match message:
            case Notification(method="session/update") if incoming:
                params = object_at(message.params)
                session_id, update = params.get("sessionId"), object_at(params, "update")
                if session_id == self._session:
                    self._follow_update(frame.at, update)
                elif isinstance(session_id, str) and session_id in self._subagents:
                    self._follow_subagent_update(frame.at, session_id, update)
            case Request() if incoming:
                self._begin_request(frame.at, message)
            case Response() | Failure() if not incoming:
                span = self._pending.pop(message.id, None)
                if span is not None:
                    span.end = frame.at

    def _add_chunk(self, at: float, name: str) -> None:
        self._turn.chunks += 1
        self._record_waits(at, name, is_content=True)
        if self._message is None or self._message.name != name:
            self._message = self._begin_span(Share.MODEL, name, at)
        self._message.end = at

    def _record_waits(self, at: float, kind: str, *, is_content: bool) -> None:
        """Record the wait for the first update, and for the first message, thought or tool call."""
        turn, is_first_token = self._turn, is_content and self._turn.first_token is None
        if not turn.waits:
            self._add_wait(f"first update: {kind}", at)
        elif is_first_token:
            self._add_wait(f"first token: {kind}", at)
        if is_first_token:
            turn.first_token = at - turn.start

    def _add_wait(self, name: str, end: float) -> None:
        start, waits = self._turn.start, self._turn.waits
        waits.append(TimeSpan(Share.MODEL, name, start, end, self._place))

    def _follow_update(self, at: float, update: dict[str, Any]) -> None:
        """Follow tool calls and subagents; other updates only end the wait for the first one."""
        kind = update.get("sessionUpdate")
        is_call = kind in TOOL_CALL_UPDATES
        self._record_waits(at, str(kind), is_content=is_call)
        if kind == "subagent_update":
            self._follow_subagent(at, self._session, update)
        elif is_call:
            self._message = None
            self._follow_call(at, self._session, update)

    def _follow_subagent_update(self, at: float, session_id: str, update: dict[str, Any]) -> None:
        kind = update.get("sessionUpdate")
        if kind in TOOL_CALL_UPDATES:
            self._follow_call(at, session_id, update)
        elif kind == "subagent_update":
            self._follow_subagent(at, session_id, update)
        elif kind == "state_update":
            self._report_state(at, session_id, update.get("state"))

    def _follow_call(self, at: float, session_id: str, update: dict[str, Any]) -> None:
        """Begin, name or end a tool call; record the subagents that it links to."""
        id = str(update.get("toolCallId"))
        span = self._calls.get((session_id, id))
        is_new = update.get("sessionUpdate") == "tool_call"
        if span is None or (is_new and span.end is not None):
            span = self._begin_span(Share.TOOL, id, at, self._subagents.get(session_id))
            self._calls[session_id, id] = span
        if isinstance(update.get("title"), str):
            span.name = update["title"]
        if update.get("status") in FINISHED:
            span.end = at
        for item in objects_at(update, "content"):
            child = item.get("sessionId")
            if item.get("type") == "session" and isinstance(child, str) and child != session_id:
                self._links[child] = span
                if child in self._subagents and not _is_within(span, self._subagents[child]):
                    self._subagents[child].parent = span

    def _follow_subagent(self, at: float, parent: str, update: dict[str, Any]) -> None:
        """Begin the work of a subagent, or update its title and state."""
        id = update.get("sessionId")
        if not isinstance(id, str) or id in (self._session, parent):
            return
        if id not in self._subagents:
            above = self._links.get(id) or self._subagents.get(parent)
            self._subagents[id] = self._begin_span(Share.TOOL, f"↪ {id}", at, above)
        if isinstance(update.get("title"), str):
            self._subagents[id].name = f"↪ {update['title']}"
        if isinstance(update.get("state"), dict):
            self._report_state(at, id, update["state"].get("state"))

    def _report_state(self, at: float, session_id: str, state: Any) -> None:
        """End the newest work of a subagent, or begin new work."""
        span = self._subagents[session_id]
        if state == "idle":
            span.end = at if span.end is None else span.end
        elif span.end is not None:
            self._subagents[session_id] = self._begin_span(Share.TOOL, span.name, at, span.parent)

    def _begin_request(self, at: float, request: Request) -> None:
        """Begin a span in which the agent waits for the person, the client or a command."""
        params = object_at(request.params)
        session_id = params.get("sessionId")
        work = self._subagents.get(session_id) if isinstance(session_id, str) else None
        if session_id not in (self._session, None) and work is None:
            return
        if work is None:
            self._message = None
        if request.method in _OF_PERSON:
            question = value_at(params, "toolCall", "title") or params.get("title")
            question = question or params.get("message")
            name = f"{_OF_PERSON[request.method]}: {question}" if question else request.method
            span = self._begin_span(Share.PERSON, name, at, work)
        else:
            about = params.get("path") or params.get("command") or ""
            share = Share.TOOL if request.method == _WAIT else Share.CLIENT
            span = self._begin_span(share, f"{request.method} {about}".rstrip(), at, work)
        self._pending[request.id] = span


def _is_within(span: TimeSpan, other: TimeSpan) -> bool:
    """Return whether a span is part of another one, or is it."""
    above: TimeSpan | None = span
    while above is not None and above is not other:
        above = above.parent
    return above is other


def _nested(spans: Sequence[TimeSpan]) -> list[TimeSpan]:
    """Order spans so that each is followed by its children, and set their depth."""
    parts: dict[int, list[TimeSpan]] = {}
    for span in spans:
        parts.setdefault(id(span.parent) if span.parent is not None else 0, []).append(span)
    ordered, waiting = list[TimeSpan](), parts.get(0, [])[::-1]
    while waiting:
        span = waiting.pop()
        span.depth = 0 if span.parent is None else span.parent.depth + 1
        ordered.append(span)
        waiting += reversed(parts.get(id(span), []))
    return ordered


def _shares(turn: TurnTimes) -> dict[Share, float]:
    """Return the seconds of each share, each moment counted once."""
    shares: dict[Share, float] = {}
    covered: list[tuple[float, float]] = []
    before = 0.0
    for share in (Share.PERSON, Share.CLIENT, Share.TOOL):
        covered += [
            (max(span.start, turn.start), min(turn.end if span.end is None else span.end, turn.end))
            for span in turn.spans
            if span.share is share
        ]
        together = _length(covered)
        shares[share] = together - before
        before = together
    return {Share.MODEL: max(0.0, turn.seconds - before), **shares}


def _length(spans: list[tuple[float, float]]) -> float:
    """Return how many seconds spans cover together."""
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total
