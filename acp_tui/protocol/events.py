"""The events that the state is folded from: the meaning of frames, and facts beside them.

`Requested`, `Notified`, `Responded`, `Stray` and `Unreadable` come from frames of either direction. The
others are facts that the client adds: about the agent's process or connection, about terminals, and
about decisions of the user. A recording holds both kinds, so a replay needs nothing else.
"""

from enum import StrEnum
from typing import Any, NamedTuple

from acp_tui.policy.rules import Rule
from acp_tui.protocol.frames import Direction, Frame, Origin
from acp_tui.protocol.jsonrpc import Error, ErrorCode, Id, Message
from acp_tui.protocol.model import Model


class Requested(NamedTuple):
    """One side called a method.

    If its params are invalid, `params` is None and `problem` says why. `by` is the origin of the call,
    if that isn't the side itself.
    """

    direction: Direction
    at: float
    number: int
    id: Id
    method: str
    params: Model | None
    raw: Any = None
    problem: str | None = None
    by: Origin | None = None

    @property
    def call(self) -> str:
        """The method by its name in version 1; `method` may be that of another version."""
        if getattr(self.params, "replay_from", None) is not None:
            return "session/load"
        return RENAMED.get(self.method, self.method)


RENAMED = {"auth/login": "authenticate", "auth/logout": "logout"}
"""Methods of version 2 that are another's of version 1 under a new name."""


class Notified(NamedTuple):
    """One side sent a notification."""

    direction: Direction
    at: float
    number: int
    method: str
    params: Model | None
    raw: Any = None
    problem: str | None = None
    by: Origin | None = None


class Responded(NamedTuple):
    """A pending request was answered, with a `result` or an `error`.

    `problem` says why the result is invalid for the method; `raw` keeps it. The response may have been
    `stopped` on its way to the agent.
    """

    direction: Direction
    at: float
    number: int
    request: Requested
    result: Model | None
    error: Error | None = None
    raw: Any = None
    problem: str | None = None
    by: Origin | None = None
    stopped: Origin | None = None

    @property
    def is_unsent(self) -> bool:
        """Whether no frame shows this: the request or its answer was lost on the way."""
        return self.number == self.request.number


class Stray(NamedTuple):
    """A response that answers nothing: its id is unknown, or was answered before. It has an `error`,
    or a result, which is `raw`.
    """

    direction: Direction
    at: float
    number: int
    id: Id
    raw: Any = None
    error: Error | None = None
    by: Origin | None = None


class Unreadable(NamedTuple):
    """A line that isn't a message: noise on the agent's stdout, a batch, or a line that
    `is_over_limit`.

    It may be one of the `lines` of a JSON object, counted up to here; the last of them has that object
    as its `value`. `lost_message` if it contains a message, or a piece of one, that isn't read.
    """

    direction: Direction
    at: float
    number: int
    reason: str
    excerpt: str
    wants_answer: bool = False
    lines: int = 0
    value: dict[str, Any] | None = None
    by: Origin | None = None
    is_over_limit: bool = False
    lost_message: bool = False

    @property
    def error(self) -> Error:
        """The error with which the sender of the line is answered."""
        code = ErrorCode.PARSE_ERROR if self.is_over_limit else ErrorCode.INVALID_REQUEST
        return Error(code, self.reason)


class Aside(NamedTuple):
    """A frame that the client knows nothing of: it was stopped on its way here, or the agent was given
    its `message` in the place `of` the frame of a number.
    """

    direction: Direction
    at: float
    number: int
    of: int = 0
    message: Message | None = None


class ProcessStarted(NamedTuple):
    """The agent's process was started; everything known of an earlier process is over.

    If it runs in a `place` other than this machine, `served` says where its files and commands are;
    `elsewhere` if the files aren't ours. `folders` are pairs: our name of a folder, and the agent's.
    """

    at: float
    argv: tuple[str, ...]
    cwd: str
    pid: int
    place: str = ""
    served: str = ""
    elsewhere: bool = False
    folders: tuple[tuple[str, str], ...] = ()


class ProcessFailed(NamedTuple):
    """The agent's process could not be started; `reason` names the command and what to do."""

    at: float
    argv: tuple[str, ...]
    reason: str


