"""Facts about the agent's process or connection, its output, and the commands in terminals."""

from typing import NamedTuple


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
