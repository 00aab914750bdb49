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
    """An answer about a tool call or a write: whether it was allowed.

    `call` is a copy of the tool call as it was when asked, `path` the file of a write.
    """

    at: float
    allowed: bool
    call: ToolCallEntry | None = None
    path: str = ""


@dataclass(slots=True)
class Permission:
    """A question that waits for the user.

    The agent asks about a `tool_call`, the client itself about file `access` or a command. The question
    may have a `title` and a `description` of its own.
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
    known: bool = True
    """Whether its subject is of a known kind."""
    access: AccessAsked | None = None
    terminal: str = ""
    """The terminal of the agent's whose command is asked about."""

    # The tool call in the session, and the files
    call: CallKey | None = None
    """The tool call that is asked about; None if it is none of the session."""
    told: ToolCallEntry | None = None
    """A copy of that tool call, as it was when asked about."""
    announced: ToolCallEntry | None = None
    """A copy of that tool call, as it was before the question."""
    holds: CallKey | None = None
    """The tool call that waits for the answer."""
    changed: list[str] = field(default_factory=list)
    """The files that differ from what the agent knows."""

    # Who decides
    rule: str = ""
    """The rule that requires the question, or decided it."""
    ruled: str = ""
    """The decision of the rule, if the user isn't asked."""
    in_view: tuple[tuple[str, str], ...] = ()
    """The parts of the question that the answering user saw."""
    screen: str = ""
    """The screen on which it is being answered."""
    by: str = ""
    """Who or what answers in place of a person."""

    def alike(self, option_id: str | None) -> list[PermissionOption]:
        """Return the options with this id: several if the agent reused it."""
        return [option for option in self.options if option.option_id == option_id]

    @property
    def rejection(self) -> str | None:
        """The id of an option that rejects once, if no other kind of option has it, too; or None."""
        for option in self.options:
            if all(one.kind == "reject_once" for one in self.alike(option.option_id)):
                return option.option_id
        return None


@dataclass(frozen=True, slots=True)
class PendingElicitation:
    """A question that waits for the user: a `form` to fill in, or a `url` to open.

    `number` is the frame of the request and identifies it. It belongs to a session (and perhaps a
    tool call) or to a request of ours (`request_id`), such as `authenticate`. The tool call that it
    `holds` waits for the answer, which is being given on a `screen`.
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
    holds: CallKey | None = None
    screen: str = ""
