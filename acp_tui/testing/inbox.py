"""The client's messages to the fake agent, stored until a step needs them. Standard library only."""

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIFETIME = 120.0
"""Seconds after which a process that ignores everything ends on its own."""


class Inbox:
    """Reads stdin in a thread of its own and keeps what came until a step takes it."""

    def __init__(self, transcript: Path) -> None:
        self.changed = threading.Condition()
        self.messages: list[Any] = []
        self.ended = False
        self.reading = True
        self._started = time.monotonic()
        self._transcript = transcript.open("a", encoding="utf-8")
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        held = bytearray()
        while self.reading and (data := os.read(0, 65536)):
            held += data
            if b"\n" in data:
                *lines, held = held.split(b"\n")
                for line in lines:
                    self._arrived(bytes(line))
        while not self.reading:
            time.sleep(LIFETIME)
        if held:
            self._arrived(bytes(held))
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def _arrived(self, line: bytes) -> None:
        text = line.decode("utf-8", "backslashreplace")
        entry = {"at": round(time.monotonic() - self._started, 4), "line": text}
        self._transcript.write(json.dumps(entry) + "\n")
        self._transcript.flush()
        try:
            message = json.loads(line)
        except ValueError:
            message = {"not JSON": text}
        with self.changed:
            self.messages.append(message)
            self.changed.notify_all()

    def pop_message(self, wanted: Callable[[Any], bool], seconds: float) -> Any:
        """Remove and return the first stored message that matches; None after a timeout."""
        found: list[Any] = []

        def look() -> bool:
            found[:] = [message for message in self.messages if wanted(message)][:1]
            return bool(found) or self.ended

        with self.changed:
            self.changed.wait_for(look, seconds)
            if not found:
                return None
            self.messages.remove(found[0])
            return found[0]
