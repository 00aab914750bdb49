"""A fake client that drives an agent with raw messages, and stores all of them."""

import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, Self

Message = dict[str, Any]

ANSWER_TIMEOUT = 30.0
"""Seconds to wait for a message from the agent."""


class FakeClient:
    """Starts an agent, and answers its requests.

    `answers` has a result for each method, or a function that returns the result for given params.
    Other requests are answered with "Method not found", except for methods in `unanswered`, which
    get no response.
    """

    def __init__(
        self,
        argv: Sequence[str],
        cwd: str | PathLike[str],
        *,
        env: Mapping[str, str] | None = None,
        answers: Mapping[str, Any] | None = None,
    ) -> None:
        self.answers: dict[str, Any] = dict(answers or {})
        self.unanswered: set[str] = set()
        self.lines: list[tuple[bool, bytes]] = []
        """Every line on the wire, each with whether the agent sent it."""
        self.received: list[Message] = []
        self.noise: list[bytes] = []
        self._ids = 0
        self._arrived: queue.Queue[bytes] = queue.Queue(maxsize=1000)
        self.process = subprocess.Popen(
            list(argv),
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        threading.Thread(target=self._read_messages, daemon=True).start()

    def _read_messages(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._arrived.put(line)
        self._arrived.put(b"")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Kill the agent, and close its pipes."""
        self.process.kill()
        self.process.wait()
        while self._arrived.get(timeout=ANSWER_TIMEOUT):
            pass
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()

    # Sending

    def send(self, message: Message) -> None:
        """Send a message; `jsonrpc` is added if it is missing."""
        self.send_line(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def send_line(self, line: bytes) -> None:
        """Send a line of any bytes."""
        assert self.process.stdin is not None
        self.lines.append((False, line))
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def start(self, method: str, **params: Any) -> int:
        """Send a request; return its id."""
        self._ids += 1
        self.send({"id": self._ids, "method": method, "params": params})
        return self._ids

    def call(self, method: str, **params: Any) -> Message:
        """Send a request, and serve the agent until it responds; return the whole response."""
        return self.answer(self.start(method, **params))

    # Receiving

    def answer(self, id: int | str) -> Message:
        """Serve the agent until it responds to a request of the client's; return the response."""
        return self.until(lambda message: "method" not in message and message.get("id") == id)

    def until_called(self, method: str) -> Message:
        """Serve the agent until it calls a method; return the call."""
        return self.until(lambda message: message.get("method") == method)

    def until(self, wanted: Callable[[Message], bool]) -> Message:
        """Serve the agent until it sends a message that matches; return the message.

        Raises:
            AssertionError: none comes within 30 seconds, or the agent closes its stdout.
        """
        deadline = time.monotonic() + ANSWER_TIMEOUT
        while True:
            line = self._next(deadline)
            self.lines.append((True, line.removesuffix(b"\n")))
            message = _parsed(line)
            if message is None:
                self.noise.append(line)
                continue
            self.received.append(message)
            if "method" in message and "id" in message:
                self._serve_message(message)
            if wanted(message):
                return message

    def updates(self, *kinds: str) -> list[Message]:
        """Return all session updates so far, or those of these kinds."""
        found = [
            message["params"]["update"]
            for message in self.received
            if message.get("method") == "session/update"
        ]
        return [update for update in found if not kinds or update["sessionUpdate"] in kinds]

    def _next(self, deadline: float) -> bytes:
        try:
            line = self._arrived.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise AssertionError(
                f"the agent didn't say what was wanted within {ANSWER_TIMEOUT:g} s"
            ) from None
        if not line:
            self._arrived.put(line)
            raise AssertionError("the agent's stdout ended")
        return line

    def _serve_message(self, message: Message) -> None:
        method = message["method"]
        if method in self.unanswered:
            return
        if method not in self.answers:
            error = {"code": -32601, "message": f"Method not found: {method}"}
            self.send({"id": message["id"], "error": error})
            return
        answer = self.answers[method]
        result = answer(message["params"]) if callable(answer) else answer
        self.send({"id": message["id"], "result": result})


def _parsed(line: bytes) -> Message | None:
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) and message else None
