"""Prints session updates: messages on stdout, everything else in lines on stderr."""

from acp_tui.headless.effects import describe_block, failure_reason
from acp_tui.headless.printer import Printer
from acp_tui.host.session_names import subagent_name
from acp_tui.protocol.air import AsyncTaskUpdate, Goal, SessionFailure, read_failure
from acp_tui.protocol.content import TextContent
from acp_tui.protocol.model import Model
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
from acp_tui.state.entries import (
    CallKey,
    MessageEntry,
    Role,
    ToolCallEntry,
    is_prompt,
    known_severity,
)
from acp_tui.state.reducers.updates import STATE
from acp_tui.state.session import Session
from acp_tui.state.state import State
from acp_tui.state.subagents import SubagentCondition, condition_of, is_at_work, last_words_of
from acp_tui.state.subject import call_headline
from acp_tui.state.subject_parts import summary_line
from acp_tui.text import one_line

WHOLE_MESSAGE = "agent_message"
"""Version 2's update that replaces a whole message."""


class UpdateReport:
    """Prints the updates of all sessions."""

    def __init__(self, printer: Printer) -> None:
        self._printer = printer
        self._notify = printer.print_note
        self._statuses: dict[tuple[str, CallKey], str] = {}
        self._conditions: dict[str, SubagentCondition] = {}
        """The last reported condition of each subagent."""
        self._warned: set[str] = set()
        self._goals: dict[str, Goal | None] = {}
        """The last reported goal of each session; a goal in a replayed history counts as reported."""
        self._failures: dict[str, SessionFailure] = {}
        """The reported failures by id: codex repeats a failure in each later session update."""
        self._entries = 0
        self._messages = PrintedMessages()
        self._early: list[SessionNotification] | None = []
        """Updates that arrived before the session was opened: they may belong to it. None once it
        is open.
        """

    def follow_update(self, state: State, params: SessionNotification) -> None:
        """Print the lines for an update, if any."""
        session = state.session(params.session_id)
        if session.opening.loading is not None or _is_history(session, params.update):
            self._goals[params.session_id] = session.goal
            return  # history: the user read it when it happened
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
            self.report_failure(params.update)
        self._print_update(state, session, params)

    def release_early(self, state: State) -> None:
        """Print updates that arrived before their session was known."""
        early, self._early = self._early or [], None
        for params in early:
            self.follow_update(state, params)

    def report_failure(self, carrier: Model) -> None:
        """Report the failure, meant for JetBrains AIR, in the `_meta` of an update or a result, if
        any.
        """
        failure = read_failure(carrier.meta)
        if failure is not None and failure != self._failures.get(failure.id):
            self._failures[failure.id] = failure
            words = "\n".join(filter(None, (failure.title, failure.explanation)))
            self._notify(f"agent: {known_severity(failure.severity)}: {one_line(words)}")

    def end_message(self) -> None:
        """End the message's last line; report the updates of sessions that were never opened."""
        self._printer.end_line()
        early, self._early = self._early or [], None
        for params in early:
            self._report_other_session(params)

    def _follow_subagent(self, state: State, child: Session, update: Update) -> None:
        """Report a subagent's tool calls and condition, but not its messages, which aren't part of
        the answer.
        """
        match update:
            case ToolCallUpdate():
                self._report_call(state, child.session_id, update.tool_call_id)
            case SubagentUpdate(session_id=session_id):
                self._report_subagent(state, session_id)
        self._report_subagent(state, child.session_id)

    def _report_subagent(self, state: State, session_id: str) -> None:
        """Report a subagent's changed condition; once it is done, with its last message."""
        child = state.sessions.get(session_id)
        if child is None or child.subagent is None:
            return
        condition = condition_of(state, child)
        if self._conditions.get(session_id) is condition:
            return
        self._conditions[session_id] = condition
        words = "" if is_at_work(state, child) else last_words_of(child)
        name = subagent_name(state, session_id)
        self._notify(f"subagent {name}: {condition}" + (f": {words}" if words else ""))

    def _print_update(self, state: State, session: Session, params: SessionNotification) -> None:
        match params.update:
            case AgentMessageChunk(content=TextContent(text=text), message_id=message_id):
                self._begin_message(len(session.entries))
                self._printer.print_text(text)
                self._messages.piece(session, message_id, text)
            case AgentMessageChunk(content=content):
                self._notify(describe_block(content))
            case ToolCallUpdate() as update:
                self._report_call(state, params.session_id, update.tool_call_id)
            case Plan() | PlanUpdate() | PlanRemoved():
                done = sum(entry.status == "completed" for entry in session.plan.steps)
                self._notify(
                    f"plan: {done} of {len(session.plan.steps)} done"
                    if session.plan.steps
                    else "plan cleared"
                )
            case SubagentUpdate(session_id=session_id):
                self._report_subagent(state, session_id)
            case CompactionUpdate(status=status, error=error):
                self._notify(f"compaction: {status}" + (f": {error}" if error else ""))
            case UnknownUpdate(session_update=kind):
                self._notify(f"not read: session/update of an unknown kind: {kind}")
            case Notice() as notice:
                words = "\n".join(filter(None, (notice.title, notice.description)))
                self._notify(f"agent: {known_severity(notice.severity)}: {one_line(words)}")
            case update if update.session_update == WHOLE_MESSAGE:
                self._print_rest(session, update.wire()["messageId"])

    def _report_for_air(
        self, session: Session, update: AsyncTaskUpdate | SessionInfoUpdate
    ) -> None:
        """Report a background task that begins or ends, a failure, or a changed goal: JetBrains AIR
        gets these as extensions of ACP.
        """
        if isinstance(update, AsyncTaskUpdate):
            if not update.session_update.endswith("async_task_progress"):
                task = session.tasks[update.async_task_id]
                words = task.title + (f": {task.details}" if task.details else "")
                self._notify(f"agent: {one_line(words)}")
            return
        self.report_failure(update)
        goal, before = session.goal, self._goals.get(session.session_id)
        if goal is not None and goal != before:
            words = "\n".join(filter(None, (goal.words, goal.details)))
            self._notify(f"agent: {one_line(words)}")
        elif goal is None and before is not None:
            self._notify(f"agent: goal over: {one_line(before.objective)}")
        self._goals[session.session_id] = goal

    def _print_rest(self, session: Session, message_id: str) -> None:
        """Print the part of a message that wasn't printed yet, or all of it if the agent replaced
        its text.
        """
        text, changed = self._messages.rest(session, message_id)
        if changed:
            self._notify("the agent changed what it said:")
        if text:
            self._begin_message(len(session.entries))
            self._printer.print_text(text)

    def _report_other_session(self, params: SessionNotification) -> None:
        """Report an update of a session that was never opened, on stderr: it isn't part of the
        answer.
        """
        update = params.update
        content = update.content if isinstance(update, AgentMessageChunk) else None
        words = content.text if isinstance(content, TextContent) else update.session_update
        self._notify(f"of another session ({params.session_id}): {words}")

    def _report_call(self, state: State, session_id: str, tool_call_id: str) -> None:
        entry = state.session(session_id).tool_call(tool_call_id)
        if entry is None:
            return
        self._warn_of_changes(entry)
        if self._statuses.get((session_id, entry.key)) != entry.status:
            self._statuses[session_id, entry.key] = entry.status
            words = f"{entry.kind}: {call_headline(entry)} ({entry.status}){failure_reason(state, entry)}"
            self._notify(subagent_prefix(state, session_id) + words)

    def _warn_of_changes(self, entry: ToolCallEntry) -> None:
        """Warn once about each change to a call that was already allowed."""
        for at, changed in entry.consent.changed_since.items():
            allowed = summary_line(entry.consent.allowed[at])
            words = f"the agent has changed what was allowed ({allowed}): {changed}"
            if words not in self._warned:
                self._warned.add(words)
                self._notify(f"acp-tui: ⚠ {words}")

    def _begin_message(self, entries: int) -> None:
        """End the line if a new message begins; `entries` is the number of entries in the
        transcript with it.
        """
        if entries != self._entries:
            self._printer.end_line()
        self._entries = entries


