"""A session: its turns, entries, settings and open questions."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.air import AsyncTaskUpdate, Goal
from acp_tui.protocol.config_options import (
    SelectConfigOption,
    SessionConfigOption,
    SessionModelState,
    SessionModeState,
)
from acp_tui.protocol.setup import PromptParams, SystemPrompt
from acp_tui.protocol.updates import AvailableCommand, Cost, PlanContent, PlanEntry
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.entries import CallKey, Entry, MessageEntry, NoticeEntry, Role, ToolCallEntry
from acp_tui.state.open_questions import Permission, QuestionAnswer
from acp_tui.state.waiting import WaitingTime


@dataclass(slots=True)
class Turn:
    """One prompt and everything until its response.

    An agent that reports its own state has `accepted` the prompt before it works on it, and was
    `seen_running` afterward. A user message that arrives before the prompt's id is known is
    assigned to the prompt `provisional`ly. `over_limit` is the limit that made the client cancel
    the turn.
    """

    request: Requested
    prompt: MessageEntry
    cancelled: float | None = None
    echo: str = ""
    accepted: bool = False
    seen_running: bool = False
    provisional: str | None = None
    is_retry: bool = False
    """Whether this turn resends a prompt whose response was lost with the connection."""
    waiting: WaitingTime = field(default_factory=WaitingTime)
    over_limit: str | None = None

    @property
    def started(self) -> float:
        return self.request.at

    def worked(self, now: float) -> float:
        """Return the seconds that the agent has worked, without waiting for the user."""
        return now - self.started - self.waiting.until(now)


@dataclass(frozen=True, slots=True)
class UnansweredPrompt:
    """A prompt whose response was lost with the connection, and which is safe to resend."""

    params: PromptParams
    entry: MessageEntry


@dataclass(slots=True)
class FileWrite:
    """A file that the agent wrote through the client; `number` is the frame of its request.

    A text is None if the file didn't exist, or the text isn't stored. `has_backup` if the write can
    be undone, `changed` if an undo was refused because the file was changed afterward. `by_person`
    if the user reverted something.
    """

    number: int
    at: float
    path: str
    created: bool
    old_text: str | None
    text: str | None
    has_backup: bool
    undone: bool = False
    changed: bool = False
    by_person: bool = False


@dataclass(frozen=True, slots=True)
class Background:
    """Background work of a session: a "terminal", a "tool_call", a "subagent", or an unknown kind,
    which has no `id` but perhaps a `name`.
    """

    kind: str
    id: str = ""
    name: str = ""


@dataclass(slots=True)
class Subagent:
    """A session's relation to its `parent`, the only session that communicates with it.

    `state` is the last reported one, None if the agent reports none; `began` and `ended` are the
    times at which its newest work was reported. `stop_reason`, `error` and `usage` are those of the
    last idle state.
    """

    parent: str
    description: str | None = None
    state: str | None = None
    stop_reason: str | None = None
    error: str | None = None
    usage: dict[str, Any] | None = None
    began: float | None = None
    ended: float | None = None
    timed: bool = True
    """Whether it really worked at these times; a replay shows work that was done earlier."""
    can_cancel: bool = False
    canceled: float | None = None
    """The time at which the client canceled its newest work."""


@dataclass(slots=True)
class EntryIndexes:
    """Indexes into a session's `entries` by id: of its messages, tool calls and so on.

    An id in `messages` may be reused in the next turn. `earlier_calls` has the tool calls whose id
    was reused. An index in `cursors` is that of the entry after the cursor.
    """

    messages: dict[tuple[Role, str], int] = field(default_factory=dict)
    message_ids: dict[tuple[Role, str], int] = field(default_factory=dict)
    tool_calls: dict[str, int] = field(default_factory=dict)
    earlier_calls: dict[CallKey, int] = field(default_factory=dict)
    compactions: dict[str, int] = field(default_factory=dict)
    terminals: dict[str, int] = field(default_factory=dict)
    notices: dict[str, int] = field(default_factory=dict)
    subagents: dict[str, int] = field(default_factory=dict)
    cursors: dict[str, int] = field(default_factory=dict)

    def clear(self) -> None:
        """Remove all ids."""
        for indexes in self._all():
            indexes.clear()

    def shift(self, by: int) -> None:
        """Add `by` to all indexes, after entries were inserted before the others."""
        for indexes in self._all():
            for key in indexes:
                indexes[key] += by

    def _all(self) -> "tuple[dict[Any, int], ...]":
        return (
            self.messages,
            self.message_ids,
            self.tool_calls,
            self.earlier_calls,
            self.compactions,
            self.terminals,
            self.notices,
            self.subagents,
            self.cursors,
        )


@dataclass(slots=True)
class SessionOpening:
    """How a session was opened, and what it continues.

    `method` is the method that reopened an earlier session; "" for a new one, and after the next
    prompt. During a load, `loading` is the frame of our request, and `before` the session that it
    replaces. If the session is already on screen, its replayed entries go into `replay`. A new
    session may take over the transcript of an old one, which it `continues`.
    """

    method: str = ""
    reopened: float | None = None
    """When a session of an earlier run was opened in this one; None if it began in this one."""
    loading: int | None = None
    before: "Session | None" = None
    replay: "Session | None" = None
    continues: str | None = None


@dataclass(slots=True)
class SessionConfig:
    """The modes, models and config options of a session, and their current values."""

    modes: SessionModeState | None = None
    models: SessionModelState | None = None
    options: list[SessionConfigOption] | None = None
    unconfirmed: dict[str, str | bool] = field(default_factory=dict)
    """Values that were set, until a response or an update confirms them."""
    initial_values: frozenset[str] = frozenset()
    """The ids of options that were set when the session was opened."""
    unasked_mode: str | None = None
    """The id of the current mode, if it skips approval and the transcript says so."""

    @property
    def mode(self) -> str | None:
        """The current mode's display name. A config option for modes takes precedence over `modes`."""
        option = self.option("mode")
        if option is not None:
            return _name_of_value(option)
        if self.modes is None:
            return None
        names = {mode.id: mode.name for mode in self.modes.available_modes}
        return names.get(self.modes.current_mode_id, self.modes.current_mode_id)

    @property
    def model(self) -> str | None:
        """The current model's display name."""
        option = self.option("model")
        if option is not None:
            return _name_of_value(option)
        if self.models is None:
            return None
        names = {model.model_id: model.name for model in self.models.available_models}
        return names.get(self.models.current_model_id, self.models.current_model_id)

    def option(self, category: str) -> SelectConfigOption | None:
        """Return the first option of a category, or one whose id is the category's name."""
        options = [one for one in self.options or [] if isinstance(one, SelectConfigOption)]
        named = (one for one in options if one.category is None and one.id.lower() == category)
        return next((one for one in options if one.category == category), next(named, None))


