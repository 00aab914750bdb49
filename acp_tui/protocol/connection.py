"""The protocol without I/O: pairs requests with responses, and turns frames into events."""

from collections import deque
from collections.abc import Iterator
from sys import intern
from typing import Any, Generic, TypeVar

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.dialects import Dialect, dialect_of, guess_version, shape_of
from acp_tui.protocol.folders import Folders
from acp_tui.protocol.frames import Direction, Flaw, Frame, Origin
from acp_tui.protocol.jsonrpc import (
    Error,
    Failure,
    Id,
    Malformed,
    Message,
    Multiline,
    Notification,
    Request,
    Response,
)
from acp_tui.protocol.model import Model
from acp_tui.protocol.payloads import read_params, read_result
from acp_tui.protocol.wire_events import (
    Aside,
    Notified,
    Requested,
    Responded,
    Stray,
    Unreadable,
    WireEvent,
)

T = TypeVar("T")


class Pending(Generic[T]):
    """Pending requests of both sides by id; those with the same id are answered in order."""

    def __init__(self) -> None:
        self._oldest: dict[Direction, dict[Id, T]] = {side: {} for side in Direction}
        self._behind: dict[tuple[Direction, Id], deque[T]] = {}
        """Requests whose id is also that of an older pending request."""

    def put(self, asker: Direction, id: Id, request: T) -> None:
        """Add a pending request."""
        oldest = self._oldest[asker]
        if id in oldest:
            self._behind.setdefault((asker, id), deque()).append(request)
        else:
            oldest[id] = request

    def oldest(self, asker: Direction, id: Id) -> T | None:
        """Return the request with this id that is answered next."""
        return self._oldest[asker].get(id)

    def all(self, asker: Direction, id: Id) -> list[T]:
        """Return all requests with this id, oldest first."""
        oldest = self._oldest[asker]
        return [oldest[id], *self._behind.get((asker, id), ())] if id in oldest else []

    def newest(self, asker: Direction, id: Id) -> T | None:
        """Return the newest request with this id."""
        behind = self._behind.get((asker, id))
        return behind[-1] if behind else self.oldest(asker, id)

    def pop(self, asker: Direction, id: Id) -> T | None:
        """Remove and return the request that a response answers; None if no request is pending."""
        request = self._oldest[asker].pop(id, None)
        behind = self._behind.get((asker, id))
        if behind is not None:
            self._oldest[asker][id] = behind.popleft()
            if not behind:
                del self._behind[asker, id]
        elif not self._oldest[asker]:
            self._oldest[asker].clear()  # a dict doesn't free its memory by itself
        return request

    def __iter__(self) -> Iterator[T]:
        for side in self._oldest.values():
            yield from side.values()
        for requests in self._behind.values():
            yield from requests


EXCERPT = 200
"""Characters of an unreadable line that its event includes."""


