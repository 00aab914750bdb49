"""A message composed by hand, and the lines it is sent as."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from acp_tui.protocol import json_decoder, jsonrpc
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import Id, Notification, Request, Response
from acp_tui.protocol.method_forms import MethodForm, results

LARGEST_EDITED_FRAME = 1024 * 1024
"""Bytes of a frame that is edited by hand."""
_BYTE = re.compile(r"\\x([0-9a-fA-F]{2})")
_LITERAL = re.compile(rb"\\(?=x[0-9a-fA-F]{2})")


class DraftError(Exception):
    """A draft can't be sent; `field` is the part at fault, and the message says why."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class DraftKind(StrEnum):
    """The kinds of messages that can be composed."""

    REQUEST = "request"
    NOTIFICATION = "notification"
    RAW = "raw bytes"


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """A request or a notification, or raw lines. `id` and `params` are JSON; an id that is none is a
    string. Without a text there are no params.
    """

    kind: DraftKind = DraftKind.REQUEST
    method: str = ""
    id: str = ""
    params: str = ""
    raw: str = ""

    @property
    def is_blank(self) -> bool:
        """Return whether the draft is empty."""
        return not (self.method or self.params or self.raw)

    def lines(self) -> list[bytes]:
        """Return the lines to send. Raises DraftError."""
        if self.kind is DraftKind.RAW:
            lines = [one for one in to_bytes(self.raw).split(b"\n") if one]
            if not lines:
                raise DraftError("raw", "there is nothing to send")
            return lines
        if not self.method:
            raise DraftError("method", "a method is missing")
        params = read_json("params", self.params) if self.params.strip() else None
        call = Notification(self.method, params)
        if self.kind is DraftKind.REQUEST:
            return [jsonrpc.encode(Request(read_id(self.id), *call))]
        return [jsonrpc.encode(call)]


def read_id(text: str) -> Id:
    """Read an id: JSON, so that 7 is a number and "7" a string; else the words as they are."""
    if not text.strip():
        raise DraftError("id", "a request has an id; a notification has none")
    try:
        id: Id = read_json("id", text)
    except DraftError:
        return text
    return id


def read_json(field: str, text: str) -> Any:
    """Read what was written as JSON. Raises DraftError."""
    try:
        json_decoder.read_json(text)  # what is nested too deep is for raw bytes
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DraftError(field, f"not JSON: {error.msg.lower()} at {where}") from None
    except ValueError as error:
        raise DraftError(field, f"not JSON: {error}") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def write_json(value: Any) -> str:
    """Write a value as JSON that is easy to edit."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def to_bytes(text: str) -> bytes:
    """Return raw text as bytes: `\\xff` is the byte of this number, all else is UTF-8."""
    parts = _BYTE.split(text)
    out = bytearray()
    for at, part in enumerate(parts):
        out += bytes.fromhex(part) if at % 2 else part.encode("utf-8", "surrogatepass")
    return bytes(out)


def to_text(raw: bytes) -> str:
    """Return bytes as `to_bytes` reads them back."""
    return _LITERAL.sub(rb"\\x5c", raw).decode("utf-8", "backslashreplace")


def fresh_id(used: Collection[Id]) -> str:
    """Return an id that no request made by hand has had; the client's own are numbers."""
    number = 1
    while f"by-hand-{number}" in used:
        number += 1
    return f"by-hand-{number}"


def draft_of(frame: Frame, fresh: str) -> MessageDraft:
    """Return a frame as a draft that sends it again, with a fresh id; for the agent's request, a
    draft that answers it.
    """
    message = jsonrpc.parse(frame.raw)
    if frame.direction is Direction.IN and isinstance(message, Request):
        answer = jsonrpc.encode(Response(message.id, results().get(message.method, {})))
        return MessageDraft(DraftKind.RAW, raw=to_text(answer), id=fresh)
    call = isinstance(message, Request | Notification) and frame.direction is Direction.OUT
    if not call or not _is_all(message, frame.raw):
        return MessageDraft(DraftKind.RAW, raw=to_text(frame.raw), id=fresh)
    assert isinstance(message, Request | Notification)
    kind = DraftKind.REQUEST if isinstance(message, Request) else DraftKind.NOTIFICATION
    params = "" if message.params is None else write_json(message.params)
    return MessageDraft(kind, message.method, fresh, params)


def _is_all(message: Any, raw: bytes) -> bool:
    """Return whether a frame has no fields beyond those in the draft."""
    return bool(jsonrpc.decode(jsonrpc.encode(message)) == jsonrpc.decode(raw))


def begun(draft: MessageDraft, form: MethodForm, session_id: str, cwd: str) -> MessageDraft:
    """Return a draft with the params that its method needs, as far as they are known."""
    known = {
        "sessionId": session_id,
        "cwd": cwd,
        "protocolVersion": 1,
        "prompt": [{"type": "text", "text": ""}],
    }
    params = {one.name: known.get(one.name, one.example) for one in form.params if one.required}
    kind = DraftKind.REQUEST if form.is_request else DraftKind.NOTIFICATION
    return replace(draft, kind=kind, method=form.name, params=write_json(params))