def _name_of_value(option: SelectConfigOption) -> str:
    names = {choice.value: choice.name for choice in option.choices}
    return names.get(option.current_value, option.current_value)


@dataclass(slots=True)
class SessionUsage:
    """The tokens `used` of the context's `size`, and the cost, as last reported by the agent."""

    used: int | None = None
    size: int | None = None
    cost: Cost | None = None
    model_tokens: dict[str, int] = field(default_factory=dict)
    """Total tokens of all turns by model, if the agent reports them."""


@dataclass(slots=True)
class ReportedActivity:
    """The activity that the agent itself reports, as in version 2.

    `active` is the time at which it began to work without a prompt.
    """

    activity: str | None = None
    active: float | None = None
    stop_reason: str | None = None
    background: list[Background] | None = None

    @property
    def is_at_work(self) -> bool:
        """Whether the agent reports that it is working."""
        return self.activity not in (None, "idle")


@dataclass(slots=True)
class SessionPlan:
    """A session's plan: the `steps` of all its parts."""

    steps: list[PlanEntry] = field(default_factory=list)
    parts: dict[str, PlanContent] = field(default_factory=dict)
    """Plans by id, from `plan_update` (version 2, and unstable in version 1)."""
    snapshot: int | None = None
    """The index of the transcript entry that shows the plan."""
    turn: int = 0
    """The number of the turn in which that entry was added."""


