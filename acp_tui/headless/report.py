"""Prints a turn without a UI: the message on stdout, everything else on stderr."""

from collections import deque
from contextlib import AbstractContextManager
from typing import Any, Protocol

from acp_tui.headless.effects import describe_command, describe_write
from acp_tui.headless.json_events import UnreadableLines, modes_announced, ruled_on
from acp_tui.headless.outcome import RunFindings
from acp_tui.headless.printer import ALLOWS_ALL, Output, Printer, PrintLine
from acp_tui.headless.update_report import UpdateReport, subagent_prefix
from acp_tui.policy.rules import ruling_words
from acp_tui.protocol.events import (
    ClientNotice,
    Event,
    OwnFault,
    QuirkHelped,
    Ruled,
    RulesChanged,
    TimedOut,
)
from acp_tui.protocol.file_events import EditCompared, EditLooked, FilesChanged, FileWritten
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.gate_events import FaultInjected
from acp_tui.protocol.jsonrpc import ErrorCode, as_json
from acp_tui.protocol.methods import CLIENT_METHODS
from acp_tui.protocol.process_events import (
    LineUnfinished,
    ProcessExited,
    ProcessStarted,
    Stalled,
    StderrLine,
    StderrOmitted,
    TerminalExited,
    TransportFact,
)
from acp_tui.protocol.setup import PromptResult, SessionSetup
from acp_tui.protocol.updates import SessionNotification
from acp_tui.protocol.wire_events import Notified, Requested, Responded, Stray, Unreadable
from acp_tui.state.changes import Change
from acp_tui.state.reducers.restart import NOTHING_SHOWN
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.state.subject import place_words
from acp_tui.text import one_line

_DECIDED = {"allow": "allowed", "reject": "rejected"}
LAST_STDERR_LINES = 20
"""Last lines of the agent's stderr that are held back, to be printed if the agent fails."""


class Report(Protocol):
    """Reports a turn while it runs."""

    output: Output

    def asking(self) -> AbstractContextManager[PrintLine]:
        """Hold back other output during a question; the returned function prints the question."""

    def event(self, state: State, event: Event, changes: list[Change]) -> None:
        """Report an event and its changes of the state."""

    def notify(self, words: str) -> None:
        """Report a message of the client's."""

    def findings(self, findings: RunFindings) -> None:
        """Report the linter's findings, after the agent has ended."""

    def summary(self, facts: dict[str, Any]) -> None:
        """Report the summary of the turn, or why it ended, after everything else."""


