"""Prints a turn without a UI: the message on stdout, everything else on stderr."""

from collections import deque
from contextlib import AbstractContextManager
from typing import Any, Protocol

from acp_tui.headless.effects import describe_command, describe_write, why_failed
from acp_tui.headless.json_events import UnreadableLines, ruled_on
from acp_tui.headless.outcome import RunFindings
from acp_tui.headless.printer import ALLOWS_ALL, Output, Printer, Say
from acp_tui.host.session_names import subagent_name
from acp_tui.policy.rules import ruling_words
from acp_tui.protocol.content import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    decoded_size,
)
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
from acp_tui.protocol.setup import SessionSetup
from acp_tui.protocol.updates import (
    AgentMessageChunk,
    CompactionUpdate,
    Notice,
    Plan,
    PlanRemoved,
    PlanUpdate,
    SessionNotification,
    SubagentUpdate,
    ToolCallUpdate,
    UnknownUpdate,
    Update,
)
from acp_tui.state.entries import CallKey, MessageEntry, Role, ToolCallEntry, known_severity
from acp_tui.state.reducers.restart import NOTHING_SHOWN
from acp_tui.state.state import Session, State
from acp_tui.state.subagents import (
    SubagentCondition,
    condition_of,
    is_at_work,
    last_words_of,
)
from acp_tui.state.subject import headline, place_words
from acp_tui.state.subject_parts import line_of
from acp_tui.text import one_line

_DECIDED = {"allow": "allowed", "reject": "rejected"}


LAST_STDERR_LINES = 20
"""How many lines of the agent's stderr are printed once it fails, where they were held back."""
WHOLE_MESSAGE = "agent_message"
"""The update that has a whole message, of version 2."""


def _is_failure(event: Event) -> bool:
    """Return whether an event may be explained by what the agent wrote to stderr."""
    match event:
        case ProcessExited(asked=False) | TimedOut():
            return True
        case Responded(direction=Direction.IN, error=error) if error is not None:
            return error.code != ErrorCode.REQUEST_CANCELLED
    return False


class PrintedMessages:
    """Tracks how much of each message with an id was printed."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def piece(self, session: Session, message_id: str | None, text: str) -> None:
        """Note that a piece was printed."""
        if message_id is not None and (Role.AGENT, message_id) in session.message_ids:
            self._texts[message_id] = self._texts.get(message_id, "") + text

    def rest(self, session: Session, message_id: str) -> tuple[str, bool]:
        """Return what is to be printed of a message, and whether it replaces what was printed."""
        entry = session.entries[session.message_ids[Role.AGENT, message_id]]
        assert isinstance(entry, MessageEntry)
        before, now = self._texts.get(message_id, ""), entry.text
        self._texts[message_id] = now
        changed = not now.startswith(before)
        return (now if changed else now[len(before) :]), changed


class Report(Protocol):
    """Prints a turn as it goes."""

    output: Output

    def asking(self) -> AbstractContextManager[Say]:
        """Ask a person: what is returned prints the lines of the question."""

    def event(self, state: State, event: Event) -> None:
        """Report an event."""

    def notify(self, words: str) -> None:
        """Report a message of the client's."""

    def findings(self, found: RunFindings) -> None:
        """Report what broke the rules of the protocol, after the agent has ended."""

    def summary(self, facts: dict[str, Any]) -> None:
        """End the message's last line; report why the turn ended if it did so unusually."""


