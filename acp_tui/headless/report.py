"""Prints a turn without a UI: the message on stdout, everything else on stderr."""

from collections import deque
from contextlib import AbstractContextManager
from typing import Any, Protocol

from acp_tui.headless.effects import describe_block, describe_command, describe_write, why_failed
from acp_tui.headless.json_events import UnreadableLines, modes_announced, ruled_on
from acp_tui.headless.outcome import RunFindings
from acp_tui.headless.printer import ALLOWS_ALL, Output, Printer, Say
from acp_tui.host.session_names import subagent_name
from acp_tui.policy.rules import ruling_words
from acp_tui.protocol.air import AsyncTaskUpdate, Goal, read_failure
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.events import (
    ClientNotice,
    EditCompared,
    EditLooked,
    Event,
    FaultInjected,
    FilesChanged,
    FileWritten,
    LineUnfinished,
    Notified,
    OwnFault,
    ProcessExited,
    ProcessStarted,
    QuirkHelped,
    Requested,
    Responded,
    Ruled,
    RulesChanged,
    Stalled,
    StderrLine,
    StderrOmitted,
    Stray,
    TerminalExited,
    TimedOut,
    TransportFact,
    Unreadable,
)
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import ErrorCode, as_json
from acp_tui.protocol.methods import CLIENT_METHODS
from acp_tui.protocol.model import Model
from acp_tui.protocol.setup import PromptResult, SessionSetup
from acp_tui.protocol.updates import (
    AgentMessageChunk,
    CompactionUpdate,
    Notice,
    Plan,
    PlanRemoved,
    PlanUpdate,
    SessionInfoUpdate,
    SessionNotification,
    SubagentUpdate,
    ToolCallUpdate,
    UnknownUpdate,
    Update,
)
from acp_tui.state.changes import Change
from acp_tui.state.entries import CallKey, MessageEntry, Role, ToolCallEntry, known_severity
from acp_tui.state.reducers.restart import NOTHING_SHOWN
from acp_tui.state.reducers.updates import STATE
from acp_tui.state.state import Session, State
from acp_tui.state.subagents import (
    SubagentCondition,
    condition_of,
    is_at_work,
    last_words_of,
)
from acp_tui.state.subject import call_headline, place_words
from acp_tui.state.subject_parts import summary_line
from acp_tui.text import one_line

_DECIDED = {"allow": "allowed", "reject": "rejected"}
LAST_STDERR_LINES = 20
"""Lines of the agent's stderr that are held back, and printed if it fails."""
WHOLE_MESSAGE = "agent_message"
"""The update of version 2 that has a whole message."""


class Report(Protocol):
    """Prints a turn as it goes."""

    output: Output

    def asking(self) -> AbstractContextManager[Say]:
        """Hold back other output while a person is asked; the returned function prints the question."""

    def event(self, state: State, event: Event, changes: list[Change]) -> None:
        """Report an event, and what it changed in the state."""

    def notify(self, words: str) -> None:
        """Report a message of the client's."""

    def findings(self, found: RunFindings) -> None:
        """Report broken rules of the protocol, after the agent has ended."""

    def summary(self, facts: dict[str, Any]) -> None:
        """End the message's last line; report why the turn ended if it did so unusually."""