_SENT_SIGNALS = {"SIGHUP": 129, "SIGINT": 130, "SIGQUIT": 131, "SIGKILL": 137, "SIGTERM": 143}


class ProcessExited(NamedTuple):
    """The agent's process is gone: by an exit `code`, or by a `signal` named as SIGKILL is."""

    at: float
    code: int | None
    signal: str | None = None
    asked: bool = False

    @property
    def from_outside(self) -> bool:
        """Whether it was ended by a signal that other programs send, not by one that its own faults
        raise.

        Shells and npx report the signal that ended their program as a code: 128 plus its number.
        """
        return self.signal in _SENT_SIGNALS or self.code in _SENT_SIGNALS.values()

    @property
    def words(self) -> str:
        """How the agent went, in words."""
        if self.signal is not None:
            return f"the agent was killed by {self.signal}"
        return f"the agent exited with code {self.code}"


class Connecting(NamedTuple):
    """A connection to an agent's address is opened; everything known of an earlier one is over.

    The address has nothing secret: no user, no password, no query.
    """

    at: float
    url: str
    cwd: str


class Negotiating(NamedTuple):
    """The agent is initialized with this version of the protocol; if that fails, it is started again
    with version 1.
    """

    at: float
    version: int


class TransportFact(NamedTuple):
    """News of a transport apart from messages: connected, a status, an id, a retry."""

    at: float
    what: str


class Disconnected(NamedTuple):
    """The connection was lost, for the reason `why`; `asked` if the client ended it.

    `refused` if it would be refused again: nothing is tried until the user has acted. `misread` if the
    agent didn't understand what the client sent: it may know another version of the protocol.
    """

    at: float
    why: str
    asked: bool = False
    refused: bool = False
    misread: bool = False

    @property
    def words(self) -> str:
        """How the agent went, in words."""
        return f"disconnected: {self.why}"


class RestartRequested(NamedTuple):
    """The user restarts the agent: its process is ended first, if it still runs."""

    at: float


class RestartPlanned(NamedTuple):
    """The agent will be restarted after `seconds`, as it has failed `failures` times."""

    at: float
    seconds: float
    failures: int


class RestartStopped(NamedTuple):
    """The agent isn't restarted automatically; `why` in words."""

    at: float
    why: str


class SourceChanged(NamedTuple):
    """Files that the agent is made of have changed: those in `files`, and `more` others.

    It is restarted for that between turns.
    """

    at: float
    files: tuple[str, ...]
    more: int

    @property
    def words(self) -> str:
        """The files, in words."""
        return ", ".join(self.files) + (f" and {self.more} more" if self.more else "")


class StdoutClosed(NamedTuple):
    """The agent closed its stdout while its process lives on."""

    at: float


class StderrLine(NamedTuple):
    """One line that the agent wrote to stderr."""

    at: float
    text: str

    @property
    def words(self) -> str:
        """What stands among the lines."""
        return self.text


class StderrOmitted(NamedTuple):
    """Whole lines that the agent wrote to stderr are left out of the log here, because there were too many.

    `size` and `sha256` are those of the lines as they would stand here, each with a newline.
    """

    at: float
    size: int
    sha256: str

    @property
    def words(self) -> str:
        """What stands among the lines."""
        return f"[{self.size:,} bytes of stderr are left out here]"


class AgentLogLine(NamedTuple):
    """One line that the agent wrote into a log of its own."""

    at: float
    text: str


class AgentLogOmitted(NamedTuple):
    """Whole lines of the agent's own log are left out here; see `StderrOmitted`."""

    at: float
    size: int
    sha256: str


class QuirkHelped(NamedTuple):
    """The client deviates from the protocol for this agent, by this `remedy`."""

    at: float
    remedy: str
    why: str


class TimedOut(NamedTuple):
    """A request of ours got no answer within `seconds`."""

    at: float
    id: Id
    seconds: float


class Abandoned(NamedTuple):
    """A request of ours that a person took back got no answer; it is waited for no longer."""

    at: float
    id: Id


