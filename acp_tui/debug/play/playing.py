"""A scene that is being played."""

from acp_tui.debug.play.scenes import RecordedScene, Step
from acp_tui.protocol.jsonrpc import Request


class Playing:
    """A scene that goes on: `reached` is the time of its last step in the recording, `ready` today's."""

    def __init__(self, scene: RecordedScene, request: Request | None, now: float) -> None:
        self.scene = scene
        self.request = request
        self.rest: list[Step] = scene.steps[::-1]
        self.reached = scene.at
        self.ready = now
        self.answered = request is None

    @property
    def is_open(self) -> bool:
        """Whether anything may still come of it."""
        return bool(self.rest) or not self.answered
