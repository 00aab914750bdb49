"""Reads logs of plain messages, where the method of each reveals its sender."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Record
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import Id, Malformed
from acp_tui.protocol.methods import AGENT_METHODS, CLIENT_METHODS
from acp_tui.recordings.recording import RecordingError

_MOST_NOISE = 20
"""Lines to read before giving up if none is a message: a file that isn't a log may be long."""
_TO_CLIENT = ("fs/", "terminal/", "elicitation/")


def read_plain(lines: Iterable[str]) -> Iterator[Record]:
    """Read messages of both directions, one per line and without times, as in acpx's stream files.

    The method of a call shows its direction; a response goes the other way than the request with its
    id. Raises RecordingError if there are no messages.
    """
    guess = _DirectionGuess()
    number = understood = 0
    for line in lines:
        raw = line.strip("\ufeff\r\n").encode("utf-8", "surrogateescape")
        if not raw.strip():
            continue
        number += 1
        message = jsonrpc.parse(raw)
        understood += not isinstance(message, Malformed)
        if number == _MOST_NOISE and not understood:
            break
        yield Frame(guess.direction(message), raw, 0.0, number, size=len(raw))
    if not understood:
        raise RecordingError("no line is a JSON-RPC message")


class _DirectionGuess:
    """Derives the direction of a message from its method, or from the request that it answers."""

    def __init__(self) -> None:
        self._waiting: dict[Id, list[Direction]] = defaultdict(list)

    def direction(self, message: jsonrpc.Message) -> Direction:
        match message:
            case jsonrpc.Request():
                direction = direction_of_calls(message.method) or Direction.OUT
                self._waiting[message.id].append(direction)
                return direction
            case jsonrpc.Notification():
                return direction_of_calls(message.method) or Direction.OUT
            case jsonrpc.Response() | jsonrpc.Failure():
                return self._answerer(message)
        return Direction.IN  # noise comes from agents

    def _answerer(self, message: jsonrpc.Response | jsonrpc.Failure) -> Direction:
        askers = self._waiting.get(message.id, [])
        if not askers:
            return Direction.IN
        asker = askers[0]
        if len(set(askers)) > 1 and isinstance(message, jsonrpc.Response):
            asker = Direction.IN if _from_client(message.result) else Direction.OUT
        askers.remove(asker)
        return Direction.OUT if asker is Direction.IN else Direction.IN


def direction_of_calls(method: str) -> Direction | None:
    """Return the direction in which a method is called; None if both, or if it is unknown."""
    if method in CLIENT_METHODS and method in AGENT_METHODS:
        return None
    if method in AGENT_METHODS:
        return Direction.OUT
    to_client = method in CLIENT_METHODS or method.startswith(_TO_CLIENT)
    return Direction.IN if to_client or method.endswith("_update") else None


def _from_client(result: Any) -> bool:
    """Guess whether a result is a client's, when both sides have a pending request with its id."""
    marks = {"outcome", "content", "terminalId", "output", "exitCode", "exitStatus", "action"}
    return isinstance(result, dict) and (not result or bool(marks & result.keys()))