@dataclass(slots=True)
class Session:
    """One conversation; `opened` once the agent has confirmed its id."""

    # Identity and opening
    session_id: str
    cwd: str = ""
    additional_directories: list[str] = field(default_factory=list)
    system_prompt: SystemPrompt | None = None
    opened: bool = False
    closed: bool = False
    lost: bool = False
    """Whether the agent's process has ended; the session stays on screen."""
    opening: SessionOpening = field(default_factory=SessionOpening)

    # Reported by the agent
    title: str | None = None
    updated_at: str | None = None
    config: SessionConfig = field(default_factory=SessionConfig)
    usage: SessionUsage = field(default_factory=SessionUsage)
    reported: ReportedActivity = field(default_factory=ReportedActivity)
    plan: SessionPlan = field(default_factory=SessionPlan)
    commands: list[AvailableCommand] = field(default_factory=list)
    suggested_prompt: str = ""
    """The prompt that the agent suggests next; cleared when a prompt is sent."""
    fork_cursors: set[str] = field(default_factory=set)
    """The ids of cursors at which the agent currently offers to fork the session."""
    subagent: Subagent | None = None
    """Its parent and its state, if this is a subagent's session."""
    tasks: dict[str, AsyncTaskUpdate] = field(default_factory=dict)
    """Background tasks that the agent reports to JetBrains AIR, by id."""
    goal: Goal | None = None
    """The goal that the agent reports to JetBrains AIR."""

    # The transcript
    entries: list[Entry] = field(default_factory=list)
    indexes: EntryIndexes = field(default_factory=EntryIndexes)
    turn_index: int = 0
    """Where the newest turn began, or ended: an index into `entries`."""
    split_message: tuple[int, int] | None = None
    """The index of the message that chunks without ids continue, and the number of entries at that
    time: an entry added later ends the message.
    """
    lost_lines: dict[str, int] = field(default_factory=dict)
    """The number of lines counted in each notice of lost messages, by the notice's key."""

    # Turns
    turn: Turn | None = None
    turns: int = 0
    """Number of turns begun in this run."""
    unanswered: UnansweredPrompt | None = None
    """The prompt to resend once the session is resumed."""
    refused: str | None = None
    """The limit, set by the user, that kept the newest prompt from being sent."""

    # Permissions and file writes
    permissions: list[Permission] = field(default_factory=list)
    """Permission requests that wait for the user."""
    evaluating: list[Permission] = field(default_factory=list)
    """Permission requests that the rules haven't decided yet; they aren't shown."""
    answers: list[QuestionAnswer] = field(default_factory=list)
    writes: list[FileWrite] = field(default_factory=list)

    def tool_call(self, tool_call_id: str) -> ToolCallEntry | None:
        """Return the newest tool call with this id, if any."""
        index = self.indexes.tool_calls.get(tool_call_id)
        return None if index is None else self._call_at(index)

    def newest_key(self, tool_call_id: str) -> CallKey:
        """Return the key of the newest tool call with this id."""
        call = self.tool_call(tool_call_id)
        return (tool_call_id, 0) if call is None else call.key

    def call_of(self, key: CallKey | None) -> ToolCallEntry | None:
        """Return a tool call by its key, even after its id was reused."""
        index = self.call_index(key)
        return None if index is None else self._call_at(index)

    def call_index(self, key: CallKey | None) -> int | None:
        """Return the index of a tool call in `entries`."""
        if key is None:
            return None
        newest = self.indexes.tool_calls.get(key[0])
        if newest is not None and self._call_at(newest).key == key:
            return newest
        return self.indexes.earlier_calls.get(key)

    def calls(self) -> Iterator[tuple[int, ToolCallEntry]]:
        """Yield each tool call with its index in `entries`."""
        for index in (*self.indexes.earlier_calls.values(), *self.indexes.tool_calls.values()):
            yield index, self._call_at(index)

    def _call_at(self, index: int) -> ToolCallEntry:
        entry = self.entries[index]
        assert isinstance(entry, ToolCallEntry)
        return entry

    def forget_process(self) -> None:
        """Remove all ids and activity of the agent's process: the next process may reuse the ids."""
        self.indexes.clear()
        self.plan.snapshot = self.opening.replay = self.split_message = None
        self.turn_index = len(self.entries)
        self.plan.parts.clear()
        self.stop()

    def stop(self) -> None:
        """Clear the activity that the agent reported, as it has stopped working."""
        self.reported = ReportedActivity()

    def prepend_entries(self, entries: list[Entry]) -> None:
        """Insert older entries before this session's own."""
        shift = len(entries)
        self.entries = [*entries, *self.entries]
        self.turn_index += shift
        self.split_message = None
        self.indexes.shift(shift)
        if self.plan.snapshot is not None:
            self.plan.snapshot += shift

    @property
    def is_replay_empty(self) -> bool:
        """Return whether the agent has loaded an earlier session but replayed none of it."""
        entries = self.entries if self.opening.replay is None else self.opening.replay.entries
        loaded = self.opening.method == "session/load" and self.opening.loading is None
        return loaded and all(isinstance(one, NoticeEntry) for one in entries)

    @property
    def is_without_history(self) -> bool:
        """Return whether the agent has resumed a session of an earlier run, of which nothing is shown."""
        resumed = self.opening.method == "session/resume" and self.opening.loading is None
        earlier = resumed and self.opening.reopened is not None
        return earlier and all(isinstance(one, NoticeEntry) for one in self.entries)

    @property
    def is_working(self) -> bool:
        """Return whether the agent is working in the session, prompted or not."""
        return self.turn is not None or self.reported.active is not None

    def is_in_background(self, id: str) -> bool:
        """Return whether a tool call or a terminal is background work."""
        return any(one.id == id for one in self.reported.background or [])
