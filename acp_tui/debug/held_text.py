"""Held frames as a text that a person can edit, and the lines that it becomes."""

import json
from typing import Any

from acp_tui.debug.composer.draft import (
    read_json,
    to_bytes,
    to_text,
    write_json,
)
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.jsonrpc import Malformed, Request, Response


def editable(raw: bytes) -> str:
    """Format a frame as JSON on several lines; unchanged if it isn't JSON, or too large to parse."""
    value = jsonrpc.decode(raw)
    return to_text(raw) if isinstance(value, Malformed) else write_json(value)


def answer_to(raw: bytes) -> str | None:
    """Return what an answer to a request begins with; None if it is no request."""
    message = jsonrpc.parse(raw)
    if not isinstance(message, Request):
        return None
    return editable(jsonrpc.encode(Response(message.id, _example(message))))


def raw_of(text: str, *, as_it_stands: bool = False) -> bytes:
    """Return an edited text as one line, or as several lines unchanged. Raises DraftError."""
    if as_it_stands:
        return to_bytes(text)
    value = read_json("frame", text)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def _example(request: Request) -> dict[str, Any]:
    """A result to begin with: of a question the agent's first option."""
    options = request.params.get("options") if isinstance(request.params, dict) else None
    first = options[0] if isinstance(options, list) and options else None
    id = first.get("optionId") if isinstance(first, dict) else None
    return {} if id is None else {"outcome": {"outcome": "selected", "optionId": id}}
