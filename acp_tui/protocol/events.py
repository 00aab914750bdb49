"""What a frame meant, and what happened beside the wire: the input of the fold.

`Requested`, `Notified`, `Responded`, `Stray` and `Unreadable` come from frames of either
direction. The others are facts of the client's own: the agent's process, our terminals, and what
a person decided. A recording holds both kinds, so that a replay needs nothing else.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Error, Id
from acp_tui.protocol.model import Model


@dataclass(frozen=True, slots=True)
class Requested:
    """One side called a method. `params` is None, and `problem` says why, if they made no sense."""

    direction: Direction
    at: float
    number: int
    id: Id
    method: str
    params: Model | None
    raw: Any = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Notified:
    """One side sent a notification."""

    direction: Direction
    at: float
    number: int
    method: str
    params: Model | None
    raw: Any = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Responded:
    """A pending request was answered: with `result`, or with `error`.

    `problem` says why a result could not be read as the method's; `raw` keeps it.
    """

    direction: Direction
    at: float
    number: int
    request: Requested
    result: Model | None
    error: Error | None = None
    raw: Any = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Stray:
    """A response that answers nothing: its id is unknown, or was answered before."""

    direction: Direction
    at: float
    number: int
    id: Id


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that is no message: noise on the agent's stdout, a batch, or too long a line."""

    direction: Direction
    at: float
    number: int
    reason: str
    excerpt: str
    wants_answer: bool = False


@dataclass(frozen=True, slots=True)
class ProcessStarted:
    """The agent's process runs; everything known of an earlier process is over."""

    at: float
    argv: tuple[str, ...]
    cwd: str
    pid: int


@dataclass(frozen=True, slots=True)
class ProcessFailed:
    """The agent's process could not be started; `reason` names the command and what to do."""

    at: float
    argv: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class ProcessExited:
    """The agent's process is gone: by an exit `code`, or by a `signal` named as SIGKILL is."""

    at: float
    code: int | None
    signal: str | None = None
    asked: bool = False

    @property
    def words(self) -> str:
        """How the agent went, in words."""
        if self.signal is not None:
            return f"the agent was killed by {self.signal}"
        return f"the agent exited with code {self.code}"


@dataclass(frozen=True, slots=True)
class StdoutClosed:
    """The agent closed its stdout while its process lives on."""

    at: float


@dataclass(frozen=True, slots=True)
class StderrLine:
    """One line that the agent wrote to stderr."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class QuirkHelped:
    """The client treats this agent otherwise than the protocol says: by this `remedy`."""

    at: float
    remedy: str
    why: str


@dataclass(frozen=True, slots=True)
class TimedOut:
    """A request of ours got no answer within `seconds`."""

    at: float
    id: Id
    seconds: float


@dataclass(frozen=True, slots=True)
class Stalled:
    """The agent has stopped reading its stdin; so many bytes of ours wait. 0: it reads again."""

    at: float
    waiting: int


@dataclass(frozen=True, slots=True)
class TerminalOutput:
    """A terminal of ours printed these bytes."""

    at: float
    terminal_id: str
    data: bytes


@dataclass(frozen=True, slots=True)
class TerminalExited:
    """A terminal's command ended."""

    at: float
    terminal_id: str
    exit_code: int | None
    signal: str | None


class FileOperation(StrEnum):
    READ = "read"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class AccessAsked:
    """The agent's file request `request` (its frame number) leaves the session's folder.

    `path` and `folder` are resolved: where the file really is. A write brings both contents.
    """

    at: float
    request: int
    session_id: str
    operation: FileOperation
    path: str
    folder: str
    content: str | None = None
    old_content: str | None = None


@dataclass(frozen=True, slots=True)
class AccessAnswered:
    """A person (or the turn's cancellation) decided on an `AccessAsked`."""

    at: float
    request: int
    answer: str


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A sign-in program that ran on the person's terminal has ended; 0 means success."""

    at: float
    method_id: str
    exit_code: int


@dataclass(frozen=True, slots=True)
class Said:
    """The client has something to tell the person, in a session's transcript or beside all."""

    at: float
    session_id: str | None
    severity: str
    title: str
    description: str | None = None


WireEvent = Requested | Notified | Responded | Stray | Unreadable
LocalEvent = (
    ProcessStarted
    | ProcessFailed
    | ProcessExited
    | StdoutClosed
    | StderrLine
    | QuirkHelped
    | TimedOut
    | Stalled
    | TerminalOutput
    | TerminalExited
    | AccessAsked
    | AccessAnswered
    | SignedIn
    | Said
)
Event = WireEvent | LocalEvent
