"""Commands from the user to the client. Never the agent's slash commands.

Commands are never changed, but have neither `frozen` nor `slots`: making 49 classes with both takes
4% of the start-up time (Python 3.11).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from acp_tui.policy.rules import Rule
from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.elicitation import Value


@dataclass
class SendPrompt:
    """Send a prompt, which starts a turn."""

    session_id: str
    prompt: tuple[ContentBlock, ...]


@dataclass
class CompareFolder:
    """Compare the session's folder with its checkpoint after the next turn.

    Unapproved changes are reported. `tree` is the git tree of the checkpoint, in the checkpoint
    store at `place`. `usual` are ignored files and folders, such as logs, that are written to
    whatever is allowed.
    """

    session_id: str
    folder: str
    place: str
    tree: str
    usual: tuple[str, ...] = ()


@dataclass
class Cancel:
    """Cancel the turn; all pending permission requests are answered `cancelled`."""

    session_id: str


@dataclass
class CancelToolCall:
    """Stop one tool call, if the agent supports that; the turn continues."""

    session_id: str
    tool_call_id: str


@dataclass
class CancelTerminal:
    """Stop the command in one of the agent's terminals, if it supports that; the turn continues.

    The id is unique among all sessions.
    """

    session_id: str
    terminal_id: str


@dataclass
class AnswerPermission:
    """Answer a permission request with an option's id; None cancels it.

    `screen` names the answering screen if there are several, `by` who answers for the user. Only
    the parts `in_view` can be allowed; without any, those of the current question.
    """

    number: int
    option_id: str | None
    screen: str = ""
    by: str = ""
    in_view: tuple[tuple[str, str], ...] = ()


@dataclass
class SetMode:
    """Set the session's mode."""

    session_id: str
    mode_id: str


@dataclass
class SetConfigOption:
    """Set one of the session's config options."""

    session_id: str
    config_id: str
    value: bool | str


@dataclass
class Authenticate:
    """Sign in with one of the agent's methods, then retry the refused request."""

    method_id: str


@dataclass
class SetModel:
    """Set the model of an agent that, like older ones, lists models outside the config options."""

    session_id: str
    model_id: str


@dataclass
class TerminalSignedIn:
    """Report that a method's sign-in program has exited; 0 means success.

    On success the agent is restarted and the refused request retried.
    """

    method_id: str
    exit_code: int


@dataclass
class Logout:
    """Sign out; the agent may refuse the sessions' requests from then on."""


@dataclass
class NewSession:
    """Open a session in `cwd` or the client's working directory; `values` are initial options.

    A `mode` that isn't an option is set once the session is open.
    """

    cwd: str | None = None
    values: tuple[tuple[str, bool | str], ...] = ()
    mode: str = ""


@dataclass
class AskSessionOptions:
    """List the options of a new session; if the agent can't list them without a session, open one."""


@dataclass
class OpenSession:
    """Open one of the agent's sessions; without `history` if it is already on screen.

    `folder` is the folder that the user allows it to work in, if not that of the agent; `recording`
    is the path of the recording to show if the agent can't open the session.
    """

    session_id: str
    history: bool = True
    folder: str | None = None
    recording: str = ""


@dataclass
class ContinueSession:
    """Open the newest session of the client's working directory, or a new one if there is none.

    If the agent has no session list, or listing fails, `recorded_id` is the newest session in the
    recordings, and `recording` the path of its recording.
    """

    recorded_id: str = ""
    recording: str = ""


@dataclass
class ListSessions:
    """Request the agent's sessions: all, or those of one directory."""

    cwd: str | None = None


@dataclass
class ForkSession:
    """Open a new session with the memory of another one, or only with what precedes one of its
    cursors; `folder` as in `OpenSession`.
    """

    session_id: str
    folder: str | None = None
    cursor_id: str | None = None


@dataclass
class CloseSession:
    """Close a session and cancel its turn. The agent may keep it for later."""

    session_id: str


@dataclass
class DeleteSession:
    """Permanently delete a session from the agent; the user has confirmed it."""

    session_id: str


@dataclass
class ArchiveSession:
    """Archive a session, which also closes it, or unarchive it."""

    session_id: str
    archived: bool


@dataclass
class RenameSession:
    """Change the title of a session."""

    session_id: str
    title: str


@dataclass
class AskStatus:
    """Request the session's status: whether the agent has it in memory."""

    session_id: str


