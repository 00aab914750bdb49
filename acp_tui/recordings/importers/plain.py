"""Plain messages: one a line, both directions mixed, as acpx's stream files hold them.

They don't say which way they went: that is told from who answers the method, and of responses from
whose request with that id waits.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import Id, Malformed
from acp_tui.protocol.methods import AGENT_METHODS, CLIENT_METHODS
from acp_tui.recordings.recording import Record, RecordingError

_TO_CLIENT = ("fs/", "terminal/", "elicitation/")


def read(lines: Iterable[str]) -> Iterator[Record]:
    """Read plain messages, one per line, without times. Raises RecordingError if there are none."""
    guess = _Guess()
    number = understood = 0
    for line in lines:
        raw = line.strip("\ufeff\r\n").encode("utf-8", "surrogateescape")
        if not raw.strip():
            continue
        number += 1
        message = jsonrpc.parse(raw)
        understood += not isinstance(message, Malformed)
        if number == 20 and not understood:
            break
        yield Frame(guess.direction(message), raw, 0.0, number, size=len(raw))
    if not understood:
        raise RecordingError("no line is a JSON-RPC message")


class _Guess:
    """Which way messages went that don't say it."""

    def __init__(self) -> None:
        self._waiting: dict[Id, list[Direction]] = defaultdict(list)

    def direction(self, message: jsonrpc.Message) -> Direction:
        match message:
            case jsonrpc.Request():
                direction = caller(message.method) or Direction.OUT
                self._waiting[message.id].append(direction)
                return direction
            case jsonrpc.Notification():
                return caller(message.method) or Direction.OUT
            case jsonrpc.Response() | jsonrpc.Failure():
                return self._answerer(message)
        return Direction.IN  # noise: agents make it

    def _answerer(self, message: jsonrpc.Response | jsonrpc.Failure) -> Direction:
        askers = self._waiting.get(message.id, [])
        if not askers:
            return Direction.IN
        asker = askers[0]
        if len(set(askers)) > 1 and isinstance(message, jsonrpc.Response):
            asker = Direction.IN if _from_client(message.result) else Direction.OUT
        askers.remove(asker)
        return Direction.OUT if asker is Direction.IN else Direction.IN


def caller(method: str) -> Direction | None:
    """Return the direction of a method's calls; None if both sides may call it, or nobody knows it."""
    if method in CLIENT_METHODS and method in AGENT_METHODS:
        return None
    if method in AGENT_METHODS:
        return Direction.OUT
    to_client = method in CLIENT_METHODS or method.startswith(_TO_CLIENT)
    return Direction.IN if to_client or method.endswith("_update") else None


def _from_client(result: Any) -> bool:
    """Whether a result looks like a client's: both sides wait for an answer with its id."""
    marks = {"outcome", "content", "terminalId", "output", "exitCode", "exitStatus", "action"}
    return isinstance(result, dict) and (not result or bool(marks & result.keys()))
