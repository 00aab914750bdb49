"""An MCP server that logs the methods it is called with: `python mcp_server.py FILE`, on stdin and
stdout.

It uses only the standard library, and nothing of this package: the agent runs it, wherever it is.
"""

import json
import sys
from typing import Any

Message = dict[str, Any]

TOOL: Message = {
    "name": "acp_check_ping",
    "description": "Answers with pong.",
    "inputSchema": {"type": "object", "properties": {}},
}
_VERSION = "2025-06-18"
_METHOD_NOT_FOUND = -32601


def answer_message(message: Message) -> Message | None:
    """Return the response to a message; None for a notification or a response."""
    if "id" not in message or "method" not in message:
        return None
    params = message.get("params")
    result = _result(message["method"], params if isinstance(params, dict) else {})
    head = {"jsonrpc": "2.0", "id": message["id"]}
    if result is None:
        return {**head, "error": {"code": _METHOD_NOT_FOUND, "message": "Method not found"}}
    return {**head, "result": result}


def _result(method: str, params: Message) -> Message | None:
    match method:
        case "initialize":
            return {
                "protocolVersion": params.get("protocolVersion", _VERSION),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "acp-check", "version": "1"},
            }
        case "ping":
            return {}
        case "tools/list":
            return {"tools": [TOOL]}
        case "tools/call":
            return {"content": [{"type": "text", "text": "pong"}]}
    return None


def main(noted: str) -> None:
    """Serve until stdin ends, and append each called method to the file `noted`, one per line."""
    for line in sys.stdin.buffer:
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if not isinstance(message, dict):
            continue
        with open(noted, "a") as file:  # noqa: PTH123 - importing pathlib would take longer than all else
            file.write(f"{message.get('method', '')}\n")
        if (response := answer_message(message)) is not None:
            sys.stdout.write(json.dumps(response) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