class NotSent(NamedTuple):
    """A request of ours was refused on its way to the agent, and `why`: that is its only answer."""

    at: float
    id: Id
    why: str

    def answering(self, request: Requested) -> Responded:
        """Return it as the answer to the request that it ended."""
        error = Error(ErrorCode.INTERNAL_ERROR, self.why)
        return Responded(Direction.IN, self.at, request.number, request, None, error)


class Stalled(NamedTuple):
    """The agent has stopped reading its stdin with `waiting` bytes pending; 0 means that it reads again."""

    at: float
    waiting: int


class LineUnfinished(NamedTuple):
    """An agent that has not answered `initialize` printed this on its stdout, without the end of a line."""

    at: float
    text: str


class TerminalOutput(NamedTuple):
    """A terminal of ours printed these bytes."""

    at: float
    terminal_id: str
    data: bytes


class OutputOmitted(NamedTuple):
    """So many bytes that a terminal of ours printed here are left out of the log, because there were too many."""

    at: float
    terminal_id: str
    size: int
    sha256: str


class TerminalExited(NamedTuple):
    """A terminal's command ended."""

    at: float
    terminal_id: str
    exit_code: int | None
    signal: str | None


class OwnCommandRan(NamedTuple):
    """The person ran a command of their own in a session's folder; the agent heard nothing of it.

    `data` is the end of what it printed, after `dropped` bytes that were not kept. A negative `code` is a
    signal. The agent is never sent `terminal_id` and can't guess it, so it can't show the output as its own.
    """

    at: float
    session_id: str
    terminal_id: str
    command: str
    cwd: str
    data: bytes
    dropped: int
    code: int


class FileOperation(StrEnum):
    """An operation of the client for the agent that may need the user's permission."""

    READ = "read"
    WRITE = "write"
    RUN = "run"


class AccessAsked(NamedTuple):
    """The agent's request `request` (its frame number) needs a person's leave.

    It goes `outside` the session's folder, the file has `changed` on disk since the agent knew it,
    or a `rule` wants it to be asked about. `path` and `folder` are resolved: where the file really
    is. A write brings both contents. Of a command they are its words and where it would run.
    """

    at: float
    request: int
    session_id: str
    operation: FileOperation
    path: str
    folder: str
    content: str | None = None
    old_content: str | None = None
    outside: bool = True
    changed: bool = False
    rule: str = ""


class AccessAnswered(NamedTuple):
    """A person (or the turn's cancellation) decided on an `AccessAsked`."""

    at: float
    request: int
    answer: str


class AnswerGiven(NamedTuple):
    """A person answers the question `request` (its frame number), on this `screen` of several; or
    it is answered in a person's place, `by` what. What was `in_view` then is what is allowed: pairs of a
    name and a text.
    """

    at: float
    request: int
    screen: str
    by: str = ""
    in_view: tuple[tuple[str, str], ...] = ()


class FilesChanged(NamedTuple):
    """The agent asks for permission (frame `request`) about files that it knows otherwise.

    They have changed on disk since it read them, or are not what it shows as their old text.
    """

    at: float
    request: int
    paths: list[str]


class EditLooked(NamedTuple):
    """The client looked at a file that a tool call is to edit; the `first` of several facts takes
    the place of what was found before.

    `item` is the diff of the call's content that this is about, -1 for none. `line` and `new_line`
    are where it stands, from 1; 0 where that isn't known; `whole` if it is about all of the file.
    `remark` is what a person should know; some `warns`. A diff that the client `derived` from the
    call's input and the file has both texts (no old one for a new file). `use` tells calls of one id
    apart; without it, as older versions recorded this, the newest is meant.
    """

    at: float
    session_id: str
    tool_call_id: str
    path: str
    item: int = -1
    first: bool = False
    line: int = 0
    new_line: int = 0
    whole: bool = False
    remark: str = ""
    warns: bool = False
    derived: bool = False
    old_text: str | None = None
    text: str = ""
    use: int | None = None


class EditVerdict(StrEnum):
    """How a file after an edit compares with the edit that was shown."""

    AS_SHOWN = "as-shown"
    DIFFERS = "differs"
    FORMATTED = "formatted"
    """Only blanks at the ends of lines differ, or the last newline."""
    UNWRITTEN = "unwritten"
    """The file is unchanged."""
    REJECTED = "rejected"
    """It was done, though it was rejected."""
    UNCLEAR = "unclear"
    """It differs, but others were at work, too."""