class PrintedMessages:
    """Tracks the printed text of each message that has an id."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def piece(self, session: Session, message_id: str | None, text: str) -> None:
        """Record that a piece of a message was printed."""
        if message_id is not None and (Role.AGENT, message_id) in session.indexes.message_ids:
            self._texts[message_id] = self._texts.get(message_id, "") + text

    def rest(self, session: Session, message_id: str) -> tuple[str, bool]:
        """Return the unprinted text of a message, and whether the agent changed the printed part."""
        entry = session.entries[session.indexes.message_ids[Role.AGENT, message_id]]
        assert isinstance(entry, MessageEntry)
        before, now = self._texts.get(message_id, ""), entry.text
        self._texts[message_id] = now
        changed = not now.startswith(before)
        return (now if changed else now[len(before) :]), changed


def _is_history(session: Session, update: Update) -> bool:
    """Return whether an update replays history after the response to the load, as some agents do.

    Before the first prompt of this run, a user message can only come from a replay.
    """
    prompted = any(map(is_prompt, session.entries))
    return bool(session.opening.method) and prompted and not isinstance(update, Notice)


def subagent_prefix(state: State, session_id: str) -> str:
    """Return the prefix of a line about a subagent; "" for any other session."""
    name = subagent_name(state, session_id)
    return f"subagent {name}: " if name else ""