@dataclass
class AskAccount:
    """Request the agent's accounts and providers, if it supports that."""


@dataclass
class SetProvider:
    """Configure how the agent reaches a provider; this replaces its configuration."""

    provider_id: str
    api_type: str
    base_url: str
    headers: tuple[tuple[str, str], ...] = ()


@dataclass
class DisableProvider:
    """Disable a provider of the agent's."""

    provider_id: str


@dataclass
class AnswerElicitation:
    """Answer a question: "accept" with content, "decline", or "cancel".

    `screen` names the answering screen if there are several.
    """

    number: int
    action: str
    content: Mapping[str, Value] | None = None
    screen: str = ""


@dataclass
class CancelRequest:
    """Cancel a request of ours."""

    number: int


@dataclass
class Steer:
    """Add a message to the running turn, if the agent supports that."""

    session_id: str
    prompt: tuple[ContentBlock, ...]


@dataclass
class Interrupt:
    """Cancel the running turn, and send this prompt once it has ended."""

    session_id: str
    prompt: tuple[ContentBlock, ...]


@dataclass
class UndoWrite:
    """Undo the agent's write of this frame, or the last one that can be undone."""

    session_id: str
    number: int | None = None


@dataclass
class TakeBack:
    """Write a file to revert some of its changes for the user.

    Refused unless the file still has the content that the user has `seen` (None for a missing
    file), and `path`, its real path at that time, still resolves to itself: others may have changed
    it since.
    """

    session_id: str
    path: str
    seen: str | None
    text: str


@dataclass
class SendByHand:
    """Send raw lines that the user wrote, valid or not."""

    raw: bytes


@dataclass
class SetBreakpoint:
    """Add a breakpoint, which holds the frames that match a filter, or switch it `on` or off."""

    filter: str
    on: bool = True


@dataclass
class RemoveBreakpoint:
    """Remove a breakpoint."""

    filter: str


@dataclass
class SetFault:
    """Add a fault to inject, specified as for `--fault`, or switch it `on` or off."""

    fault: str
    on: bool = True


@dataclass
class RemoveFault:
    """Remove a fault."""

    fault: str


@dataclass
class ReleaseFrame:
    """Send a held frame on, `times` times; if it was edited, these lines instead."""

    frame: int
    raw: bytes = b""
    times: int = 1


@dataclass
class DropFrame:
    """Drop a held frame."""

    frame: int


@dataclass
class DelayFrame:
    """Send a held frame on after `seconds`; None cancels the delay."""

    frame: int
    seconds: float | None


@dataclass
class AnswerFrame:
    """Answer a held request with this line, on behalf of its receiver."""

    frame: int
    raw: bytes


@dataclass
class OfferAs:
    """Use another client's `initialize` params from the next connection on; None restores our own."""

    params: Mapping[str, Any] | None


@dataclass
class AnswerTrust:
    """Offer the agent the project's MCP servers, until their file changes; or don't."""

    trusted: bool


@dataclass
class Restart:
    """Stop the agent and start its command again."""


@dataclass
class StopRestarting:
    """Cancel a planned automatic restart."""


@dataclass
class ConsiderRules:
    """Resolve the folders of the rules that the user is shown.

    If such a rule is added later, it applies to these folders, even if a path then leads elsewhere.
    """

    rules: tuple[Rule, ...]


@dataclass
class AddRule:
    """Add a rule; it also decides pending questions."""

    rule: Rule


@dataclass
class ForgetRule:
    """Remove a rule."""

    rule: Rule


@dataclass
class NoteOwnCommand:
    """Note that the user runs a command: changes of files from now on may be its work."""


@dataclass
class RecordOwnCommand:
    """Add a command that the user ran to the transcript; the fields are those of `OwnCommandRan`."""

    session_id: str
    command: str
    cwd: str
    output: bytes
    dropped: int
    code: int


@dataclass
class UseSetting:
    """Apply a setting: `files`, `restart`, `limits`, `recordings.gigabytes` or `otel`."""

    name: str
    value: str | float | None


SessionCommand = (
    NewSession
    | AskSessionOptions
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
"""Commands about breakpoints, faults and held frames."""

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
    | NoteOwnCommand
    | RecordOwnCommand
)
Do = Callable[[Command], None]
"""Runs a command for a view. Doesn't wait: the result appears in the state."""
