"""What a person asks of the client. Never the agent's slash commands."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from acp_tui.policy.rules import Rule
from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.elicitation import Value


@dataclass(frozen=True, slots=True)
class SendPrompt:
    session_id: str
    prompt: tuple[ContentBlock, ...]


@dataclass(frozen=True, slots=True)
class CompareFolder:
    """Compare the session's folder with its checkpoint after the next turn, and report unapproved changes.

    `tree` is the git tree of the checkpoint, in the checkpoint store at `place`.
    """

    session_id: str
    folder: str
    place: str
    tree: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop the turn; every permission that waits is answered `cancelled`."""

    session_id: str


@dataclass(frozen=True, slots=True)
class CancelToolCall:
    """Stop one tool call, if the agent offers that for it; the turn goes on."""

    session_id: str
    tool_call_id: str


@dataclass(frozen=True, slots=True)
class CancelTerminal:
    """Stop what runs in a terminal of the agent's, if it offers that; the turn goes on.

    The id is that among the terminals of all sessions.
    """

    session_id: str
    terminal_id: str


@dataclass(frozen=True, slots=True)
class AnswerPermission:
    """Answer a question by one of its options' ids; None cancels it. `screen` is which of several
    it comes from, `by` what answers in a person's place. What was `in_view` is all that can be allowed;
    without it, what is asked now.
    """

    number: int
    option_id: str | None
    screen: str = ""
    by: str = ""
    in_view: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class SetMode:
    session_id: str
    mode_id: str


@dataclass(frozen=True, slots=True)
class SetConfigOption:
    session_id: str
    config_id: str
    value: bool | str


@dataclass(frozen=True, slots=True)
class Authenticate:
    """Sign in by one of the agent's methods, then retry what was refused."""

    method_id: str


@dataclass(frozen=True, slots=True)
class SetModel:
    """Set the model of an agent that lists models beside the config options, as older agents do."""

    session_id: str
    model_id: str


@dataclass(frozen=True, slots=True)
class TerminalSignedIn:
    """A method's sign-in program has ended on the real terminal; 0 means success.

    The agent is started again then, and what it had refused is tried again.
    """

    method_id: str
    exit_code: int


@dataclass(frozen=True, slots=True)
class Logout:
    """Sign out; what sessions ask for may be refused from then on."""


@dataclass(frozen=True, slots=True)
class NewSession:
    """Open a session; without `cwd` in the client's working directory."""

    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class OpenSession:
    """Open a session that the agent keeps: with its history, or without where it is on screen.

    `folder` is where a person lets it work, if that is not where the agent was started; `recording` is the
    path of what to show of it if the agent can't open it.
    """

    session_id: str
    history: bool = True
    folder: str | None = None
    recording: str = ""


@dataclass(frozen=True, slots=True)
class ContinueSession:
    """Open the newest session of the client's working directory, or a new one if there is none.

    `recorded_id` is the newest one that our recordings know, for an agent that keeps no list, and `recording`
    the path of the one that has it.
    """

    recorded_id: str = ""
    recording: str = ""


@dataclass(frozen=True, slots=True)
class ListSessions:
    """Ask for the sessions that the agent keeps: all, or those of one directory."""

    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class ForkSession:
    """Open a new session that remembers all of another one; `folder` as in `OpenSession`."""

    session_id: str
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class CloseSession:
    """End a session; its turn is cancelled. The agent may keep it for later."""

    session_id: str


@dataclass(frozen=True, slots=True)
class DeleteSession:
    """Have the agent forget a session for good: to be asked about first."""

    session_id: str


@dataclass(frozen=True, slots=True)
class ArchiveSession:
    """Hide a session from lists, which closes it; or show it again."""

    session_id: str
    archived: bool


@dataclass(frozen=True, slots=True)
class RenameSession:
    session_id: str
    title: str


@dataclass(frozen=True, slots=True)
class AskStatus:
    """Ask whether the agent has a session in memory."""

    session_id: str


@dataclass(frozen=True, slots=True)
class AskAccount:
    """Ask for the agent's accounts and providers, as far as it tells them."""


@dataclass(frozen=True, slots=True)
class SetProvider:
    """Have the agent reach a provider in this way; what was set before is forgotten."""

    provider_id: str
    api_type: str
    base_url: str
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DisableProvider:
    provider_id: str


@dataclass(frozen=True, slots=True)
class AnswerElicitation:
    """Answer a question: "accept" with what was filled in, "decline", or "cancel". `screen` is which
    of several it comes from.
    """

    number: int
    action: str
    content: Mapping[str, Value] | None = None
    screen: str = ""


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """Tell the agent that the answer to a request of ours is no longer wanted."""

    number: int


@dataclass(frozen=True, slots=True)
class Steer:
    """Put a message into the turn that runs, where the agent offers that."""

    session_id: str
    prompt: tuple[ContentBlock, ...]


