"""One tab: a place for a session, and what is written there."""

from dataclasses import dataclass, field

from acp_tui.host.agent import Agent
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


@dataclass(slots=True, eq=False)
class Tab:
    """A place for a session; `session_id` is None until the agent has opened it.

    `draft` is the text of the prompt while another tab is shown, `sent` the last prompt, `seen` how
    many entries were read. A text that was put `aside` comes back when nothing is asked there and
    the turn is over. A tab that is `hidden` belongs to a session that its agent can't close.
    """

    agent: Agent
    session_id: str | None = None
    draft: str = ""
    sent: str = ""
    aside: str = ""
    queue: PromptQueue = field(default_factory=PromptQueue)
    seen: int = 0
    hidden: bool = False

    @property
    def session(self) -> Session | None:
        """The session, as it is now."""
        return self.agent.state.sessions.get(self.session_id) if self.session_id else None

    @property
    def unread(self) -> bool:
        """Whether something was said there since it was shown."""
        return self.session is not None and len(self.session.entries) > self.seen

    @property
    def written(self) -> str:
        """Everything that is written there and not sent."""
        return "\n\n".join(filter(None, [self.aside, self.draft]))

    def prepend_draft(self, text: str) -> None:
        """Put a text before what is written there."""
        self.draft = "\n\n".join(filter(None, [text, self.draft]))

    def put_aside(self) -> None:
        """Put aside what is written, until nothing is asked and the turn is over."""
        self.aside, self.draft = self.written, ""

    def take_up(self) -> None:
        """Restore what was put aside."""
        self.draft, self.aside = self.written, ""
