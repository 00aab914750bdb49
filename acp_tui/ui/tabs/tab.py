"""A tab: a place for a session, with its draft and its queue of prompts."""

from dataclasses import dataclass, field

from acp_tui.host.agent import Agent
from acp_tui.state.peer import Phase
from acp_tui.state.session import Session
from acp_tui.state.state import State


class PromptQueue:
    """Prompts that wait for a session, for the end of a turn, or for a sign-in.

    While a prompt is `preparing`, the folder's files are saved and mentioned files are read. The
    queue is `paused` when the agent dies: a prompt meant to follow a turn may make no sense after
    half of it.
    """

    def __init__(self) -> None:
        self.waiting: list[str] = []
        self.preparing = ""
        self.paused = False

    def next(self, state: State, session: Session | None) -> str | None:
        """Return the prompt to send now; None if there is none, or the agent isn't free."""
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

    def clear(self) -> str:
        """Remove all prompts, and return them as one text to edit."""
        text = "\n\n".join(self.waiting)
        self.waiting.clear()
        self.paused = False
        return text


@dataclass(slots=True, eq=False)
class Tab:
    """A place for a session; `session_id` is None until the agent has opened it."""

    agent: Agent
    session_id: str | None = None
    draft: str = ""
    """The text of the prompt while another tab is shown."""
    sent: str = ""
    """The last prompt that was sent."""
    aside: str = ""
    """A draft saved for later; it is restored when no question is open and the turn is over."""
    queue: PromptQueue = field(default_factory=PromptQueue)
    seen: int = 0
    """The number of entries that were on screen."""
    hidden: bool = False
    """Whether it was closed although its agent can't close the session."""

    @property
    def session(self) -> Session | None:
        """The session, if it is open."""
        return self.agent.state.sessions.get(self.session_id) if self.session_id else None

    @property
    def unread(self) -> bool:
        """Whether the session has new entries since the tab was shown."""
        return self.session is not None and len(self.session.entries) > self.seen

    @property
    def written(self) -> str:
        """All unsent text of the tab."""
        return "\n\n".join(filter(None, [self.aside, self.draft]))

    def prepend_draft(self, text: str) -> None:
        """Insert a text before the draft."""
        self.draft = "\n\n".join(filter(None, [text, self.draft]))

    def set_draft_aside(self) -> None:
        """Save the draft for later, until no question is open and the turn is over."""
        self.aside, self.draft = self.written, ""

    def restore_draft(self) -> None:
        """Restore the draft that was saved for later."""
        self.draft, self.aside = self.written, ""