class EditCompared(NamedTuple):
    """A file that a tool call edited differs from what the user was shown; `difference` says how.

    The user was `asked` about it, or only saw it. `exact` if the agent wrote it through the client;
    otherwise the file was read before and after. The texts (None: there is no file) are what it was
    `before`, what the edit `shown` would make of it, and what it is `after`; if they are too long, they
    are left out and `told` is False. `use` tells calls with the same id apart, as in `EditLooked`.
    """

    at: float
    session_id: str
    tool_call_id: str
    path: str
    verdict: EditVerdict
    difference: str
    asked: bool = True
    exact: bool = False
    told: bool = True
    before: str | None = None
    shown: str | None = None
    after: str | None = None
    use: int | None = None

    @property
    def words(self) -> str:
        """The message about it: no more than is known."""
        which = "the diff that was allowed" if self.asked else "the diff"
        said = f"is not what {which} shows: {self.difference}"
        if self.verdict is EditVerdict.UNWRITTEN:
            said = f"is what it was before: what {which} shows was not written"
        elif self.verdict is EditVerdict.REJECTED:
            said = "is what the diff shows that was not allowed"
        return f"{self.path} {said}. {self._rests_on}"

    @property
    def _rests_on(self) -> str:
        if self.exact:
            return "acp-tui knows this from what the agent had it write."
        looks = "acp-tui knows this from looking at the file before and after"
        if self.verdict is EditVerdict.UNCLEAR:
            return f"{looks}; others were working at the same time, so it is not clear who did it."
        return f"{looks}; whether somebody else wrote it in between isn't known."


class UnapprovedChange(NamedTuple):
    """A file has changed since before the turn or its cancellation, and nothing that was allowed
    explains it.

    `reason` says why not. The file was `made`, `changed` or `deleted`, by anyone; or `written`, if the
    checkpoint doesn't store it.
    """

    at: float
    session_id: str
    path: str
    deed: str
    reason: str

    @property
    def words(self) -> str:
        """The message about it: no more than is known."""
        basis = "comparing the folder with what it was before"
        if self.deed == "written":
            basis = "the time of its last change on the disk"
        return (
            f"{self.path} was {self.deed}: {self.reason}. acp-tui knows this from {basis}; whether somebody "
            "else changed it in between isn't known."
        )


class TurnCompared(NamedTuple):
    """A session's folder was compared after its last turn.

    `changed` is the number of files that anyone changed since the turn began, with their `added` and `removed`
    lines; None if the lines can't be counted.
    """

    at: float
    session_id: str
    changed: int
    added: int | None = None
    removed: int | None = None


class FileWritten(NamedTuple):
    """The agent's write `request` (its frame number) was done; `path` is where the file really is.

    `old_text` is None for a file that was `created`; both texts are None where they are too long
    to be kept here. It had `changed` on disk since the agent knew it. `kept`: there is a backup,
    or nothing to back up. `remark` tells what was done otherwise than asked for. `by_person`: it was
    no request of the agent's, but a person took something back; then `request` is below 0.
    """

    at: float
    request: int
    session_id: str
    path: str
    created: bool
    old_text: str | None
    text: str | None
    changed: bool = False
    kept: bool = True
    remark: str | None = None
    by_person: bool = False


class WriteUndone(NamedTuple):
    """The user reverted the write of frame `request`."""

    at: float
    request: int
    session_id: str


class UndoRefused(NamedTuple):
    """The write of frame `request` was not undone: the file is not as the agent left it."""

    at: float
    request: int
    session_id: str
    reason: str


class BackupDropped(NamedTuple):
    """The write of frame `request` can't be undone anymore: others needed the room."""

    at: float
    request: int
    session_id: str


class RulesChanged(NamedTuple):
    """These rules are in force from now on, and no others."""

    at: float
    rules: tuple[Rule, ...]


class Ruled(NamedTuple):
    """The decision of the rules on a request: `allow`, `ask`, `reject` or `none`, and by which rule.

    `request` is its frame number. `about` is its subject, if that isn't a tool call.
    """

    at: float
    request: int
    session_id: str
    answer: str
    by: str
    about: str = ""


