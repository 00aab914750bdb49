"""Messages and turns as checks read them."""

from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.frames import Direction
from acp_tui.protocol.json_parts import object_at, text_at

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class NumberedMessage:
    """A message with the number of its frame, its time and its direction."""

    number: int
    at: float
    direction: Direction
    body: Json

    @property
    def method(self) -> str:
        """The method of a call; "" for a response."""
        return text_at(self.body, "method")

    @property
    def params(self) -> Json:
        """The params of a call; empty if they aren't an object."""
        return object_at(self.body, "params")

    @property
    def result(self) -> Json:
        """The result of a response; empty if it isn't an object."""
        return object_at(self.body, "result")

    @property
    def error(self) -> Json | None:
        """The error of a response; None if it has none."""
        error = self.body.get("error")
        return error if isinstance(error, dict) else None

    @property
    def code(self) -> Any:
        """The error's code; None if there is no error."""
        return None if self.error is None else self.error.get("code")

    @property
    def update(self) -> Json:
        """The `update` of a `session/update`; empty for other messages."""
        return object_at(self.params, "update")

    @property
    def kind(self) -> str:
        """The kind of the update, which is its `sessionUpdate`; "" for other messages."""
        return text_at(self.update, "sessionUpdate")

    @property
    def session(self) -> Any:
        """The id of the session that a call names, or None."""
        return self.params.get("sessionId")


@dataclass
class CheckTurn:
    """A turn of one session. `answer` is None if no response came in time."""

    prompt: int
    """The number of the prompt's frame."""
    id: Any
    answer: NumberedMessage | None = None
    session: str = ""
    cancel: int = 0
    """The number of the frame that canceled the turn; 0 if none did."""
    messages: list[NumberedMessage] = field(default_factory=list)
    """The agent's messages from the prompt to its response."""

    @property
    def stop_reason(self) -> Any:
        """The agent's stop reason; None if it gave none."""
        return None if self.answer is None else self.answer.result.get("stopReason")

    @property
    def updates(self) -> list[NumberedMessage]:
        """The `session/update` notifications of the turn."""
        return [one for one in self.messages if one.method == "session/update"]

    @property
    def has_acted(self) -> bool:
        """Whether the agent used a tool, or requested something of the client."""
        return any(
            one.kind in ("tool_call", "tool_call_update", "plan", "plan_update")
            or (one.method and "id" in one.body)
            for one in self.messages
        )
