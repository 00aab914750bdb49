"""Lines of JSON-RPC with other ids, and what they say apart from these."""

import json
from typing import Any

from acp_tui.protocol import jsonrpc
from acp_tui.protocol.jsonrpc import Id


def content(raw: bytes) -> Any:
    """What a message says, without what only matches it with others."""
    value = jsonrpc.decode(raw)
    return {key: value[key] for key in ("params", "result", "error") if key in value}


def with_id(raw: bytes, id: Id) -> bytes:
    """Give a request or a response another id; one that has it already stays as it is."""
    value = jsonrpc.decode(raw)
    if type(value["id"]) is type(id) and value["id"] == id:
        return raw
    return encoded({**value, "id": id})


def encoded(value: Any) -> bytes:
    """Write a value as a line."""
    return json.dumps(value, separators=(",", ":")).encode()
