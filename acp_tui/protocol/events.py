"""The events that the state is folded from: what frames mean, and facts that the client adds.

A recording has both kinds, so a replay needs nothing else. `wire_events` come from frames in either
direction. Facts are about the agent's process (`process_events`), about files (`file_events`),
about the gate (`gate_events`) and, here, about requests, decisions and the client itself.
"""

from typing import NamedTuple

from acp_tui.policy.rules import Rule
from acp_tui.protocol.file_events import (
    AccessAnswered,
    AccessAsked,
    BackupDropped,
    EditCompared,
    EditLooked,
    FilesChanged,
    FileWritten,
    TurnCompared,
    UnapprovedChange,
    UndoRefused,
    WriteUndone,
)
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.gate_events import (
    BreakpointSet,
    FaultInjected,
    FaultSet,
    FrameDelayed,
    FrameHeld,
    FrameReleased,
)
from acp_tui.protocol.jsonrpc import Error, ErrorCode, Id
from acp_tui.protocol.process_events import (
    AgentLogLine,
    AgentLogOmitted,
    Connecting,
    Disconnected,
    LineUnfinished,
    Negotiating,
    OutputOmitted,
    OwnCommandRan,
    ProcessExited,
    ProcessFailed,
    ProcessStarted,
    RestartPlanned,
    RestartRequested,
    RestartStopped,
    SourceChanged,
    Stalled,
    StderrLine,
    StderrOmitted,
    StdoutClosed,
    TerminalExited,
    TerminalOutput,
    TransportFact,
)
from acp_tui.protocol.wire_events import Requested, Responded, WireEvent


class QuirkHelped(NamedTuple):
    """The client deviates from the protocol to work around a fault of this agent, by this `remedy`."""

    at: float
    remedy: str
    why: str


class TimedOut(NamedTuple):
    """The client gave up on its request after `seconds` without a response."""

    at: float
    id: Id
    seconds: float


class Abandoned(NamedTuple):
    """The client gave up on a request that the user canceled and the agent didn't answer."""

    at: float
    id: Id


class NotSent(NamedTuple):
    """A request of the client was refused before it reached the agent; `why` is its error."""

    at: float
    id: Id
    why: str

    def answering(self, request: Requested) -> Responded:
        """Return the response that fails this request."""
        error = Error(ErrorCode.INTERNAL_ERROR, self.why)
        return Responded(Direction.IN, self.at, request.number, request, None, error)


class AnswerGiven(NamedTuple):
    """The user answered the question `request` (its frame number) on this `screen`, one of several;
    or `by` names who answered it for the user. `in_view` is what was shown then, and so what is
    allowed: pairs of a name and a text.
    """

    at: float
    request: int
    screen: str
    by: str = ""
    in_view: tuple[tuple[str, str], ...] = ()


class RulesChanged(NamedTuple):
    """The rules were replaced by these."""

    at: float
    rules: tuple[Rule, ...]


class Ruled(NamedTuple):
    """The rules' decision on a request: `allow`, `ask`, `reject` or `none`, and `by` which rule.

    `request` is its frame number. `about` is its subject, if that isn't a tool call.
    """

    at: float
    request: int
    session_id: str
    answer: str
    by: str
    about: str = ""


class SignedIn(NamedTuple):
    """A sign-in program in the user's terminal exited; 0 means success."""

    at: float
    method_id: str
    exit_code: int


class TrustAsked(NamedTuple):
    """A file of the project lists MCP servers; the user must decide whether to trust its content."""

    at: float
    file: str
    content: str


class TrustAnswered(NamedTuple):
    """The user's decision on a `TrustAsked`."""

    at: float
    trusted: bool


class LineDamaged(NamedTuple):
    """A line of a recording can't be read: it is damaged, or written by a later version."""

    at: float
    line: str
    reason: str


class OwnFault(NamedTuple):
    """An exception in acp-tui itself while `doing` something; an agent that waited got an error.

    `error` is the exception on one line, `traceback` all of it.
    """

    at: float
    session_id: str | None
    doing: str
    error: str
    traceback: str


class LimitReached(NamedTuple):
    """A session exceeded the user's limit: its turn is canceled, or not begun. `why` is for people."""

    at: float
    session_id: str
    why: str


class ClientNotice(NamedTuple):
    """A message from the client to the user, in a session's transcript or outside all sessions."""

    at: float
    session_id: str | None
    severity: str
    title: str
    description: str | None = None


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
