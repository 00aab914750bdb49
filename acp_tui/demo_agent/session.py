"""What the agent remembers of a session."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from acp_tui.demo_agent.turn import DemoTurn

MODES = {
    "ask": ("Ask", "Asks before it changes a file"),
    "edit": ("Edit", "Changes files without asking"),
    "plan": ("Plan", "Looks and plans, changes nothing"),
}


class DemoSession:
    """`remembered` is the person's "always" for edits: allow, reject, or nothing yet."""

    def __init__(self, id: str, cwd: str) -> None:
        self.id = id
        self.cwd = cwd.rstrip("/") or "/"
        self.mode = "ask"
        self.remembered: str | None = None
        self.turn: DemoTurn | None = None
        self.numbered = 0
        self.tokens = 0
        self.system_prompt: tuple[str, str] | None = None
        """The mode and the text of the client's instructions."""
        self.history: list[dict[str, Any]] = []
        """The updates until now, to be replayed; only version 2 can ask for them."""
        self.terminals: dict[str, Callable[[], None]] = {}
        """What stops the terminals that run."""

    def number(self) -> int:
        """A number that no message or tool call of this session had before."""
        self.numbered += 1
        return self.numbered

    def path(self, name: str) -> str:
        """The absolute path of a file in the session's folder."""
        return f"{self.cwd.rstrip('/')}/{name}"

    def modes(self) -> dict[str, Any]:
        """The session's modes as `session/new` returns them."""
        return {
            "currentModeId": self.mode,
            "availableModes": [
                {"id": id, "name": name, "description": description}
                for id, (name, description) in MODES.items()
            ],
        }

    def config_options(self) -> list[dict[str, Any]]:
        """The same as the only option, for version 2, which has no modes."""
        return [
            {
                "id": "mode",
                "name": "Mode",
                "category": "mode",
                "type": "select",
                "currentValue": self.mode,
                "options": [
                    {"value": id, "name": name, "description": description}
                    for id, (name, description) in MODES.items()
                ],
            }
        ]