class WireConnection:
    """Pairs requests with responses on a connection, in both directions, and numbers our requests.

    `receive` must get every frame, ours included, in the order of the wire: then a recording of
    both directions yields the same events as the live connection. Paths in events are mapped to our
    names by `folders`.

    The protocol version comes from `initialize`; without one, from the first message that only one
    version has. `version` is the one to send `initialize` in.
    """

    def __init__(self, folders: Folders | None = None, version: int = 1) -> None:
        self._folders = folders or Folders()
        self._version = version
        self._is_guess = version == 1
        """Whether the version is still a guess."""
        self._next_id = 0
        self._hand_ids: set[Id] = set()
        """The ids of requests that the user has sent by hand."""
        self._waiting: dict[int, Requested] = {}
        """The pending requests of both sides by frame number, oldest first."""
        self._waiting_sizes: dict[int, int] = {}
        """The frame sizes, in bytes, of the agent's pending requests."""
        self.waiting_size = 0
        """The total of `_waiting_sizes`."""
        self._pending: Pending[Requested] = Pending()
        self._multiline = Multiline()

    def pending(self, direction: Direction) -> list[Requested]:
        """Return one side's pending requests, oldest first."""
        return [one for one in self._waiting.values() if one.direction is direction]

    @property
    def pending_count(self) -> int:
        """The number of the agent's pending requests."""
        return len(self._waiting_sizes)

    def numbered(self, number: int) -> Requested | None:
        """Return the request in the frame with this number, if it is still pending."""
        return self._waiting.get(number)

    def is_pending(self, request: Requested) -> bool:
        """Return whether this request is still pending. Requests with the same id are answered in order."""
        return request.number in self._waiting

    def with_id(self, id: Id) -> list[int]:
        """Return the frame numbers of the agent's pending requests with this id, oldest first."""
        return [one.number for one in self._pending.all(Direction.IN, id)]

    def request(self, call: str, params: Model) -> Request:
        """Build a request for version 1's `call`, with an id that is unused on this connection."""
        while self._next_id in self._hand_ids:
            self._next_id += 1
        id = self._next_id
        self._next_id += 1
        written = self._dialect.written(call, self._folders.there(params).wire())
        return Request(id, self._dialect.name(call), written)

    def receive(self, frame: Frame, message: Message | None = None) -> WireEvent:
        """Return the event for a frame; pass its `message` if it is already decoded."""
        direction, at, number = frame.direction, frame.at, frame.number
        if (frame.of or frame.stopped is not None) and not frame.client_knows:
            is_given = direction is Direction.OUT
            given = jsonrpc.parse(frame.raw) if is_given else None
            return Aside(direction, at, number, frame.of, given)
        if frame.flaw is Flaw.OVERSIZED:
            self._multiline.close()
            reason = f"a line of {frame.size:,} bytes is over the limit and was skipped"
            return Unreadable(
                direction=direction,
                at=at,
                number=number,
                reason=reason,
                excerpt=_excerpt(frame.raw),
                wants_answer=True,
                is_over_limit=True,
            )
        message = message or jsonrpc.parse(frame.raw)
        lines = self._multiline
        if lines.is_open and direction is Direction.IN and not isinstance(message, Malformed):
            lines.close()
        if self._is_guess:
            self._guess_version(message)
        match message:
            case Notification():
                return self._notified(frame, message)
            case Request():
                event = self._requested(frame, message)
                if direction is Direction.OUT and frame.by is Origin.HAND:
                    self._hand_ids.add(message.id)
                self._add_waiting(event, len(frame.raw))
                return event
            case Response():
                return self._answered(frame, message.id, message.result, None)
            case Failure():
                return self._answered(frame, message.id, None, message.error)
        return self._unreadable(frame, message)

    def _add_waiting(self, request: Requested, size: int) -> None:
        self._pending.put(request.direction, request.id, request)
        if request.number in self._waiting:
            return  # logs of other programs may repeat frame numbers
        self._waiting[request.number] = request
        if request.direction is Direction.IN:
            self._waiting_sizes[request.number] = size
            self.waiting_size += size

    def _remove_waiting(self, request: Requested) -> None:
        if self._waiting.get(request.number) is request:
            del self._waiting[request.number]
            self.waiting_size -= self._waiting_sizes.pop(request.number, 0)

    def _guess_version(self, message: Message) -> None:
        """Set the version if the message is one that only one version has."""
        version = guess_version(message)
        if version is not None:
            self._speak_version(version)

    def _speak_version(self, version: int) -> None:
        self._version, self._is_guess = version, False

    @property
    def _dialect(self) -> Dialect:
        return dialect_of(self._version)

    def _notified(self, frame: Frame, message: Notification) -> Notified:
        params, problem = read_params(frame.direction, message, self._dialect)
        return Notified(
            direction=frame.direction,
            at=frame.at,
            number=frame.number,
            method=message.method,
            params=self._folders.here(params),
            raw=message.params,
            problem=problem,
            by=frame.by,
        )

    def _requested(self, frame: Frame, message: Request) -> Requested:
        if message.method == "initialize" and frame.direction is Direction.OUT:
            self._speak_version(shape_of(message.params))
        params, problem = read_params(frame.direction, message, self._dialect)
        return Requested(
            direction=frame.direction,
            at=frame.at,
            number=frame.number,
            id=message.id,
            method=intern(message.method),
            params=self._folders.here(params),
            raw=message.params,
            problem=problem,
            by=frame.by,
        )

    def _unreadable(self, frame: Frame, message: Malformed) -> Unreadable:
        """Return the event for a line that isn't a message; one over several lines isn't obeyed."""
        part, is_last = None, frame.flaw is Flaw.UNFINISHED
        if message.is_over_limit:
            self._multiline.close()
        elif frame.direction is Direction.IN:
            part = self._multiline.feed(frame.raw, is_last=is_last)
        event = Unreadable(
            direction=frame.direction,
            at=frame.at,
            number=frame.number,
            reason=message.reason,
            excerpt=_excerpt(frame.raw),
            by=frame.by,
        )
        if part is None:
            cut_off = "the output ended in mid-line; " if is_last else ""
            return event._replace(
                reason=f"{cut_off}{message.reason}",
                wants_answer=message.wants_answer,
                is_over_limit=message.is_over_limit,
                lost_message=message.lost_message,
            )
        if part.value is None:
            return event._replace(lines=part.line)
        whole = jsonrpc.to_message(part.value)
        reason, wants_answer = _on_several_lines(part.line, whole)
        return event._replace(
            reason=reason,
            excerpt=_excerpt(part.joined),
            wants_answer=wants_answer,
            lines=part.line,
            value=part.value,
            lost_message=not isinstance(whole, Malformed),
        )

    def _answered(self, frame: Frame, id: Id, result: Any, error: Error | None) -> WireEvent:
        asker = Direction.OUT if frame.direction is Direction.IN else Direction.IN
        request = self._pending.pop(asker, id)
        if request is None:
            raw, by = result, frame.by
            return Stray(frame.direction, frame.at, frame.number, id, raw, error, by)
        self._remove_waiting(request)
        model, problem = None, None
        if error is None:
            if request.method == "initialize" and asker is Direction.OUT:
                self._speak_version(shape_of(result))
            model, problem = read_result(asker, request.method, result, self._dialect)
            model = self._folders.here(model)
        return Responded(
            direction=frame.direction,
            at=frame.at,
            number=frame.number,
            request=request,
            result=model,
            error=error,
            raw=result,
            problem=problem,
            by=frame.by,
            stopped=frame.stopped,
        )


def _on_several_lines(lines: int, message: Message) -> tuple[str, bool]:
    """Return what is wrong with an object on several lines, and whether its sender may be waiting."""
    if isinstance(message, Malformed):
        return f"{message.reason}: a JSON object on {lines} lines", message.wants_answer
    reason = f"one message on {lines} lines, so it can't be read: each must be on a single line"
    return reason, isinstance(message, Request)


def _excerpt(raw: bytes) -> str:
    return raw[: EXCERPT * 4].decode("utf-8", "replace")[:EXCERPT]
