"""A prompt, and all messages until its answer."""

from dataclasses import dataclass, field
from typing import Any

from acp_tui.check.messages import Heard


@dataclass
class CheckTurn:
    """A turn of one session. `answer` is None if there was none in time."""

    prompt: int
    """The number of the prompt's frame."""
    id: Any
    answer: Heard | None = None
    session: str = ""
    cancel: int = 0
    """The number of the frame that canceled it."""
    heard: list[Heard] = field(default_factory=list)
    """The agent's messages from the prompt to its answer."""

    @property
    def stop_reason(self) -> Any:
        """Return the agent's reason for the end of the turn."""
        return None if self.answer is None else self.answer.result.get("stopReason")

    @property
    def updates(self) -> list[Heard]:
        """The updates of sessions within the turn."""
        return [one for one in self.heard if one.method == "session/update"]

    @property
    def has_acted(self) -> bool:
        """Return whether the agent used a tool, or something of the client's."""
        return any(
            one.kind in ("tool_call", "tool_call_update", "plan", "plan_update")
            or (one.method and "id" in one.body)
            for one in self.heard
        )