class TextReport:
    """For people and pipes: the agent's text, and a line for each other thing."""

    def __init__(self, *, holds_stderr: bool = False) -> None:
        """Create a report; with `holds_stderr` the agent's stderr is printed only if it fails."""
        self.printer = Printer()
        self.output = self.printer.output
        self._held_stderr = deque[str](maxlen=LAST_STDERR_LINES) if holds_stderr else None
        self._statuses: dict[tuple[str, CallKey], str] = {}
        self._conditions: dict[str, SubagentCondition] = {}
        """The last reported condition of each subagent."""
        self._warned: set[str] = set()
        self._stalled = False
        self._goals: dict[str, Goal | None] = {}
        """The last reported goal of each session; a goal in a replayed history counts as reported."""
        self._entries = 0
        self._unread = UnreadableLines()
        self._messages = PrintedMessages()
        self._early: list[SessionNotification] | None = []
        """Updates that arrived before a session was opened: they may be of that session."""

    def event(self, state: State, event: Event, changes: list[Change]) -> None:
        """Print the lines for an event, if any."""
        for line in self._unread.follow_event(event):
            self._report_noise(line)
        self._release_stderr(event)
        self._report_event(state, event)
        for _, notice in modes_announced(state, changes):
            self.notify(f"acp-tui: ▲ {notice.title}")

    def _report_event(self, state: State, event: Event) -> None:
        match event:
            case Notified(direction=Direction.IN, params=SessionNotification() as params):
                self._update(state, params)
            case Responded(result=SessionSetup()):
                self._flush_early(state)
            case Responded(result=PromptResult() as result):
                self._report_failure(result)
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
                self._from_client(state, event)

    def _report_stderr(self, words: str) -> None:
        if self._held_stderr is None:
            self.notify(words)
        else:
            self._held_stderr.append(words)

    def _release_stderr(self, event: Event) -> None:
        """Print the held lines if the agent fails, and each later one as it comes."""
        if self._held_stderr and _is_failure(event):
            for words in self._held_stderr:
                self.notify(words)
        if _is_failure(event):
            self._held_stderr = None

    def _from_client(self, state: State, event: Event) -> None:
        """Print the events of acp-tui itself."""
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
            self.notify(_by(state, event.session_id) + describe_write(state, event))
        elif event.terminal_id in state.terminals:
            terminal = state.terminals[event.terminal_id]
            self.notify(_by(state, terminal.session_id) + describe_command(terminal, event))

    def _report_noise(self, line: Unreadable) -> None:
        if line.by is None:
            self.notify(f"not ACP from the agent ({line.reason}): {line.excerpt}")

    def _report_unread(self, event: Notified | Requested | Stray) -> None:
        """Report a message that could not be read, or a response to nothing."""
        if event.by is not None:
            return  # it was changed here: the fault is reported, and isn't the agent's
        if isinstance(event, Stray):
            self.notify(f"not read: an answer to {as_json(event.id)}, which nobody waits for")
        elif event.params is None and event.method in CLIENT_METHODS:
            self.notify(f"not read: {event.method}: {event.problem}")

    def _report_files(self, event: FilesChanged | EditLooked | EditCompared) -> None:
        """Warn of a changed file, a wrong diff, or an edit that differs from the diff that was shown."""
        match event:
            case FilesChanged():
                for path in event.paths:
                    words = "changed on disk since the agent last read or wrote it"
                    self.notify(f"acp-tui: {words}: {path}")
            case EditCompared():
                self.notify(f"acp-tui: {event.words}")
            case EditLooked(warns=True):
                self.notify(f"acp-tui: {event.remark}")

    def _update(self, state: State, params: SessionNotification) -> None:
        session = state.session(params.session_id)
        if session.loading is not None or _is_history(session, params.update):
            self._goals[params.session_id] = session.goal
            return  # history: the person read it when it happened
        if not session.opened:
            if self._early is None:
                self._report_other_session(params)
            else:
                self._early.append(params)
            return
        if session.subagent is not None:
            self._follow_subagent(state, session, params.update)
            return
        if isinstance(params.update, AsyncTaskUpdate | SessionInfoUpdate):
            self._report_for_air(session, params.update)
            return
        if params.update.session_update == STATE:
            self._report_failure(params.update)
        self._print_update(state, session, params)

    def _follow_subagent(self, state: State, child: Session, update: Update) -> None:
        """Report what a subagent does, but not its messages: they aren't part of the answer."""
        match update:
            case ToolCallUpdate():
                self._report_call(state, child.session_id, update.tool_call_id)
            case SubagentUpdate(session_id=session_id):
                self._report_subagent(state, session_id)
        self._report_subagent(state, child.session_id)

    def _report_subagent(self, state: State, session_id: str) -> None:
        """Report a change of a subagent's condition, and its last message when it is done."""
        child = state.sessions.get(session_id)
        if child is None or child.subagent is None:
            return
        condition = condition_of(state, child)
        if self._conditions.get(session_id) is condition:
            return
        self._conditions[session_id] = condition
        words = "" if is_at_work(state, child) else last_words_of(child)
        name = subagent_name(state, session_id)
        self.notify(f"subagent {name}: {condition}" + (f": {words}" if words else ""))

    def _print_update(self, state: State, session: Session, params: SessionNotification) -> None:
        match params.update:
            case AgentMessageChunk(content=TextContent(text=text), message_id=message_id):
                self._begin_message(len(session.entries))
                self.printer.say(text)
                self._messages.piece(session, message_id, text)
            case AgentMessageChunk(content=content):
                self.notify(describe_block(content))
            case ToolCallUpdate() as update:
                self._report_call(state, params.session_id, update.tool_call_id)
            case Plan() | PlanUpdate() | PlanRemoved():
                done = sum(entry.status == "completed" for entry in session.plan)
                self.notify(
                    f"plan: {done} of {len(session.plan)} done" if session.plan else "plan cleared"
                )
            case SubagentUpdate(session_id=session_id):
                self._report_subagent(state, session_id)
            case CompactionUpdate(status=status, error=error):
                self.notify(f"compaction: {status}" + (f": {error}" if error else ""))
            case UnknownUpdate(session_update=kind):
                self.notify(f"not read: session/update of an unknown kind: {kind}")
            case Notice() as notice:
                words = "\n".join(filter(None, (notice.title, notice.description)))
                self.notify(f"agent: {known_severity(notice.severity)}: {one_line(words)}")
            case update if update.session_update == WHOLE_MESSAGE:
                self._print_rest(session, update.wire()["messageId"])

    def _report_for_air(
        self, session: Session, update: AsyncTaskUpdate | SessionInfoUpdate
    ) -> None:
        """Report a background task that begins or ends, a failure, or a change of the goal: JetBrains AIR
        gets them outside ACP.
        """
        if isinstance(update, AsyncTaskUpdate):
            if not update.session_update.endswith("async_task_progress"):
                task = session.tasks[update.async_task_id]
                words = task.title + (f": {task.details}" if task.details else "")
                self.notify(f"agent: {one_line(words)}")
            return
        self._report_failure(update)
        goal, before = session.goal, self._goals.get(session.session_id)
        if goal is not None and goal != before:
            words = "\n".join(filter(None, (goal.words, goal.details)))
            self.notify(f"agent: {one_line(words)}")
        elif goal is None and before is not None:
            self.notify(f"agent: goal over: {one_line(before.objective)}")
        self._goals[session.session_id] = goal

    def _report_failure(self, carrier: Model) -> None:
        """Report the failure for JetBrains AIR in the `_meta` of an update or a result, if any."""
        if (failure := read_failure(carrier.meta)) is not None:
            words = "\n".join(filter(None, (failure.title, failure.explanation)))
            self.notify(f"agent: {known_severity(failure.severity)}: {one_line(words)}")

    def _print_rest(self, session: Session, message_id: str) -> None:
        """Print the rest of a message of which pieces were printed; all of it if its text was replaced."""
        text, changed = self._messages.rest(session, message_id)
        if changed:
            self.notify("the agent changed what it said:")
        if text:
            self._begin_message(len(session.entries))
            self.printer.say(text)

    def _flush_early(self, state: State) -> None:
        """Print updates that arrived before their session was known."""
        early, self._early = self._early or [], None
        for params in early:
            self._update(state, params)

    def _report_other_session(self, params: SessionNotification) -> None:
        """Report an update of a session that was never opened on stderr: it isn't part of the answer."""
        update = params.update
        said = update.content if isinstance(update, AgentMessageChunk) else None
        words = said.text if isinstance(said, TextContent) else update.session_update
        self.notify(f"of another session ({params.session_id}): {words}")

    def _report_call(self, state: State, session_id: str, tool_call_id: str) -> None:
        entry = state.session(session_id).tool_call(tool_call_id)
        if entry is not None:
            self._warn_of_changes(entry)
        if entry is not None and self._statuses.get((session_id, entry.key)) != entry.status:
            self._statuses[session_id, entry.key] = entry.status
            words = (
                f"{entry.kind}: {call_headline(entry)} ({entry.status}){why_failed(state, entry)}"
            )
            self.notify(_by(state, session_id) + words)

    def _warn_of_changes(self, entry: ToolCallEntry) -> None:
        """Warn once about each change of a call that was already allowed."""
        for at, changed in entry.changed_since.items():
            allowed = summary_line(entry.allowed[at])
            words = f"the agent has changed what was allowed ({allowed}): {changed}"
            if words not in self._warned:
                self._warned.add(words)
                self.notify(f"acp-tui: ⚠ {words}")

    def _begin_message(self, entries: int) -> None:
        """Begin a new line if a message begins: `entries` counts the entries before it."""
        if entries != self._entries:
            self.printer.end_line()
        self._entries = entries

    def asking(self) -> AbstractContextManager[Say]:
        """Hold back other output while a person is asked; the returned function prints the question."""
        return self.printer.asking()

    def notify(self, words: str) -> None:
        """Print one line on stderr, below whatever is on the screen."""
        self.printer.tell(words)

    def findings(self, found: RunFindings) -> None:
        """Print the findings by rule, below everything else."""
        self._end_message()
        for line in found.lines:
            self.notify(line)

    def summary(self, facts: dict[str, Any]) -> None:
        """End the message's last line; report why the turn ended if it did so unusually."""
        self._end_message()
        if facts["why"]:
            self.notify(f"acp-tui: {facts['why']}")

    def _end_message(self) -> None:
        """End the message's last line, and print what was held back."""
        self.printer.end_line()
        early, self._early = self._early or [], None
        for params in early:
            self._report_other_session(params)
        for line in self._unread.rest():
            self._report_noise(line)


