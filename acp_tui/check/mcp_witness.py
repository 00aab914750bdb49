"""MCP servers that record whether an agent connected to them."""

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import anyio

from acp_tui.check import mcp_server
from acp_tui.check.messages import Json

_POLL_INTERVAL = 0.05
"""Seconds between checks of the calls that a server has logged."""
_CONNECTING_TIMEOUT = 5.0
"""Seconds within which an agent that connects at once calls a server's method."""
_SECRET = ("X-Acp-Check", "witness")
"""A header that the agent must send with each request."""


@dataclass(frozen=True)
class Witness:
    """An MCP server in the form of `session/new`; `seen` returns the methods that were called so
    far.
    """

    server: Json
    seen: Callable[[], list[str]]

    async def saw(self, method: str) -> bool:
        """Wait until a method is called; return False if it isn't in time."""
        until = time.monotonic() + _CONNECTING_TIMEOUT
        while method not in self.seen():
            if time.monotonic() > until:
                return False
            await anyio.sleep(_POLL_INTERVAL)
        return True


def over_stdio(noted: Path) -> Witness:
    """Return a server that the agent starts; it logs the called methods to the file `noted`."""
    server = {
        "name": "acp-check",
        "command": sys.executable,
        "args": ["-S", str(Path(mcp_server.__file__).resolve()), str(noted)],
        "env": [],
    }
    return Witness(server, lambda: noted.read_text().split() if noted.exists() else [])


@contextmanager
def over_http() -> Iterator[Witness]:
    """Serve over HTTP, for this machine only, until the block ends."""
    seen: list[str] = []

    class Handler(_Handler):
        noted = seen

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        threading.Thread(target=http.serve_forever, args=(_POLL_INTERVAL,), daemon=True).start()
        name, value = _SECRET
        server = {
            "type": "http",
            "name": "acp-check",
            "url": f"http://127.0.0.1:{http.server_port}/mcp",
            "headers": [{"name": name, "value": value}],
        }
        try:
            yield Witness(server, lambda: list(seen))
        finally:
            http.shutdown()


class _Handler(BaseHTTPRequestHandler):
    """Answers POST requests with JSON, as Streamable HTTP allows; offers no stream."""

    noted: list[str]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        name, value = _SECRET
        try:
            message = json.loads(raw)
        except ValueError:
            message = None
        if self.headers.get(name) != value or not isinstance(message, dict):
            self._send_answer(400)
            return
        self.noted.append(str(message.get("method", "")))
        response = mcp_server.answer_message(message)
        if response is None:
            self._send_answer(202)
        else:
            self._send_answer(200, json.dumps(response).encode())

    def do_GET(self) -> None:
        self._send_answer(405)

    def do_DELETE(self) -> None:
        self._send_answer(200)

    def _send_answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        if body:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing on stderr."""