class TextReport:
    """For people and pipes: the agent's text, and a line for each other thing."""

    def __init__(self, *, holds_stderr: bool = False) -> None:
        """`holds_stderr` is whether the agent's stderr is printed only once it fails."""
        self.printer = Printer()
        self.output = self.printer.output
        self._held_stderr = deque[str](maxlen=LAST_STDERR_LINES) if holds_stderr else None
        self._statuses: dict[tuple[str, CallKey], str] = {}
        self._conditions: dict[str, SubagentCondition] = {}
        """What each subagent was reported to do."""
        self._warned: set[str] = set()
        self._stalled = False
        self._entries = 0
        self._unread = UnreadableLines()
        self._said = PrintedMessages()
        self._early: list[SessionNotification] | None = []
        """What came before a session was there: it may be that session's."""

    def event(self, state: State, event: Event) -> None:
        """Print what a reader wants to see of this event."""
        for line in self._unread.follow_event(event):
            self._not_acp(line)
        self._release_stderr(event)
        match event:
            case Notified(direction=Direction.IN, params=SessionNotification() as params):
                self._update(state, params)
            case Responded(result=SessionSetup()):
                self._tell_early(state)
            case StderrLine() | StderrOmitted():
                self._stderr(f"agent: {event.words}")
            case Stalled(waiting=waiting) if (waiting > 0) is not self._stalled:
                self._stall(waiting)
            case QuirkHelped(why=why):
                self.notify(f"acp-tui: {why} (--no-quirks switches this off)")
            case FileWritten() | TerminalExited():
                self._effect(state, event)
            case FilesChanged() | EditLooked() | EditCompared():
                self._files(event)
            case Notified() | Requested() | Stray() if event.direction is Direction.IN:
                self._not_read(event)
            case _:
                self._from_client(state, event)

    def _stderr(self, words: str) -> None:
        if self._held_stderr is None:
            self.notify(words)
        else:
            self._held_stderr.append(words)

    def _release_stderr(self, event: Event) -> None:
        """Print the held lines, and from now on each as it comes, if the agent fails."""
        if self._held_stderr and _is_failure(event):
            for words in self._held_stderr:
                self.notify(words)
        if _is_failure(event):
            self._held_stderr = None

    def _stall(self, waiting: int) -> None:
        self._stalled = waiting > 0
        pending = f"isn't reading its input: {waiting:,} bytes pending"
        self.notify(f"acp-tui: the agent {pending if waiting else 'reads again'}")

    def _from_client(self, state: State, event: Event) -> None:
        """Print what acp-tui itself has to say."""
        match event:
            case OwnFault():
                self._fault(event)
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

    def _fault(self, fault: OwnFault) -> None:
        head = f"a bug in acp-tui, in {fault.doing}; please report it:"
        for line in [head, *fault.traceback.splitlines()]:
            self.notify(f"acp-tui: {line}")

    def _effect(self, state: State, event: FileWritten | TerminalExited) -> None:
        """Tell what the agent wrote or ran through us."""
        if isinstance(event, FileWritten):
            self.notify(_by(state, event.session_id) + describe_write(state, event))
        elif event.terminal_id in state.terminals:
            terminal = state.terminals[event.terminal_id]
            self.notify(_by(state, terminal.session_id) + describe_command(terminal, event))

    def _not_acp(self, line: Unreadable) -> None:
        if line.by is None:
            self.notify(f"not ACP on the agent's stdout ({line.reason}): {line.excerpt}")

    def _not_read(self, event: Notified | Requested | Stray) -> None:
        """Tell what of the agent's messages could not be read, or answers nothing."""
        if event.by is not None:
            return  # the fault was reported, and the agent has none of it
        if isinstance(event, Stray):
            self.notify(f"not read: an answer to {as_json(event.id)}, which nobody waits for")
        elif event.params is None and event.method in CLIENT_METHODS:
            self.notify(f"not read: {event.method}: {event.problem}")

    def _files(self, event: FilesChanged | EditLooked | EditCompared) -> None:
        """Warn that a file changed, that a diff isn't true, or that an edit isn't what was shown."""
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
            return  # it was read when it happened
        if not session.opened:
            if self._early is None:
                self._strange(params)
            else:
                self._early.append(params)
            return
        if session.subagent is not None:
            self._of_subagent(state, session, params.update)
            return
        self._print_update(state, session, params)

    def _of_subagent(self, state: State, child: Session, update: Update) -> None:
        """Report what a subagent does; its words are no part of the answer."""
        match update:
            case ToolCallUpdate():
                self._tool_call(state, child.session_id, update.tool_call_id)
            case SubagentUpdate(session_id=session_id):
                self._subagent(state, session_id)
        self._subagent(state, child.session_id)

    def _subagent(self, state: State, session_id: str) -> None:
        """Report what a subagent does if that has changed, and its last words once it is done."""
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
                self._begin(len(session.entries))
                self.printer.say(text)
                self._said.piece(session, message_id, text)
            case AgentMessageChunk(content=content):
                self.notify(describe_content(content))
            case ToolCallUpdate() as update:
                self._tool_call(state, params.session_id, update.tool_call_id)
            case Plan() | PlanUpdate() | PlanRemoved():
                done = sum(entry.status == "completed" for entry in session.plan)
                self.notify(
                    f"plan: {done} of {len(session.plan)} done" if session.plan else "plan cleared"
                )
            case SubagentUpdate(session_id=session_id):
                self._subagent(state, session_id)
            case CompactionUpdate(status=status, error=error):
                self.notify(f"compaction: {status}" + (f": {error}" if error else ""))
            case UnknownUpdate(session_update=kind):
                self.notify(f"not read: session/update of an unknown kind: {kind}")
            case Notice() as notice:
                words = f"{notice.title} {notice.description or ''}"
                self.notify(f"agent: {known_severity(notice.severity)}: {words}")
            case update if update.session_update == WHOLE_MESSAGE:
                self._whole(session, update.wire()["messageId"])

    def _whole(self, session: Session, message_id: str) -> None:
        """Print what a whole message has besides what its pieces had, or all of it if it is another."""
        text, changed = self._said.rest(session, message_id)
        if changed:
            self.notify("the agent changed what it said:")
        if text:
            self._begin(len(session.entries))
            self.printer.say(text)

    def _tell_early(self, state: State) -> None:
        """Now it is known whose it was."""
        early, self._early = self._early or [], None
        for params in early:
            self._update(state, params)

    def _strange(self, params: SessionNotification) -> None:
        """What is said in a session that was never opened is no part of the answer."""
        update = params.update
        said = update.content if isinstance(update, AgentMessageChunk) else None
        words = said.text if isinstance(said, TextContent) else update.session_update
        self.notify(f"of another session ({params.session_id}): {words}")

    def _tool_call(self, state: State, session_id: str, tool_call_id: str) -> None:
        entry = state.session(session_id).tool_call(tool_call_id)
        if entry is not None:
            self._changed_since(entry)
        if entry is not None and self._statuses.get((session_id, entry.key)) != entry.status:
            self._statuses[session_id, entry.key] = entry.status
            words = f"{entry.kind}: {headline(entry)} ({entry.status}){why_failed(state, entry)}"
            self.notify(_by(state, session_id) + words)

    def _changed_since(self, entry: ToolCallEntry) -> None:
        """Warn once that the agent has changed what was allowed."""
        for at, changed in entry.changed_since.items():
            allowed = line_of(entry.allowed[at])
            words = f"the agent has changed what was allowed ({allowed}): {changed}"
            if words not in self._warned:
                self._warned.add(words)
                self.notify(f"acp-tui: ⚠ {words}")

    def _begin(self, entries: int) -> None:
        """A new message begins on a line of its own."""
        if entries != self._entries:
            self.printer.end_line()
        self._entries = entries

    def asking(self) -> AbstractContextManager[Say]:
        """Hold all back but the lines of a question, which what is returned prints."""
        return self.printer.asking()

    def notify(self, words: str) -> None:
        """Print one line on stderr, below whatever is on the screen."""
        self.printer.tell(words)

    def findings(self, found: RunFindings) -> None:
        """Print them by rule, below all else."""
        self._end_message()
        for line in found.lines:
            self.notify(line)

    def summary(self, facts: dict[str, Any]) -> None:
        """End the message's last line; report why the turn ended if it did so unusually."""
        self._end_message()
        if facts["why"]:
            self.notify(f"acp-tui: {facts['why']}")

    def _end_message(self) -> None:
        """End the message's last line, and tell what was held back."""
        self.printer.end_line()
        early, self._early = self._early or [], None
        for params in early:
            self._strange(params)
        for line in self._unread.rest():
            self._not_acp(line)