class PrintedMessages:
    """Tracks how much of each message with an id was printed."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def piece(self, session: Session, message_id: str | None, text: str) -> None:
        """Record that a piece was printed."""
        if message_id is not None and (Role.AGENT, message_id) in session.message_ids:
            self._texts[message_id] = self._texts.get(message_id, "") + text

    def rest(self, session: Session, message_id: str) -> tuple[str, bool]:
        """Return the text to print of a message, and whether it replaces what was printed."""
        entry = session.entries[session.message_ids[Role.AGENT, message_id]]
        assert isinstance(entry, MessageEntry)
        before, now = self._texts.get(message_id, ""), entry.text
        self._texts[message_id] = now
        changed = not now.startswith(before)
        return (now if changed else now[len(before) :]), changed


def _is_failure(event: Event) -> bool:
    """Return whether an event may be explained by what the agent wrote to stderr."""
    match event:
        case ProcessExited(asked=False) | TimedOut():
            return True
        case Responded(direction=Direction.IN, error=error) if error is not None:
            return error.code != ErrorCode.REQUEST_CANCELLED
    return False


def _is_history(session: Session, update: Update) -> bool:
    """Return whether an update replays history after the answer to the load, as some agents do.

    Before the first prompt of this run an entry of the person can only come from a replay.
    """
    prompted = any(
        isinstance(one, MessageEntry) and one.role is Role.USER for one in session.entries
    )
    return bool(session.opened_by) and prompted and not isinstance(update, Notice)


def _by(state: State, session_id: str) -> str:
    """Return the prefix of a line about a subagent; "" for any other session."""
    name = subagent_name(state, session_id)
    return f"subagent {name}: " if name else ""


def report_missing_history(report: Report, session: Session) -> None:
    """Report if an agent replayed nothing of the session that it loaded."""
    if session.shows_nothing:
        report.notify(f"acp-tui: {NOTHING_SHOWN[0].lower()}{NOTHING_SHOWN[1:]}")
