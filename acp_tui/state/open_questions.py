"""Questions that wait for the user, and how they were answered."""

from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.elicitation import Form
from acp_tui.protocol.file_events import AccessAsked
from acp_tui.protocol.requests import PermissionOption
from acp_tui.protocol.updates import ToolCallUpdate
from acp_tui.state.entries import CallKey, ToolCallEntry


@dataclass(slots=True)
class QuestionAnswer:
    """An answered question about a tool call or a write: whether it was allowed.

    `call` is a copy of the tool call at the time of the question, `path` the file of a write.
    """

    at: float
    allowed: bool
    call: ToolCallEntry | None = None
    path: str = ""


@dataclass(slots=True)
class Permission:
    """A permission request that waits for the user.

    The agent asks about a `tool_call`, the client itself about file `access` or a command. The
    question may have its own `title` and `description`.
    """

    # What is asked
    number: int
    """The frame of the request, which identifies it."""
    session_id: str
    at: float
    options: list[PermissionOption]
    tool_call: ToolCallUpdate | None = None
    title: str = ""
    description: str = ""
    kind_known: bool = True
    """Whether the kind of its subject is known."""
    access: AccessAsked | None = None
    terminal: str = ""
    """The id of the agent's terminal whose command the question is about."""

    # The tool call in the session, and the files
    call: CallKey | None = None
    """The tool call that the question is about; None if the session has no such call."""
    described_call: ToolCallEntry | None = None
    """A copy of that tool call as described in the question."""
    announced: ToolCallEntry | None = None
    """A copy of that tool call from before the question."""
    waiting_call: CallKey | None = None
    """The tool call that waits for the answer."""
    changed: list[str] = field(default_factory=list)
    """The files that have changed since the agent last saw them."""

    # Who decides
    rule: str = ""
    """The rule that requires the question, or has decided it."""
    ruled: str = ""
    """The rule's decision, if the user isn't asked."""
    in_view: tuple[tuple[str, str], ...] = ()
    """The parts of the question that the user saw when answering."""
    screen: str = ""
    """The screen that is answering it."""
    by: str = ""
    """Who answers for the user."""

    def alike(self, option_id: str | None) -> list[PermissionOption]:
        """Return the options with this id: more than one if the agent reused it."""
        return [option for option in self.options if option.option_id == option_id]

    @property
    def rejection(self) -> str | None:
        """The id of an option that rejects once, unless another kind of option has it; else None."""
        for option in self.options:
            if all(one.kind == "reject_once" for one in self.alike(option.option_id)):
                return option.option_id
        return None


@dataclass(frozen=True, slots=True)
class PendingElicitation:
    """A question that waits for the user: a `form` to fill in, or a `url` to open.

    `number` is the frame of the request and identifies it. It belongs to a session (and perhaps a
    tool call), or to a request of ours (`request_id`), such as `authenticate`. `waiting_call` is
    the tool call that waits for the answer, `screen` the screen that is answering.
    """

    number: int
    at: float
    message: str
    session_id: str | None = None
    tool_call_id: str | None = None
    request_id: Any = None
    form: Form | None = None
    url: str | None = None
    elicitation_id: str | None = None
    waiting_call: CallKey | None = None
    screen: str = ""
