"""The protocol between a kept run and its screens: lines on a socket, each a JSON object or a
record.
"""

import json
import os
import socket
import struct
from base64 import b64decode, b64encode
from collections import deque
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import fields
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import anyio
from anyio.lowlevel import checkpoint

from acp_tui.errors import AcpTuiError
from acp_tui.formatting import size
from acp_tui.policy.rules import Rule, RuleError, read_rule
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import DEFAULT_LIMIT
from acp_tui.protocol.model import Model
from acp_tui.protocol.setup import PromptParams
from acp_tui.recordings.recording import RecordingError, parse_record
from acp_tui.recordings.records import pieces_of
from acp_tui.state.commands import Command
from acp_tui.version import __version__

PROTOCOL = 1
ANY_VERSION = ("status", "stop")
"""Requests that are accepted from other versions, too: otherwise such a run couldn't be stopped."""
PIECE = 64 * 1024
"""Most bytes that are received at a time."""
_COMMANDS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Command)}


class MessageError(AcpTuiError):
    """A line isn't a valid message; the error text says why."""


def format_message(**body: Any) -> bytes:
    """Format a message as a line."""
    return json.dumps(body).encode() + b"\n"


def format_hello(wants: str, screen: str, **more: Any) -> bytes:
    """Format the first message of a connection; `screen` is the name that other screens see."""
    facts = {"acp-tui": PROTOCOL, "version": __version__}
    return format_message(**facts, wants=wants, screen=screen, **more)


def refusal_reason(body: Mapping[str, Any], name: str) -> str | None:
    """Return why a screen with this hello is refused, or None."""
    if body.get("acp-tui") == PROTOCOL or body.get("wants") in ANY_VERSION:
        return None
    theirs = body.get("version", "of another kind")
    return (
        f"{name} is kept by acp-tui {__version__}, and this is acp-tui {theirs}: attach with the "
        f"same version, or end it: acp-tui stop {name}"
    )


def read_message(line: bytes) -> dict[str, Any]:
    """Parse a line that isn't a record. Raises MessageError."""
    try:
        body = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise MessageError(f"not JSON: {error}") from None
    if not isinstance(body, dict):
        raise MessageError("not an object")
    return body


def record_pieces(number: int, records: Sequence[Record], index: int) -> Iterator[bytes]:
    """Yield a line with a record of an agent, in pieces; most records are one piece."""
    yield b"%d " % number
    for piece in pieces_of(records, index):
        yield piece.encode("utf-8", "backslashreplace")
    yield b"\n"


def read_record(line: bytes) -> tuple[int, Record]:
    """Parse a line with a record: return the agent's number, which comes first, and the record.
    Raises MessageError.
    """
    number, _, record = line.partition(b" ")
    try:
        return int(number), parse_record(record)
    except (ValueError, RecordingError) as error:
        raise MessageError(str(error)) from None


def write_command(command: Command) -> dict[str, Any]:
    """Convert a command to JSON, for `read_command`."""
    values = {one.name: _plain(getattr(command, one.name)) for one in fields(command)}
    return {"command": type(command).__name__, "given": values}


def _plain(value: Any) -> Any:
    match value:
        case Rule():
            return value.to_json()
        case Model():
            return value.wire()
        case tuple():
            return [_plain(one) for one in value]
        case Mapping():
            return dict(value)
        case bytes():
            return b64encode(value).decode()
    return value


def read_command(body: Mapping[str, Any]) -> Command:
    """Parse a command. Raises MessageError."""
    name = body.get("command")
    kind = _COMMANDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise MessageError(f"there is no command {name!r}: is it from another version of acp-tui?")
    try:
        values = {key: _read_field(key, value) for key, value in dict(body["given"]).items()}
        hints = get_type_hints(kind)
        for key, value in values.items():
            hint = hints[key]
            kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
            if not any(isinstance(value, get_origin(one) or one) for one in kinds):
                raise TypeError(f"{key} can't be {value!r}")
        command: Command = kind(**values)
    except (KeyError, TypeError, ValueError, RuleError) as error:
        raise MessageError(f"{name} can't be read: {error}") from None
    return command


def _read_field(key: str, value: Any) -> Any:
    """Convert a field of a command from JSON, by its name."""
    match key:
        case "prompt":
            return tuple(PromptParams.model_validate({"sessionId": "", "prompt": value}).prompt)
        case "rule":
            return read_rule(value)
        case "rules":
            return tuple(map(read_rule, value))
        case "raw" | "output":
            return b64decode(value, validate=True)
        case "headers" | "in_view":
            return tuple((str(name), str(text)) for name, text in value)
        case "values":
            return tuple((str(id), one if isinstance(one, bool) else str(one)) for id, one in value)
        case "usual":
            return tuple(map(str, value))
    return value


