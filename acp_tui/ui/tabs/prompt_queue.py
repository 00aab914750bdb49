"""Prompts that wait until the agent can take them."""

from acp_tui.state.state import Phase, Session, State


class PromptQueue:
    """Prompts that wait for a session, for a turn to end, or for a sign-in.

    While a prompt is `preparing`, files are kept, and those read that it mentions. The queue is `paused`
    when the agent dies: what was meant to follow a turn may make no sense after half of it.
    """

    def __init__(self) -> None:
        self.waiting: list[str] = []
        self.preparing = ""
        self.paused = False

    def next(self, state: State, session: Session | None) -> str | None:
        """Return the prompt to send now; None if there is none or the agent isn't free."""
        free = (
            state.peer.phase is Phase.CONNECTED
            and session is not None
            and session.opened
            and not session.lost
            and session.turn is None
            and not self.preparing
            and not self.paused
        )
        return self.waiting.pop(0) if free and self.waiting else None

    def take_back(self) -> str:
        """Remove all prompts that wait, and return them as one text to edit."""
        text = "\n\n".join(self.waiting)
        self.waiting.clear()
        self.paused = False
        return text