class SignedIn(NamedTuple):
    """A sign-in program that ran on the person's terminal has ended; 0 means success."""

    at: float
    method_id: str
    exit_code: int


class TrustAsked(NamedTuple):
    """A file of the project names MCP servers; a person is to judge them by its content."""

    at: float
    file: str
    content: str


class TrustAnswered(NamedTuple):
    """A person decided on the `TrustAsked`."""

    at: float
    trusted: bool


class BreakpointSet(NamedTuple):
    """Frames that pass a `filter` are held from now on, if it is `on` and not `removed`."""

    at: float
    filter: str
    on: bool = True
    removed: bool = False


class FrameHeld(NamedTuple):
    """The frame of a number is held by a breakpoint's `filter`: whom it is for doesn't have it.

    `name` is its method, or of an update its kind.
    """

    at: float
    frame: int
    direction: Direction
    name: str
    filter: str
    is_answer: bool = False
    session_id: str = ""


class FrameDelayed(NamedTuple):
    """A person has a held frame passed on after `seconds`; None means that it waits for a key."""

    at: float
    frame: int
    seconds: float | None


class FrameReleased(NamedTuple):
    """A held frame was released: `passed`, `edited`, `doubled`, `dropped`, `answered` in place of the
    receiver, or `left` because the connection ended.

    What was passed on follows as frames of its own.
    """

    at: float
    frame: int
    done: str


class FaultSet(NamedTuple):
    """A fault was switched on, off (`on` is False) or `removed`; `seed` is that of its random numbers."""

    at: float
    fault: str
    on: bool = True
    removed: bool = False
    seed: int = 0


class FaultInjected(NamedTuple):
    """A fault was done to a frame on purpose, and in words what was done.

    `fault` is as it was asked for, `kind` its name. The frame is `about` a method, or of an update its
    kind.
    """

    at: float
    frame: int
    direction: Direction
    fault: str
    kind: str
    words: str
    session_id: str = ""
    about: str = ""


class LineDamaged(NamedTuple):
    """A line of a recording can't be read: it was damaged, or comes from a later version."""

    at: float
    line: str
    reason: str


class OwnFault(NamedTuple):
    """Something of our own broke in `doing`; where that was for the agent, it got an error.

    `error` is the exception in one line, `traceback` all of it.
    """

    at: float
    session_id: str | None
    doing: str
    error: str
    traceback: str


class LimitReached(NamedTuple):
    """A session exceeded a limit that the user set: its turn is canceled, or no turn begins. `why` is for people."""

    at: float
    session_id: str
    why: str


class ClientNotice(NamedTuple):
    """A notice of the client to the person, in a session's transcript or outside all sessions."""

    at: float
    session_id: str | None
    severity: str
    title: str
    description: str | None = None


WireEvent = Requested | Notified | Responded | Stray | Unreadable | Aside
LocalEvent = (
    ProcessStarted
    | ProcessFailed
    | ProcessExited
    | Connecting
    | TransportFact
    | Disconnected
    | RestartRequested
    | RestartPlanned
    | RestartStopped
    | Negotiating
    | SourceChanged
    | StdoutClosed
    | StderrLine
    | StderrOmitted
    | AgentLogLine
    | AgentLogOmitted
    | QuirkHelped
    | TimedOut
    | Abandoned
    | NotSent
    | Stalled
    | LineUnfinished
    | TerminalOutput
    | OutputOmitted
    | TerminalExited
    | OwnCommandRan
    | AccessAsked
    | AccessAnswered
    | AnswerGiven
    | FilesChanged
    | EditLooked
    | EditCompared
    | UnapprovedChange
    | TurnCompared
    | FileWritten
    | WriteUndone
    | UndoRefused
    | BackupDropped
    | RulesChanged
    | Ruled
    | SignedIn
    | TrustAsked
    | TrustAnswered
    | BreakpointSet
    | FrameHeld
    | FrameDelayed
    | FrameReleased
    | FaultSet
    | FaultInjected
    | LineDamaged
    | OwnFault
    | LimitReached
    | ClientNotice
)
Event = WireEvent | LocalEvent
Record = Frame | LocalEvent
"""A line of a recording."""