class TextReport:
    """Prints the agent's text on stdout, and everything else as lines on stderr."""

    def __init__(self, *, holds_stderr: bool = False) -> None:
        """Create a report; with `holds_stderr`, the agent's stderr is only printed if the agent
        fails.
        """
        self.printer = Printer()
        self.output = self.printer.output
        self._held_stderr = deque[str](maxlen=LAST_STDERR_LINES) if holds_stderr else None
        self._updates = UpdateReport(self.printer)
        self._stalled = False
        self._unread = UnreadableLines()

    def event(self, state: State, event: Event, changes: list[Change]) -> None:
        """Print the lines for an event, if any."""
        for line in self._unread.follow_event(event):
            self._report_noise(line)
        self._release_stderr(event)
        self._report_event(state, event)
        for session_id, notice in modes_announced(state, changes):
            self.notify(f"acp-tui: {subagent_prefix(state, session_id)}▲ {notice.title}")

    def _report_event(self, state: State, event: Event) -> None:
        match event:
            case Notified(direction=Direction.IN, params=SessionNotification() as params):
                self._updates.follow_update(state, params)
            case Responded(result=SessionSetup()):
                self._updates.release_early(state)
            case Responded(result=PromptResult() as result):
                self._updates.report_failure(result)
            case StderrLine() | StderrOmitted():
                self._report_stderr(f"agent: {event.words}")
            case Stalled(waiting=waiting) if (waiting > 0) is not self._stalled:
                self._stalled = waiting > 0
                pending = f"isn't reading its input: {waiting:,} bytes pending"
                self.notify(f"acp-tui: the agent {pending if waiting else 'reads again'}")
            case QuirkHelped(why=why):
                self.notify(f"acp-tui: {why} (--no-quirks switches this off)")
            case FileWritten() | TerminalExited():
                self._report_effect(state, event)
            case FilesChanged() | EditLooked() | EditCompared():
                self._report_files(event)
            case Notified() | Requested() | Stray() if event.direction is Direction.IN:
                self._report_unread(event)
            case _:
                self._report_client_event(state, event)

    def _report_stderr(self, words: str) -> None:
        if self._held_stderr is None:
            self.notify(words)
        else:
            self._held_stderr.append(words)

    def _release_stderr(self, event: Event) -> None:
        """Print the held lines once the agent fails; from then on, lines are printed as they
        arrive.
        """
        if self._held_stderr and _is_failure(event):
            for words in self._held_stderr:
                self.notify(words)
        if _is_failure(event):
            self._held_stderr = None

    def _report_client_event(self, state: State, event: Event) -> None:
        """Print the client's own events."""
        match event:
            case OwnFault():
                head = f"a bug in acp-tui, in {event.doing}; please report it:"
                for line in [head, *event.traceback.splitlines()]:
                    self.notify(f"acp-tui: {line}")
            case ClientNotice(severity="warning" | "info"):
                more = f": {event.description}" if event.description else ""
                self.notify(f"acp-tui: {event.title}{more}")
            case Ruled(answer="allow" | "reject"):
                decided = ruling_words(_DECIDED[event.answer], event.by)
                self.notify(f"permission: {ruled_on(state, event)}: {decided}")
            case ProcessStarted(place=place) if place:
                self.notify(f"acp-tui: {place_words(state.peer)}")
            case LineUnfinished(text=text):
                self.notify(f"on the agent's stdout, without the end of a line: {one_line(text)}")
            case TransportFact():
                self.notify(f"acp-tui: {event.what}")
            case FaultInjected():
                self.notify(f"fault {event.fault}: {event.direction} #{event.frame}: {event.words}")
            case RulesChanged() if state.allows_all:
                self.notify(f"acp-tui: {ALLOWS_ALL}")

    def _report_effect(self, state: State, event: FileWritten | TerminalExited) -> None:
        """Report a file that the agent wrote, or a command that it ran, through the client."""
        if isinstance(event, FileWritten):
            self.notify(subagent_prefix(state, event.session_id) + describe_write(state, event))
        elif event.terminal_id in state.terminals:
            terminal = state.terminals[event.terminal_id]
            self.notify(
                subagent_prefix(state, terminal.session_id) + describe_command(terminal, event)
            )

    def _report_noise(self, line: Unreadable) -> None:
        if line.by is None:
            self.notify(f"not ACP from the agent ({line.reason}): {line.excerpt}")

    def _report_unread(self, event: Notified | Requested | Stray) -> None:
        """Report a message that could not be parsed, or a response to no pending request."""
        if event.by is not None:
            return  # the gate changed it: its fault is reported, and isn't the agent's
        if isinstance(event, Stray):
            self.notify(f"not read: an answer to {as_json(event.id)}, which nobody waits for")
        elif event.params is None and event.method in CLIENT_METHODS:
            self.notify(f"not read: {event.method}: {event.problem}")

    def _report_files(self, event: FilesChanged | EditLooked | EditCompared) -> None:
        """Warn about a changed file, a wrong diff, or an edit that differs from the diff that was
        shown.
        """
        match event:
            case FilesChanged():
                for path in event.paths:
                    words = "changed on disk since the agent last read or wrote it"
                    self.notify(f"acp-tui: {words}: {path}")
            case EditCompared():
                self.notify(f"acp-tui: {event.words}")
            case EditLooked(warns=True):
                self.notify(f"acp-tui: {event.remark}")

    def asking(self) -> AbstractContextManager[PrintLine]:
        """Hold back other output during a question; the returned function prints the question."""
        return self.printer.asking()

    def notify(self, words: str) -> None:
        """Print one line on stderr, on a row of its own."""
        self.printer.print_note(words)

    def findings(self, findings: RunFindings) -> None:
        """Print the findings, after everything else."""
        self._end_message()
        for line in findings.lines:
            self.notify(line)

    def summary(self, facts: dict[str, Any]) -> None:
        """End the message's last line; print why the turn ended, if unusual."""
        self.end_turn(facts["why"])

    def end_turn(self, words: str) -> None:
        """End the message's last line; print how the turn ended, if `words` aren't empty."""
        self._end_message()
        if words:
            self.notify(f"acp-tui: {words}")

    def _end_message(self) -> None:
        """End the message's last line, and print what was held back."""
        self._updates.end_message()
        for line in self._unread.rest():
            self._report_noise(line)


def _is_failure(event: Event) -> bool:
    """Return whether the agent's stderr may explain an event."""
    match event:
        case ProcessExited(asked=False) | TimedOut():
            return True
        case Responded(direction=Direction.IN, error=error) if error is not None:
            return error.code != ErrorCode.REQUEST_CANCELLED
    return False


def report_missing_history(report: Report, session: Session) -> None:
    """Report that an agent replayed nothing of the session that it loaded, if so."""
    if session.is_replay_empty:
        report.notify(f"acp-tui: {NOTHING_SHOWN[0].lower()}{NOTHING_SHOWN[1:]}")
