"""Messages written or edited by hand: parsing, encoding, and warnings before they are sent."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

from acp_tui.debug.exchanges import Status
from acp_tui.debug.rows import STATUSES, LogRow, RowStore
from acp_tui.protocol import json_decoder, jsonrpc, validation
from acp_tui.protocol.findings import Severity, format_path
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.jsonrpc import Failure, Id, Malformed, Notification, Request, Response
from acp_tui.protocol.method_forms import MethodForm, result_forms

LARGEST_EDITED_FRAME = 1024 * 1024
"""Bytes of the largest frame that can be edited by hand."""
_BYTE = re.compile(r"\\x([0-9a-fA-F]{2})")
_LITERAL = re.compile(rb"\\(?=x[0-9a-fA-F]{2})")


class DraftError(Exception):
    """A draft can't be sent; `field` is the invalid part, and the message says why."""

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
    """A request, a notification or raw lines, as text.

    `id` and `params` are JSON; an `id` that isn't JSON is a string, and empty `params` are left out.
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
        params = read_draft_json("params", self.params) if self.params.strip() else None
        call = Notification(self.method, params)
        if self.kind is DraftKind.REQUEST:
            return [jsonrpc.encode(Request(read_id(self.id), *call))]
        return [jsonrpc.encode(call)]


def read_id(text: str) -> Id:
    """Parse an id as JSON, so that 7 is a number and "7" a string; any other text is a string.

    Raises DraftError if it is empty.
    """
    if not text.strip():
        raise DraftError("id", "a request has an id; a notification has none")
    try:
        id: Id = read_draft_json("id", text)
    except DraftError:
        return text
    return id


def read_draft_json(field: str, text: str) -> Any:
    """Parse text as JSON. Raises DraftError for `field`."""
    try:
        json_decoder.read_json(text)  # refuses deep nesting, which only raw bytes can have
        return json.loads(text, parse_constant=_reject_constant)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DraftError(field, f"not JSON: {error.msg.lower()} at {where}") from None
    except ValueError as error:
        raise DraftError(field, f"not JSON: {error}") from None


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def write_json(value: Any) -> str:
    """Format a value as indented JSON, for editing."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def to_bytes(text: str) -> bytes:
    """Encode raw text: `\\xff` is the byte with this number, everything else is UTF-8."""
    parts = _BYTE.split(text)
    out = bytearray()
    for at, part in enumerate(parts):
        out += bytes.fromhex(part) if at % 2 else part.encode("utf-8", "surrogatepass")
    return bytes(out)


def to_text(raw: bytes) -> str:
    """Decode bytes to text that `to_bytes` turns back into the same bytes."""
    return _LITERAL.sub(rb"\\x5c", raw).decode("utf-8", "backslashreplace")


def fresh_id(used: Collection[Id]) -> str:
    """Return an id that no request sent by hand has used; the client's own ids are numbers."""
    number = 1
    while f"by-hand-{number}" in used:
        number += 1
    return f"by-hand-{number}"


def draft_of(frame: Frame, fresh: str) -> MessageDraft:
    """Return a draft that resends a frame with a fresh id or, for the agent's request, answers it."""
    message = jsonrpc.parse(frame.raw)
    if frame.direction is Direction.IN and isinstance(message, Request):
        answer = jsonrpc.encode(Response(message.id, result_forms().get(message.method, {})))
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


def begin_draft(draft: MessageDraft, form: MethodForm, session_id: str, cwd: str) -> MessageDraft:
    """Return a draft with the required params of its method, filled in where they are known."""
    known = {
        "sessionId": session_id,
        "cwd": cwd,
        "protocolVersion": 1,
        "prompt": [{"type": "text", "text": ""}],
    }
    params = {one.name: known.get(one.name, one.example) for one in form.params if one.required}
    kind = DraftKind.REQUEST if form.is_request else DraftKind.NOTIFICATION
    return replace(draft, kind=kind, method=form.name, params=write_json(params))


