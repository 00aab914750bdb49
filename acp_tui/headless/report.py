"""What a turn without a UI prints: the message on stdout, everything else on stderr."""

import sys
from typing import Any, Protocol

from acp_tui import deep_json
from acp_tui.headless.content import described
from acp_tui.headless.output import Output
from acp_tui.protocol.content import ContentItem, TerminalRef, TextContent, ToolCallContent
from acp_tui.protocol.events import (
    AccessAsked,
    Event,
    FilesChanged,
    FileWritten,
    Notified,
    OwnFault,
    QuirkHelped,
    Requested,
    Responded,
    Ruled,
    RulesChanged,
    Said,
    Stalled,
    StderrLine,
    Unreadable,
)
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import as_json
from acp_tui.protocol.setup import InitializeResult, NewSessionResult, SessionSetup
from acp_tui.protocol.updates import (
    AgentMessageChunk,
    CompactionUpdate,
    Notice,
    Plan,
    PlanRemoved,
    PlanUpdate,
    SessionNotification,
    ToolCallUpdate,
)
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.file_writes import words
from acp_tui.session.state import State
from acp_tui.session.subject import subject
from acp_tui.text import clean, clean_line

ALLOWS_ALL = (
    "--dangerously-allow-all: everything is allowed without asking, "
    "unless a rule rejects it or asks"
)
MOST_OF_A_REASON = 300
"""How many characters are shown of why a tool call failed."""
_FENCES = ("```", "~~~")


class Report(Protocol):
    """Prints a turn as it goes."""

    output: Output

    def event(self, state: State, event: Event) -> None:
        """Something happened."""

    def say(self, words: str) -> None:
        """The client has something to tell the person."""

    def summary(self, facts: dict[str, Any]) -> None:
        """The turn is over."""


class TextReport:
    """For people and pipes: the agent's text, and a line for each other thing."""

    def __init__(self) -> None:
        self.output = Output()
        self._open_line = False
        self._statuses: dict[str, str] = {}
        self._stalled = False
        self._entries = 0
        self._early: list[SessionNotification] | None = []
        """What came before a session was there: it may be that session's."""

    def event(self, state: State, event: Event) -> None:
        """Print what a reader wants to see of this event."""
        match event:
            case Notified(direction=Direction.IN, params=SessionNotification() as params):
                self._update(state, params)
            case Responded(result=SessionSetup()):
                self._tell_early(state)
            case StderrLine():
                self.say(f"agent: {event.text}")
            case Stalled(waiting=waiting) if (waiting > 0) is not self._stalled:
                self._stalled = waiting > 0
                how = (
                    f"isn't reading its input: {waiting:,} bytes wait" if waiting else "reads again"
                )
                self.say(f"acp-tui: the agent {how}")
            case QuirkHelped(remedy=remedy, why=why):
                self.say(f"acp-tui: quirk {remedy} (--no-quirks): {why}")
            case FilesChanged(paths=paths):
                for path in paths:
                    self.say(f"acp-tui: changed on disk since the agent read it: {path}")
            case FileWritten(path=path) if (told := words(event)) is not None:
                self.say(f"acp-tui: written: {path}: {told}")
            case OwnFault(doing=doing, traceback=traceback):
                for line in [f"a fault of its own in {doing}; please report it:", traceback]:
                    for part in line.splitlines():
                        self.say(f"acp-tui: {part}")
            case Said(severity="warning" | "info") if event.session_id is None:
                more = f": {event.description}" if event.description else ""
                self.say(f"acp-tui: {event.title}{more}")
            case Ruled(answer="allow" | "reject"):
                self.say(f"permission: {ruled_on(state, event)}: {event.answer}, by {event.by}")
            case RulesChanged() if state.allows_all:
                self.say(f"acp-tui: {ALLOWS_ALL}")
            case Unreadable(direction=Direction.IN):
                self.say(f"not ACP on the agent's stdout ({event.reason}): {event.excerpt}")

    def _update(self, state: State, params: SessionNotification) -> None:
        session = state.session(params.session_id)
        if session.loading is not None:
            return  # history: it was read when it happened
        if not session.opened or session.subagent is not None:
            if self._early is None:
                self._strange(params)
            else:
                self._early.append(params)
            return
        match params.update:
            case AgentMessageChunk(content=TextContent(text=text)):
                self._begin(len(session.entries))
                self._write(text)
            case AgentMessageChunk(content=content):
                self.say(described(content))
            case ToolCallUpdate() as update:
                self._tool_call(state, params.session_id, update.tool_call_id)
            case Plan() | PlanUpdate() | PlanRemoved():
                done = sum(entry.status == "completed" for entry in session.plan)
                self.say(
                    f"plan: {done} of {len(session.plan)} done" if session.plan else "plan cleared"
                )
            case CompactionUpdate(status=status, error=error):
                self.say(f"compaction: {status}" + (f": {error}" if error else ""))
            case Notice() as notice:
                self.say(f"{notice.severity}: {notice.title} {notice.description or ''}")

    def _tell_early(self, state: State) -> None:
        """Now it is known whose it was."""
        early, self._early = self._early or [], None
        for params in early:
            self._update(state, params)

    def _strange(self, params: SessionNotification) -> None:
        """What is said in a session that was never opened, or by a subagent, is no part of the answer."""
        update = params.update
        said = update.content if isinstance(update, AgentMessageChunk) else None
        words = said.text if isinstance(said, TextContent) else update.session_update
        self.say(f"of another session ({params.session_id}): {words}")

    def _tool_call(self, state: State, session_id: str, tool_call_id: str) -> None:
        entry = state.session(session_id).tool_call(tool_call_id)
        if entry is not None and self._statuses.get(tool_call_id) != entry.status:
            self._statuses[tool_call_id] = entry.status
            title = entry.title or entry.name or tool_call_id
            self.say(f"{entry.kind}: {title} ({entry.status}){_why_failed(state, entry)}")

    def _begin(self, entries: int) -> None:
        """A new message begins on a line of its own."""
        if entries != self._entries and self._open_line:
            self._write("\n")
        self._entries = entries

    def _write(self, text: str) -> None:
        """Text goes out as it came; only a terminal is protected from it."""
        self.output.write(sys.stdout, clean(text) if sys.stdout.isatty() else text)
        if text:
            self._open_line = not text.endswith("\n")

    def say(self, words: str) -> None:
        """One line on stderr, below whatever is on the screen."""
        if self._open_line and self.output.joined:
            self.output.write(sys.stderr, "\n")
            self._open_line = False
        self.output.write(sys.stderr, _line(words))

    def summary(self, facts: dict[str, Any]) -> None:
        """End the message's last line; say why the turn ended if not as it should."""
        if self._open_line:
            self._write("\n")
        for params in self._early or []:
            self._strange(params)
        if facts["why"]:
            self.say(f"acp-tui: {facts['why']}")


