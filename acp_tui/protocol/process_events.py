"""Facts about the agent's process or connection, its output, and commands in terminals."""

from typing import NamedTuple


class ProcessStarted(NamedTuple):
    """The agent's process was started; state of an earlier process is obsolete.

    If it runs in a `place` other than this machine, `served` says where its files and commands are;
    `elsewhere` if its files aren't on this machine. `folders` are pairs: our name of a folder, and
    the agent's.
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
    """The agent's process could not be started; `reason` names the command and suggests what to do."""

    at: float
    argv: tuple[str, ...]
    reason: str


_SENT_SIGNALS = {"SIGHUP": 129, "SIGINT": 130, "SIGQUIT": 131, "SIGKILL": 137, "SIGTERM": 143}


class ProcessExited(NamedTuple):
    """The agent's process ended: with an exit `code`, or by a `signal`, named like SIGKILL.

    `asked` if the client ended it.
    """

    at: float
    code: int | None
    signal: str | None = None
    asked: bool = False

    @property
    def from_outside(self) -> bool:
        """Whether a signal from another program ended it, as opposed to a signal for its own fault.

        Shells and npx report the signal that ended their program as a code: 128 plus its number.
        """
        return self.signal in _SENT_SIGNALS or self.code in _SENT_SIGNALS.values()

    @property
    def how(self) -> str:
        """How the process ended: `killed by SIGTERM`, or `exited with code 1`."""
        return (
            f"exited with code {self.code}" if self.signal is None else f"killed by {self.signal}"
        )

    @property
    def words(self) -> str:
        """How the agent ended, as a sentence."""
        was = "" if self.signal is None else "was "
        return f"the agent {was}{self.how}"


class Connecting(NamedTuple):
    """The client connects to an agent's address; state of an earlier connection is obsolete.

    The address has no secrets: no user, no password, no query.
    """

    at: float
    url: str
    cwd: str


class Negotiating(NamedTuple):
    """The client initializes the agent with this version of the protocol; if that fails, it
    restarts the agent with version 1.
    """

    at: float
    version: int


class TransportFact(NamedTuple):
    """A transport event other than a message: connected, an HTTP status, an id, a retry."""

    at: float
    what: str


class Disconnected(NamedTuple):
    """The connection was lost; `why` is the reason. `asked` if the client closed it.

    `refused` if it would be refused again: the client doesn't retry before the user acts. `misread`
    if the agent didn't understand what the client sent: it may have another version of the
    protocol.
    """

    at: float
    why: str
    asked: bool = False
    refused: bool = False
    misread: bool = False

    @property
    def words(self) -> str:
        """How the connection ended, in words."""
        return f"disconnected: {self.why}"


class RestartRequested(NamedTuple):
    """The user restarts the agent; its process is ended first if it is still running."""

    at: float


class RestartPlanned(NamedTuple):
    """The agent will be restarted after `seconds`, because it has failed `failures` times."""

    at: float
    seconds: float
    failures: int


class RestartStopped(NamedTuple):
    """The agent isn't restarted automatically; `why` is the reason."""

    at: float
    why: str


class SourceChanged(NamedTuple):
    """Source files of the agent have changed: those in `files`, and `more` others.

    The agent is restarted for that, between turns.
    """

    at: float
    files: tuple[str, ...]
    more: int

    @property
    def words(self) -> str:
        """The files, in words."""
        return ", ".join(self.files) + (f" and {self.more} more" if self.more else "")


class StdoutClosed(NamedTuple):
    """The agent closed its stdout, but its process is still running."""

    at: float


class StderrLine(NamedTuple):
    """One line that the agent wrote to stderr."""

    at: float
    text: str

    @property
    def words(self) -> str:
        """The text to show among the lines of stderr."""
        return self.text


class StderrOmitted(NamedTuple):
    """Whole lines of stderr are missing from the log here, because there were too many.

    `size` and `sha256` are those of the missing lines, each with a newline.
    """

    at: float
    size: int
    sha256: str

    @property
    def words(self) -> str:
        """The text to show among the lines of stderr."""
        return f"[{self.size:,} bytes of stderr are left out here]"


class AgentLogLine(NamedTuple):
    """One line that the agent wrote into its own log file."""

    at: float
    text: str


class AgentLogOmitted(NamedTuple):
    """Whole lines of the agent's own log are missing here; see `StderrOmitted`."""

    at: float
    size: int
    sha256: str


class Stalled(NamedTuple):
    """The agent has stopped reading its stdin, with `waiting` bytes pending; 0 if it reads again."""

    at: float
    waiting: int


class LineUnfinished(NamedTuple):
    """Before its response to `initialize`, the agent printed this on stdout, without a newline."""

    at: float
    text: str


class TerminalOutput(NamedTuple):
    """A terminal of the client printed these bytes."""

    at: float
    terminal_id: str
    data: bytes


class OutputOmitted(NamedTuple):
    """`size` bytes that a client's terminal printed are missing from the log: there were too many."""

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
    """The user ran a command of their own in a session's folder, without the agent's knowledge.

    `data` is the end of the output, after `dropped` bytes that were not kept. A negative `code` is
    a signal. The agent is never sent `terminal_id` and can't guess it, so it can't embed the output
    as its own.
    """

    at: float
    session_id: str
    terminal_id: str
    command: str
    cwd: str
    data: bytes
    dropped: int
    code: int
