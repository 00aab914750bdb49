"""Lines of JSON to and from the client."""

import json
import sys
import threading
from typing import Any

Message = dict[str, Any]


class RpcError(Exception):
    """An error to answer with."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


class Cancelled(Exception):  # noqa: N818 - the end of a turn is no error
    """What was waited for was withdrawn: the turn is over."""


class Wire:
    """Sends whole lines, from whatever thread, and waits for answers."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._next = 0
        self._answers: dict[Any, Message] = {}

    def write(self, line: bytes) -> None:
        """Write one line, as it is."""
        with self._lock:
            sys.stdout.buffer.write(line + b"\n")
            sys.stdout.buffer.flush()

    def send(self, message: Message) -> None:
        """Send a message."""
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def take(self, answer: Message) -> None:
        """Keep an answer for whoever waits for it."""
        with self._lock:
            self._answers[answer.get("id")] = answer
            self._lock.notify_all()

    def wake(self) -> None:
        """Let those who wait look whether they still have to."""
        with self._lock:
            self._lock.notify_all()

    def begin(self, method: str, params: Message) -> str:
        """Send a request; return its id."""
        with self._lock:
            self._next += 1
            id = f"agent-{self._next}"
        self.send({"id": id, "method": method, "params": params})
        return id

    def wait(self, id: str, cancelled: threading.Event) -> Message:
        """Wait for a result. Raises RpcError, or Cancelled."""
        with self._lock:
            while id not in self._answers and not cancelled.is_set():
                self._lock.wait()
            answer = self._answers.pop(id, None)
        if answer is None:
            raise Cancelled
        if "error" in answer:
            raise RpcError(answer["error"].get("code", 0), answer["error"].get("message", ""))
        return answer.get("result") or {}
