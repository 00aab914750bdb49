"""The messages of both sides, as checks read them."""

from dataclasses import dataclass
from typing import Any

from acp_tui.protocol.frames import Direction

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Heard:
    """A message: the number of its frame, its time, its direction and its body."""

    number: int
    at: float
    direction: Direction
    body: Json

    @property
    def method(self) -> str:
        """The method that it calls; empty for a response."""
        method = self.body.get("method")
        return method if isinstance(method, str) else ""

    @property
    def params(self) -> Json:
        """The params of a call; empty if they are no object."""
        return _object(self.body.get("params"))

    @property
    def result(self) -> Json:
        """The result of a response; empty if it is no object."""
        return _object(self.body.get("result"))

    @property
    def error(self) -> Json | None:
        """The error of a response."""
        error = self.body.get("error")
        return error if isinstance(error, dict) else None

    @property
    def code(self) -> Any:
        """The error's code; None without an error."""
        return None if self.error is None else self.error.get("code")

    @property
    def update(self) -> Json:
        """Return the content of a session/update."""
        return _object(self.params.get("update"))

    @property
    def kind(self) -> str:
        """The kind of that update."""
        kind = self.update.get("sessionUpdate")
        return kind if isinstance(kind, str) else ""

    @property
    def session(self) -> Any:
        """The id of the session that a call is about."""
        return self.params.get("sessionId")


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}
