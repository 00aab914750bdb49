"""Commands from the user to the client. Never the agent's slash commands.

Nobody changes a command; they have neither `frozen` nor `slots`, because making 49 classes with both takes
4% of a start (Python 3.11).
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
    """Compare the session's folder with its checkpoint after the next turn, and report unapproved
    changes.

    `tree` is the git tree of the checkpoint, in the checkpoint store at `place`. `usual` are
    the ignored files and folders that are written to whatever is allowed: logs, for example.
    """

    session_id: str
    folder: str
    place: str
    tree: str
    usual: tuple[str, ...] = ()


@dataclass
class Cancel:
    """Cancel the turn; every pending permission is answered `cancelled`."""

    session_id: str


@dataclass
class CancelToolCall:
    """Stop one tool call, if the agent offers that; the turn continues."""

    session_id: str
    tool_call_id: str


@dataclass
class CancelTerminal:
    """Stop the command in a terminal of the agent's, if it offers that; the turn continues.

    The id is unique among all sessions.
    """

    session_id: str
    terminal_id: str


@dataclass
class AnswerPermission:
    """Answer a question by an option's id; None cancels it.

    `screen` names the screen it comes from if there are several, `by` what answers in place of a
    person. Only the parts `in_view` can be allowed; without them, what is asked now.
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
    """Sign in by one of the agent's methods, then retry the refused request."""

    method_id: str


@dataclass
class SetModel:
    """Set the model of an agent that lists models outside the config options, as older agents do."""

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
    """Open a session in `cwd` or the client's working directory; `values` are its first options, by id.

    A `mode` that is no option is set once the session is open.
    """

    cwd: str | None = None
    values: tuple[tuple[str, bool | str], ...] = ()
    mode: str = ""


@dataclass
class AskSessionOptions:
    """List the options of a new session; open one if the agent doesn't list them before."""


@dataclass
class OpenSession:
    """Open one of the agent's sessions: with its history, or without it if already on screen.

    `folder` is where the user lets it work, if not where the agent was started; `recording` is the
    path of the recording to show if the agent can't open it.
    """

    session_id: str
    history: bool = True
    folder: str | None = None
    recording: str = ""


@dataclass
class ContinueSession:
    """Open the newest session of the client's working directory, or a new one if there is none.

    For an agent without a session list, or whose list fails, `recorded_id` is the newest session in the recordings, and
    `recording` the path of its recording.
    """

    recorded_id: str = ""
    recording: str = ""


@dataclass
class ListSessions:
    """Request the agent's sessions: all, or those of one directory."""

    cwd: str | None = None


@dataclass
class ForkSession:
    """Open a new session with the memory of another, or only of what is before one of its cursors;
    `folder` as in `OpenSession`.
    """

    session_id: str
    folder: str | None = None
    cursor_id: str | None = None


@dataclass
class CloseSession:
    """Close a session and cancel its turn. The agent may store it for later."""

    session_id: str


@dataclass
class DeleteSession:
    """Delete a session on the agent for good, which the user has confirmed."""

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
    """Ask whether the agent has a session in memory."""

    session_id: str


@dataclass
class AskAccount:
    """Request the agent's accounts and providers, if it offers that."""


@dataclass
class SetProvider:
    """Configure how the agent reaches a provider; replaces the earlier configuration."""

    provider_id: str
    api_type: str
    base_url: str
    headers: tuple[tuple[str, str], ...] = ()


@dataclass
class DisableProvider:
    """Stop the agent's use of a provider."""

    provider_id: str


@dataclass
class AnswerElicitation:
    """Answer a question: "accept" with its content, "decline", or "cancel".

    `screen` names the screen it comes from if there are several.
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
    """Add a message to the running turn, if the agent offers that."""

    session_id: str
    prompt: tuple[ContentBlock, ...]


@dataclass
class Interrupt:
    """Cancel the running turn, and send this prompt once it has ended."""

    session_id: str
    prompt: tuple[ContentBlock, ...]


@dataclass
class UndoWrite:
    """Undo a write of the agent's: of this frame, or the last one that can be undone."""

    session_id: str
    number: int | None = None


@dataclass
class TakeBack:
    """Write a file whose change the user reverts in part.

    Refused unless the file still is what the user has `seen` (None for a missing file), and `path`,
    its real path then, still leads there: others may have changed it since.
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
    """Add a breakpoint, which holds the frames that match a filter; or switch it `on` or off."""

    filter: str
    on: bool = True


@dataclass
class RemoveBreakpoint:
    """Remove a breakpoint."""

    filter: str


@dataclass
class SetFault:
    """Add a fault to inject, written as for `--fault`; or switch it `on` or off."""

    fault: str
    on: bool = True


@dataclass
class RemoveFault:
    """Remove a fault."""

    fault: str


@dataclass
class ReleaseFrame:
    """Pass a held frame on, repeated `times`, or, if it was edited, as these lines."""

    frame: int
    raw: bytes = b""
    times: int = 1


@dataclass
class DropFrame:
    """Drop a held frame."""

    frame: int


@dataclass
class DelayFrame:
    """Pass a held frame on after `seconds`; None cancels the delay."""

    frame: int
    seconds: float | None


@dataclass
class AnswerFrame:
    """Answer a held request with a line, in place of its recipient."""

    frame: int
    raw: bytes


@dataclass
class OfferAs:
    """Use another client's `initialize` params from the next connection on; None restores our own."""

    params: Mapping[str, Any] | None


@dataclass
class AnswerTrust:
    """Offer the agent the project's MCP servers, as long as their file doesn't change; or don't."""

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

    A rule added later applies to these, even if a path then leads elsewhere.
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
class RecordOwnCommand:
    """Add a command of the user's and its output to the transcript; the fields are
    `OwnCommandRan`'s.
    """

    session_id: str
    command: str
    cwd: str
    output: bytes
    dropped: int
    code: int


@dataclass
class UseSetting:
    """Apply a setting's new value: one of `files`, `restart`, `limits`, `recordings.gigabytes` or
    `otel`.
    """

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
    | RecordOwnCommand
)
Do = Callable[[Command], None]
"""Runs a command of a view. It never waits: the result arrives as state."""