class JsonReport:
    """For programs: one object a line, in ACP's own words; the last one is the summary."""

    def __init__(self) -> None:
        self.output = Output()
        self._over = False

    def event(self, state: State, event: Event) -> None:
        """Print the event, if it says something about the turn, which is not over."""
        if self._over:
            return
        match event:
            case Notified(direction=Direction.IN, method="session/update"):
                self._print("update", event.raw)
            case Requested(direction=Direction.IN):
                self._print("request", {"method": event.method, "params": event.raw})
            case Responded(direction=Direction.OUT, request=request):
                error = event.error and {"code": event.error.code, "message": event.error.message}
                answer = {"error": error} if error else {"result": event.raw}
                self._print("answer", {"method": request.method, **answer})
            case Responded(result=InitializeResult() | NewSessionResult()):
                self._print(event.request.method, event.raw)
            case AccessAsked():
                why = {"outside": event.outside, "changed": event.changed}
                self._print("access", {"operation": event.operation, "path": event.path, **why})
            case FilesChanged():
                self._print("changed", {"paths": event.paths})
            case FileWritten():
                facts = {"path": event.path, "created": event.created, "changed": event.changed}
                self._print("written", {**facts, "remark": event.remark})
            case StderrLine():
                self._print("stderr", {"text": event.text})
            case Stalled():
                self._print("stalled", {"waiting": event.waiting})
            case OwnFault():
                said = {"doing": event.doing, "error": event.error}
                self._print("fault", {**said, "traceback": event.traceback})
            case Said():
                said = {"severity": event.severity, "title": event.title}
                self._print("notice", {**said, "description": event.description})
            case Ruled():
                said = {"answer": event.answer, "by": event.by}
                self._print("ruling", {"about": ruled_on(state, event), **said})
            case RulesChanged() if state.allows_all:
                self.say(f"acp-tui: {ALLOWS_ALL}")
            case Unreadable(direction=Direction.IN):
                self._print("problem", {"reason": event.reason, "excerpt": event.excerpt})

    def say(self, words: str) -> None:
        """What is for people goes to stderr."""
        self.output.write(sys.stderr, _line(words))

    def summary(self, facts: dict[str, Any]) -> None:
        """The last line."""
        self._over = True
        self._print("summary", facts)

    def _print(self, kind: str, body: Any) -> None:
        fields = body if isinstance(body, dict) else {"value": body}
        event = {"event": kind} | {key: fields[key] for key in fields if key != "event"}
        self.output.write(sys.stdout, deep_json.dumps(event) + "\n")


def ruled_on(state: State, event: Ruled) -> str:
    """What the rules were asked about."""
    permission = state.permission(event.request)
    return event.about or (subject(state, permission) if permission is not None else "")


def _why_failed(state: State, entry: ToolCallEntry) -> str:
    """The first words of a failed tool call's output, if there are any; a code fence is none.

    Of what a terminal shows it is the last.
    """
    if entry.status != "failed":
        return ""
    texts = [
        item.content.text
        for item in entry.content
        if isinstance(item, ContentItem) and isinstance(item.content, TextContent)
    ]
    if entry.raw_output is not None:
        raw = entry.raw_output
        texts.append(raw if isinstance(raw, str) else as_json(raw))
    lines = (line.strip() for text in texts for line in text.splitlines())
    words = next((line for line in lines if line and not line.startswith(_FENCES)), "")
    words = words or next(filter(None, (_last_words(state, item) for item in entry.content)), "")
    return f": {words[:MOST_OF_A_REASON]}" if words else ""


def _last_words(state: State, item: ToolCallContent) -> str:
    """The last line that a terminal shows."""
    terminal = state.terminals.get(item.terminal_id) if isinstance(item, TerminalRef) else None
    output = terminal.output.decode("utf-8", "replace") if terminal is not None else ""
    return next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "")


def _line(words: str) -> str:
    """One line, whatever an agent has put into it: none can pass for one of ours."""
    return f"{clean_line(words.rstrip())}\n"
