"""What the two sides have told each other: versions, capabilities, sessions."""

from typing import Any

from acp_tui.protocol.frames import Direction
from acp_tui.wire.exchanges import Reading, Status, text

OPENING = ("session/new", "session/load", "session/resume", "session/fork")
"""The methods that give a session."""


class Peers:
    """The state of one connection's set-up, kept from the records."""

    def __init__(self) -> None:
        self.asked_version: Any = None
        self.initialized = False
        self.client: dict[str, Any] = {}
        self.agent: dict[str, Any] = {}
        self.auth_methods: dict[str, str] = {}
        self.sessions: set[str] = set()
        self.opening: dict[int, Reading] = {}
        self.exited_unasked = False

    def take(self, reading: Reading) -> None:
        """Learn from the next record."""
        method = reading.method
        if method == "initialize":
            self._initialize(reading)
        elif method in OPENING:
            self._open(reading)
        elif reading.kind == "subagent_update":
            self.sessions.add(text(reading.update.get("sessionId")))

    def opens(self, method: str, session: str) -> bool:
        """Whether such a request for a session has no answer yet."""
        return any(
            one.method == method and one.session_id == session for one in self.opening.values()
        )

    def _initialize(self, reading: Reading) -> None:
        if reading.is_request and reading.direction is Direction.OUT:
            self.asked_version = reading.params.get("protocolVersion")
            self.client = _object(reading.params.get("clientCapabilities"))
        elif reading.asked is not None and reading.status is Status.OK:
            self.initialized = True
            self.agent = _object(reading.result.get("agentCapabilities"))
            methods = reading.result.get("authMethods")
            for one in methods if isinstance(methods, list) else []:
                if isinstance(one, dict):
                    self.auth_methods[text(one.get("id"))] = text(one.get("type")) or "agent"

    def _open(self, reading: Reading) -> None:
        if reading.is_request:
            self.opening[reading.index] = reading
            if reading.method != "session/fork" and reading.session_id:
                self.sessions.add(reading.session_id)
        elif reading.asked is not None:
            self.opening.pop(reading.asked.index, None)


def offers(capabilities: dict[str, Any], *path: str) -> bool:
    """Whether a capability is supported: true, or an object; absent and null are not."""
    value: Any = capabilities
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value is True or isinstance(value, dict)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