_UNHANDLED = (
    "initialize",
    "authenticate",
    "logout",
    "session/new",
    "session/load",
    "session/resume",
    "session/fork",
    "session/close",
    "session/delete",
)
"""Methods whose results the client ignores if the request was sent by hand."""
_WAITS = (STATUSES.index(Status.PENDING), STATUSES.index(Status.TIMED_OUT))
_BEGINNINGS = ("process_started", "connecting")


class DraftNote(NamedTuple):
    """A note on a message: a hint, unless sending it needs confirmation."""

    words: str
    needs_confirmation: bool = True


def find_draft_notes(line: bytes, log: RowStore | None = None) -> list[DraftNote]:
    """Return a line's schema violations, and its effects on pending requests."""
    value = jsonrpc.decode(line)
    message = value if isinstance(value, Malformed) else jsonrpc.to_message(value)
    if isinstance(message, Malformed):
        return [DraftNote(f"not a message: {message.reason}")]
    return [*_schema_notes(value, message, log), *_log_notes(message, log)]


def _schema_notes(value: Any, message: Any, log: RowStore | None) -> list[DraftNote]:
    answered = None
    if log is not None and isinstance(message, Response):
        row = find_waiting_request(log, Direction.IN, message.id)
        answered = row.method if row is not None else None
    return [
        DraftNote(
            f"{format_path(one.path)}: {one.message}. {one.rule.basis}",
            one.rule.severity is not Severity.INFO,
        )
        for one in validation.check_message(Direction.OUT, value, answered)
    ]


def _log_notes(message: Any, log: RowStore | None) -> list[DraftNote]:
    if log is None:
        return []
    match message:
        case Request(id=id, method=method):
            row = find_waiting_request(log, Direction.OUT, id)
            found = (
                [DraftNote(f"it can't be told from {_describe_row(row)}")]
                if row is not None
                else []
            )
            if method in _UNHANDLED:
                found.append(
                    DraftNote(
                        f"the client itself takes nothing of {method}", needs_confirmation=False
                    )
                )
            return found
        case Response(id=id) | Failure(id=id):
            row = find_waiting_request(log, Direction.IN, id)
            if row is None:
                return [DraftNote(f"no request of the agent's waits under the id {id!r}")]
            return [DraftNote(f"it takes the place of the client's answer to {_describe_row(row)}")]
    return []  # a notification affects no pending request


def _describe_row(row: LogRow) -> str:
    return f"{row.method} (#{row.number}), which has the id {row.id!r} and waits for its answer"


def find_waiting_request(log: RowStore, asker: Direction, id: Id) -> LogRow | None:
    """Find one side's oldest pending request with this id, in the current agent process."""
    found: LogRow | None = None
    for index in range(len(log) - 1, -1, -1):
        row = log[index]
        if log.statuses[index] in _WAITS and log.asks[index]:
            alike = row.id == id and type(row.id) is type(id)
            found = row if alike and row.direction == asker else found
        elif log.kinds[index] and row.kind in _BEGINNINGS:
            break
    return found


def format_for_editing(raw: bytes) -> str:
    """Format a frame as indented JSON; unchanged if it isn't JSON, or too large to parse."""
    value = jsonrpc.decode(raw)
    return to_text(raw) if isinstance(value, Malformed) else write_json(value)


def example_response(raw: bytes) -> str | None:
    """Return an example response to a request, as text to edit; None if it isn't a request."""
    message = jsonrpc.parse(raw)
    if not isinstance(message, Request):
        return None
    return format_for_editing(jsonrpc.encode(Response(message.id, _example_result(message))))


def encode_edited(text: str, *, verbatim: bool = False) -> bytes:
    """Encode edited text as JSON on one line or, if `verbatim`, unchanged. Raises DraftError."""
    if verbatim:
        return to_bytes(text)
    value = read_draft_json("frame", text)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def _example_result(request: Request) -> dict[str, Any]:
    """Return a result to start from; for a permission request, the agent's first option."""
    options = request.params.get("options") if isinstance(request.params, dict) else None
    first = options[0] if isinstance(options, list) and options else None
    id = first.get("optionId") if isinstance(first, dict) else None
    return {} if id is None else {"outcome": {"outcome": "selected", "optionId": id}}
