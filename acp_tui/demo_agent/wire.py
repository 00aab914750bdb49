"""JSON-RPC on stdin and stdout: any thread can send requests and wait for their responses."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

Message = dict[str, Any]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603


class RpcError(Exception):
    """An error to respond with, or the error in the client's response."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def wire(self) -> Message:
        """Convert to the error object of a response."""
        error: Message = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return error


def encode(message: Message) -> bytes:
    """Encode a message as a line."""
    body = {"jsonrpc": "2.0", **message}
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


class Call:
    """A request to the client and, once `answered`, its result or error."""

    def __init__(self, id: int, method: str) -> None:
        self.id = id
        self.method = method
        self.answered = False
        self.result: Any = None
        self.error: Any = None

    def outcome(self) -> Message:
        """Return the result object. Raises RpcError for an error, or a result that isn't an object."""
        if isinstance(self.error, dict):
            code, message = self.error.get("code"), self.error.get("message")
            raise RpcError(
                code if isinstance(code, int) else INTERNAL_ERROR,
                str(message),
                self.error.get("data"),
            )
        if not isinstance(self.result, dict):
            raise RpcError(INTERNAL_ERROR, f"the client's answer is not an object: {self.result!r}")
        return self.result


class DemoClient:
    """The client, connected by stdin and stdout."""

    def __init__(self) -> None:
        self._moved = threading.Condition()
        self._writing = threading.Lock()
        self._calls: dict[int, Call] = {}
        self._next_id = 0
        self.version = 1
        self.translate: Callable[[str, Message], Message | None] = lambda _method, params: params
        """Translates the params of a call to the version that is spoken; None means that nothing is
        sent.
        """

    def read(self) -> Iterator[bytes]:
        """Yield each line of stdin until EOF; only one thread may call it."""
        with open(0, "rb", closefd=False) as stdin:
            for line in stdin:
                if line.strip():
                    yield line

    def write(self, data: bytes) -> None:
        """Write bytes to stdout unchanged; exit if the pipe is closed."""
        view = memoryview(data)
        with self._writing:
            while view:
                try:
                    view = view[os.write(1, view) :]
                except OSError:
                    os._exit(1)

    def send(self, message: Message) -> None:
        """Write a message as a line."""
        self.write(encode(message))

    def notify(self, method: str, params: Message) -> None:
        translated = self.translate(method, params)
        if translated is not None:
            self.send({"method": method, "params": translated})

    def respond(self, id: Any, result: Message) -> None:
        self.send({"id": id, "result": result})

    def fail(self, id: Any, error: RpcError) -> None:
        self.send({"id": id, "error": error.wire()})

    def request(self, method: str, params: Message) -> Call:
        """Send a request; its response will be in the returned call."""
        with self._moved:
            call = Call(self._next_id, method)
            self._next_id += 1
            self._calls[call.id] = call
        self.send({"id": call.id, "method": method, "params": self.translate(method, params)})
        return call

    def answer(self, message: Message) -> None:
        """Handle the client's response; one to no pending request is ignored."""
        id = message.get("id")
        with self._moved:
            call = self._calls.pop(id, None) if isinstance(id, int) else None
            if call is not None:
                call.result, call.error = message.get("result"), message.get("error")
                call.answered = True
                self._moved.notify_all()

    def wake(self) -> None:
        """Make all waiting threads check their conditions again."""
        with self._moved:
            self._moved.notify_all()

    def wait(self, ready: Callable[[], bool], seconds: float | None = None) -> bool:
        """Block until `ready()` is true; return False on a timeout."""
        with self._moved:
            return self._moved.wait_for(ready, seconds)
