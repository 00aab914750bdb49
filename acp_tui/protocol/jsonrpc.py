"""Parses and encodes JSON-RPC 2.0 messages, one per line; joins messages split over several lines."""

import json
import re
from enum import IntEnum
from math import isfinite
from typing import Any, NamedTuple

from acp_tui.protocol.json_decoder import BYTE_ORDER_MARK, Malformed, decode

__all__ = [
    "BYTE_ORDER_MARK",
    "EMPTY",
    "Error",
    "ErrorCode",
    "Failure",
    "Id",
    "Malformed",
    "Message",
    "Notification",
    "Request",
    "Response",
    "as_json",
    "decode",
    "encode",
    "is_empty_response",
    "parse",
    "to_message",
]

Id = str | int | float | None
"""The id of a request. None is a null id (legal, but discouraged), not a missing one."""


class ErrorCode(IntEnum):
    """Error codes defined by JSON-RPC and ACP."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    REQUEST_CANCELLED = -32800
    AUTH_REQUIRED = -32000
    RESOURCE_NOT_FOUND = -32002


class Error(NamedTuple):
    """The error of a failed response; `data` is whatever the peer added.

    A response with both an error and a result counts as failed; `result` is its result.
    """

    code: int
    message: str
    data: Any = None
    result: Any = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Error) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash((self.code, self.message))

    @property
    def words(self) -> str:
        """The error for people: message, code, result and data."""
        return ": ".join(filter(None, (self.summary, self.details)))

    @property
    def summary(self) -> str:
        """The message and the code, and the result that was sent with the error."""
        words = f"{self.message} ({int(self.code)})"
        return words if self.result is None else f"{words}, with the result {as_json(self.result)}"

    @property
    def details(self) -> str:
        """The error's data as text; "" if it has none. A string is shown without JSON's escapes."""
        return "" if self.data is None else self.explanation or as_json(self.data)

    @property
    def explanation(self) -> str:
        """The error's data, if it is nothing but a text; else ""."""
        return _text_in(self.data)


_TEXTS = ("details", "detail", "reason", "message", "description", "error")
"""Field names that only say that their text explains the error."""


def _text_in(data: Any) -> str:
    """Return the text in an error's data, if there is nothing else in it."""
    if isinstance(data, dict) and len(data) == 1:
        [(name, value)] = data.items()
        data = value if name in _TEXTS else None
    return data if isinstance(data, str) else ""


class Request(NamedTuple):
    """A request, which must be answered."""

    id: Id
    method: str
    params: Any = None


class Notification(NamedTuple):
    """A notification, which is never answered."""

    method: str
    params: Any = None


class Response(NamedTuple):
    """A successful response."""

    id: Id
    result: Any = None


class Failure(NamedTuple):
    """An error response."""

    id: Id
    error: Error


_ESCAPED = re.compile("[\x85\u2028\u2029\ud800-\udfff]")
"""Characters to escape: some readers (Node's readline) break lines at the first three, which JSON
doesn't count as newlines. Lone surrogates have no UTF-8 encoding, but an id with one must be
returned unchanged.
"""

EMPTY = "a response with neither a result nor an error"
Message = Request | Notification | Response | Failure | Malformed


def parse(raw: bytes) -> Message:
    """Parse one line; whatever isn't JSON-RPC becomes a `Malformed`, not an exception.

    Bytes that are not UTF-8 are replaced, not dropped: one stray byte must not lose the whole
    message (the frame keeps the original).
    """
    value = decode(raw)
    return value if isinstance(value, Malformed) else to_message(value)


def as_json(value: Any) -> str:
    """Format a peer's value as JSON on one line, for people."""
    return json.dumps(value, ensure_ascii=False)


def to_message(value: Any) -> Message:
    """Interpret a JSON value as a message."""
    if isinstance(value, dict):
        return _message(value)
    if isinstance(value, list):
        return Malformed("a batch: ACP has no JSON-RPC batches", wants_answer=True)
    return Malformed(f"not a JSON-RPC message but a bare {_kind(value)}")


def _message(value: dict[str, Any]) -> Message:
    method = value.get("method")
    if "method" in value:
        if not isinstance(method, str):
            return Malformed("the method is not a string", wants_answer="id" in value)
        if "id" not in value:
            return Notification(method, value.get("params"))
        if not _is_id(value["id"]):
            return Malformed("the id is neither a string nor a number", wants_answer=True)
        return Request(value["id"], method, value.get("params"))
    if "id" in value and not _is_id(value["id"]):
        return Malformed("the id is neither a string nor a number")
    if value.get("error") is not None:
        return Failure(value.get("id"), _error(value["error"], value.get("result")))
    if "result" in value and "id" in value:
        return Response(value["id"], value["result"])
    if is_empty_response(value):
        return Failure(value["id"], Error(ErrorCode.INTERNAL_ERROR, EMPTY))
    return Malformed("neither a request, a notification nor a response")


