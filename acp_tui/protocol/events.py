"""The events that the state is folded from: the meaning of frames, and facts that the client adds.

A recording holds both kinds, so a replay needs nothing else. `wire_events` come from frames of either
direction; the facts are about the agent's process (`process_events`), about files (`file_events`), about
the gate (`gate_events`) and, here, about requests, decisions and the client itself.
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
