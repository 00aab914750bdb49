"""Questions that wait for the user, and how they were answered."""

from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.elicitation import Form
from acp_tui.protocol.events import AccessAsked
from acp_tui.protocol.requests import PermissionOption
from acp_tui.protocol.updates import ToolCallUpdate
from acp_tui.state.entries import CallKey, ToolCallEntry


@dataclass(slots=True)
class QuestionAnswer:
    """An answer: whether it allowed a tool call, as it was when asked, or a write to `path`."""

    at: float
    allowed: bool
    call: ToolCallEntry | None = None
    path: str = ""


@dataclass(slots=True)
class Permission:
    """A question that waits for the user.

    `number` is the frame of the request and identifies it. The agent asks about a `tool_call`; the
    client itself asks about file `access`, or a command. The files `changed` differ from what the
    agent knows. `rule` is why it is asked, or decided without asking: `ruled` is how. `holds` is
    the tool call that waits for the answer, `call` the one that is asked about, `told` a copy of
    that as it was when asked, `announced` a copy before that. `in_view` is what the answering user
    saw, `screen` where it is being answered, `by` what answers in place of a person. A question may
    have a `title` and a `description` of its own, and name a `terminal`. Unless it `names_call`, it
    is about no tool call of the session's; unless it is `known`, its subject is of an unknown kind.
    """

    number: int
    session_id: str
    at: float
    options: list[PermissionOption]
    tool_call: ToolCallUpdate | None = None
    title: str = ""
    description: str = ""
    names_call: bool = True
    known: bool = True
    access: AccessAsked | None = None
    changed: list[str] = field(default_factory=list)
    rule: str = ""
    ruled: str = ""
    holds: CallKey | None = None
    call: CallKey | None = None
    told: ToolCallEntry | None = None
    announced: ToolCallEntry | None = None
    in_view: tuple[tuple[str, str], ...] = ()
    screen: str = ""
    by: str = ""
    terminal: str = ""

    def alike(self, option_id: str | None) -> list[PermissionOption]:
        """Return the options with this id: one, unless the agent reused it."""
        return [option for option in self.options if option.option_id == option_id]

    @property
    def rejection(self) -> str | None:
        """The id of an option that rejects once and means nothing else, or None."""
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