def is_empty_response(value: dict[str, Any]) -> bool:
    """Return whether a response has neither result nor error: nothing will follow it."""
    if value.get("error") is not None:
        return False
    return value.keys() in ({"jsonrpc", "id"}, {"jsonrpc", "id", "error"})


def _error(value: Any, result: Any) -> Error:
    """Parse an error object; keep the valid parts of a malformed one."""
    if not isinstance(value, dict):
        words = value if isinstance(value, str) else as_json(value)
        return Error(ErrorCode.INTERNAL_ERROR, words, None, result)
    code, message = value.get("code"), value.get("message")
    if isinstance(code, float) and code.is_integer():
        code = int(code)
    return Error(
        code if isinstance(code, int) else ErrorCode.INTERNAL_ERROR,
        message if isinstance(message, str) else "(the error has no message)",
        value.get("data"),
        result,
    )


def _is_id(value: Any) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return value is None or (isinstance(value, str | int) and not isinstance(value, bool))


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    return (
        "string" if isinstance(value, str) else "boolean" if isinstance(value, bool) else "number"
    )


def encode(message: Request | Notification | Response | Failure) -> bytes:
    """Encode a message as one line of UTF-8, without its newline or other line breaks."""
    body: dict[str, Any] = {"jsonrpc": "2.0"}
    if isinstance(message, Request):
        body |= {"id": message.id, "method": message.method}
    elif isinstance(message, Notification):
        body["method"] = message.method
    elif isinstance(message, Response):
        body |= {"id": message.id, "result": message.result}
    else:
        error = {"code": int(message.error.code), "message": message.error.message}
        if message.error.data is not None:
            error["data"] = message.error.data
        body |= {"id": message.id, "error": error}
    if isinstance(message, Request | Notification) and message.params is not None:
        body["params"] = message.params
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return (text if text.isascii() else _ESCAPED.sub(_escaped, text)).encode()


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


MOST_LINES = 10_000
MOST_BYTES = 1024 * 1024
"""Most bytes buffered of lines that may form one object."""
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_BESIDE_STRINGS = re.compile(rb"[\s,:{}\[\]0-9eE+.truefalsn-]*")


class LinePart(NamedTuple):
    """One line of an object that is spread over several lines, counted from 1.

    The last line has the object's `value`, and the whole object joined on one line.
    """

    line: int
    value: dict[str, Any] | None = None
    joined: bytes = b""


class Multiline:
    """Joins consecutive lines that form one JSON object. Call `close` at each valid message."""

    def __init__(self) -> None:
        self.is_open = False
        """Whether the next line may continue the object."""
        self._lines: list[bytes] = []
        self._size = 0
        self._depth = 0

    def close(self) -> None:
        """Drop the unfinished object."""
        self.is_open = False
        self._lines.clear()
        self._size = self._depth = 0

    def feed(self, raw: bytes, *, is_last: bool = False) -> LinePart | None:
        """Add a line that isn't a message by itself. Return which line of an object it is, or None
        if it isn't part of an object.

        The last line of the stream is part of an object only if it completes it.
        """
        part = (self._continue_object(raw) if self._lines else None) or self._begin_object(raw)
        if is_last and self.is_open:
            self.close()
            return None
        return part

    def _begin_object(self, raw: bytes) -> LinePart | None:
        self.close()
        if not raw.removeprefix(BYTE_ORDER_MARK).lstrip().startswith(b"{"):
            return None
        return self._continue_object(raw.removeprefix(BYTE_ORDER_MARK))

    def _continue_object(self, raw: bytes) -> LinePart | None:
        self._size += len(raw)
        if self._size > MOST_BYTES or len(self._lines) == MOST_LINES:
            return None
        depth = _depth(raw, self._depth)
        if depth is None:
            return None
        if not depth and not self._lines:
            return None  # a whole object on one line
        self.is_open = True
        self._lines.append(raw)
        self._depth = depth
        return LinePart(len(self._lines)) if depth else self._end_object()

    def _end_object(self) -> LinePart | None:
        count, joined = len(self._lines), b" ".join(line.strip() for line in self._lines)
        self.close()
        value = decode(joined)
        return LinePart(count, value, joined) if isinstance(value, dict) else None


def _depth(raw: bytes, depth: int) -> int | None:
    """Return how many objects and arrays are open after a line; None if it can't be JSON."""
    rest = _STRING.sub(b"", raw)
    if _BESIDE_STRINGS.fullmatch(rest) is None:
        return None
    depth += rest.count(b"{") + rest.count(b"[") - rest.count(b"}") - rest.count(b"]")
    return depth if depth >= 0 else None