def _by(state: State, session_id: str) -> str:
    """Return the words before a line about what a subagent did; "" for any other session."""
    name = subagent_name(state, session_id)
    return f"subagent {name}: " if name else ""


def report_missing_history(report: Report, session: Session) -> None:
    """Report that an agent showed nothing of a session that it loaded, if so."""
    if session.shows_nothing:
        report.notify(f"acp-tui: {NOTHING_SHOWN[0].lower()}{NOTHING_SHOWN[1:]}")


def _is_history(session: Session, update: Update) -> bool:
    """Return whether an agent replays a session after its answer, before the first prompt here: some
    do, and all of it begins with an earlier prompt.
    """
    prompted = any(
        isinstance(one, MessageEntry) and one.role is Role.USER for one in session.entries
    )
    return bool(session.opened_by) and prompted and not isinstance(update, Notice)


def describe_content(content: ContentBlock) -> str:
    """Describe what can't be printed in one line; a link or a resource with its address."""
    return f"[{_content_words(content)}]"


def _content_words(content: ContentBlock) -> str:
    match content:
        case ImageContent() | AudioContent():
            place = f" {content.uri}" if isinstance(content, ImageContent) and content.uri else ""
            return (
                f"{content.type}{place}: {content.mime_type}, {decoded_size(content.data):,} bytes"
            )
        case ResourceLink():
            return f"resource_link {content.title or content.name}: {content.uri}"
        case EmbeddedResource(resource=resource) if resource.text is not None:
            kind = resource.mime_type or "text"
            return f"resource {resource.uri}: {kind}, {len(resource.text):,} characters"
        case EmbeddedResource(resource=resource):
            kind = resource.mime_type or "binary"
            return f"resource {resource.uri}: {kind}, {decoded_size(resource.blob or ''):,} bytes"
        case _:
            return f"content of the unknown type {content.type!r}"