class SocketConnection:
    """Sends and receives on a socket without blocking the loop. Raises OSError once the peer is
    gone.
    """

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._end = end

    async def lines(self, limit: int = DEFAULT_LIMIT) -> AsyncIterator[bytes]:
        """Yield lines until the peer closes the connection. Raises MessageError for a line over
        `limit` bytes.
        """
        parts: list[bytes] = []
        waiting = 0
        while data := await self._receive_bytes():
            head, newline, tail = data.rpartition(b"\n")
            if not newline:
                parts.append(data)
                waiting += len(data)
                if waiting > limit:
                    raise MessageError(f"a line is longer than {size(limit)}")
                continue
            for line in b"".join([*parts, head]).split(b"\n"):
                yield line
            parts, waiting = [tail], len(tail)

    async def _receive_bytes(self) -> bytes:
        while True:
            try:
                return self._end.recv(PIECE)
            except BlockingIOError:
                await anyio.wait_readable(self._end)

    async def send(self, data: bytes) -> None:
        """Send all data, waiting while the peer doesn't read."""
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[self._end.send(rest) :]
            except BlockingIOError:
                await anyio.wait_writable(self._end)

    def close(self) -> None:
        """Close this end of the connection."""
        anyio.notify_closing(self._end)
        self._end.close()


def is_ours(end: socket.socket) -> bool:
    """Return whether the peer is a process of the same user, if the system reports that, as Linux
    does.
    """
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # here, only the folder's permissions protect the socket
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return bool(user == os.getuid())


BATCH_BYTES = 32 * 1024
"""Approximate bytes that are sent at a time, which take a few milliseconds."""
SHARE = 64
"""Records of one agent that are sent before the next agent's turn."""
MOST_MESSAGES = 10_000
"""Most messages that may be queued for a screen that doesn't read; with more, its connection is
closed.
"""


class Screen:
    """A screen of a kept run, which is sent the records that it lacks as fast as it reads.

    Records are not queued, but read from the log when they are sent: a slow screen delays no other,
    and misses nothing.
    """

    def __init__(self, connection: SocketConnection, name: str) -> None:
        self.name = name
        self._connection = connection
        self._messages: deque[bytes] = deque()
        self._logs: dict[int, Sequence[Record]] = {}
        self._sent: dict[int, int] = {}
        self._news = anyio.Event()

    def queue_message(self, **body: Any) -> None:
        """Queue a message; close the connection of a screen that hasn't read for too long."""
        self._messages.append(format_message(**body))
        self.wake()
        if len(self._messages) > MOST_MESSAGES:
            self._connection.close()

    def show_agent(self, number: int, records: Sequence[Record], facts: dict[str, Any]) -> None:
        """Send an agent's facts, and its records, existing and future ones."""
        self._logs[number] = records
        self._sent[number] = 0
        self.queue_message(agent=number, records=len(records), **facts)

    def drop(self, number: int) -> None:
        """Tell the screen that an agent was closed."""
        self._logs.pop(number, None)
        self._sent.pop(number, None)
        self.queue_message(gone=number)

    def wake(self) -> None:
        """Wake the writer: there is something to send."""
        self._news.set()

    async def write(self) -> None:
        """Send everything that the screen lacks, until canceled. Raises OSError once the screen is
        gone.
        """
        while True:
            self._news = anyio.Event()
            for piece in self._pieces():
                await self._connection.send(piece)
                await checkpoint()
            await self._news.wait()

    def _pieces(self) -> Iterator[bytes]:
        """Yield the missing messages and records in batches. Messages come first, as an agent must
        be announced before its records.
        """
        batch = bytearray()
        while self._messages or any(self._sent[one] < len(self._logs[one]) for one in self._logs):
            while self._messages:
                batch += self._messages.popleft()
            for number in list(self._logs):
                for piece in self._records(number):
                    batch += piece
                    if len(batch) >= BATCH_BYTES:
                        yield bytes(batch)
                        batch.clear()
        if batch:
            yield bytes(batch)

    def _records(self, number: int) -> Iterator[bytes]:
        """Yield the next records of an agent, unless it was dropped."""
        for _ in range(SHARE):
            records, at = self._logs.get(number, ()), self._sent.get(number, 0)
            if at >= len(records):
                break
            self._sent[number] = at + 1
            yield from record_pieces(number, records, at)