@dataclass(frozen=True, slots=True)
class Interrupt:
    """Cancel the turn that runs, and send this prompt once it has ended."""

    session_id: str
    prompt: tuple[ContentBlock, ...]


@dataclass(frozen=True, slots=True)
class UndoWrite:
    """Take back a write of the agent's: of this frame, or the last one that can be."""

    session_id: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Write a file as a person wants it who takes back a part of a change. Nothing is done unless it is
    still what they have `seen`; None for a file that isn't there. `path` is where it really was when they
    were asked: nothing is done either if that leads elsewhere by now.
    """

    session_id: str
    path: str
    seen: str | None
    text: str


@dataclass(frozen=True, slots=True)
class SendByHand:
    """Put lines on the wire as they are, whatever they mean: a person made them."""

    raw: bytes


@dataclass(frozen=True, slots=True)
class SetBreakpoint:
    """Add a breakpoint, which holds the frames that pass a filter; or switch it `on` or off."""

    filter: str
    on: bool = True


@dataclass(frozen=True, slots=True)
class RemoveBreakpoint:
    """Remove a breakpoint."""

    filter: str


@dataclass(frozen=True, slots=True)
class SetFault:
    """Add a fault to inject, written as for `--fault`; or switch it `on` or off."""

    fault: str
    on: bool = True


@dataclass(frozen=True, slots=True)
class RemoveFault:
    """Remove a fault."""

    fault: str


@dataclass(frozen=True, slots=True)
class ReleaseFrame:
    """Pass a held frame on: so many `times`, or, if it was edited, as these lines."""

    frame: int
    raw: bytes = b""
    times: int = 1


@dataclass(frozen=True, slots=True)
class DropFrame:
    """Drop a held frame."""

    frame: int


@dataclass(frozen=True, slots=True)
class DelayFrame:
    """Pass a held frame on in so many seconds; with none, no longer by itself."""

    frame: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class AnswerFrame:
    """Answer a held request with a line, on behalf of the side that it is for."""

    frame: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class OfferAs:
    """Say in the next `initialize` what another client says in its own; None: what is our own."""

    params: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class AnswerTrust:
    """Let the agent have the MCP servers of the project, now and while the file stays as it is."""

    trusted: bool


@dataclass(frozen=True, slots=True)
class Restart:
    """Stop what is left of the agent and start its command again."""


@dataclass(frozen=True, slots=True)
class StopRestarting:
    """Don't start the agent again by itself, as was planned."""


@dataclass(frozen=True, slots=True)
class ConsiderRules:
    """Note where the folders of rules really are that a person is shown: the one that they add is about
    these, whatever has their names by then.
    """

    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class AddRule:
    """Add a rule; it also decides about what already waits."""

    rule: Rule


@dataclass(frozen=True, slots=True)
class ForgetRule:
    """Remove a rule."""

    rule: Rule


@dataclass(frozen=True, slots=True)
class RecordOwnCommand:
    """Keep a command of the person's and its output in the transcript; the fields are `OwnCommandRan`'s."""

    session_id: str
    command: str
    cwd: str
    output: bytes
    dropped: int
    code: int


@dataclass(frozen=True, slots=True)
class UseSetting:
    """Follow another value of a setting from now on: one of `files`, `restart` or `limits`, or
    `recordings.gigabytes`, or `otel`.
    """

    name: str
    value: str | float | None


SessionCommand = (
    NewSession
    | OpenSession
    | ContinueSession
    | ListSessions
    | ForkSession
    | CloseSession
    | DeleteSession
)
ManageCommand = (
    ArchiveSession | RenameSession | AskStatus | AskAccount | SetProvider | DisableProvider
)
SignInCommand = Authenticate | TerminalSignedIn | Logout
OptionCommand = SetMode | SetConfigOption | SetModel
PromptCommand = SendPrompt | Steer | Interrupt
RuleCommand = ConsiderRules | AddRule | ForgetRule
HOLDING = (
    SetBreakpoint,
    RemoveBreakpoint,
    SetFault,
    RemoveFault,
    ReleaseFrame,
    DropFrame,
    DelayFrame,
    AnswerFrame,
)
"""What is done to frames on their way."""

Command = (
    SessionCommand
    | SignInCommand
    | OptionCommand
    | PromptCommand
    | RuleCommand
    | ManageCommand
    | CompareFolder
    | Cancel
    | CancelToolCall
    | CancelTerminal
    | AnswerPermission
    | AnswerElicitation
    | CancelRequest
    | UndoWrite
    | TakeBack
    | SendByHand
    | OfferAs
    | SetBreakpoint
    | RemoveBreakpoint
    | SetFault
    | RemoveFault
    | ReleaseFrame
    | DropFrame
    | DelayFrame
    | AnswerFrame
    | AnswerTrust
    | Restart
    | StopRestarting
    | UseSetting
    | RecordOwnCommand
)
Do = Callable[[Command], None]
"""How a view asks; it never waits, the answer comes back as state."""
