"""The state of one connection: the agent's process, its sessions, and open questions."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from acp_tui.config.known_agents import name_of_command
from acp_tui.policy.rules import Rule, RuleScope
from acp_tui.protocol.air import AsyncTaskUpdate, Goal
from acp_tui.protocol.dialects import dialect_of
from acp_tui.protocol.elicitation import Form
from acp_tui.protocol.events import (
    AccessAsked,
    Disconnected,
    ProcessExited,
    QuirkHelped,
    Requested,
    RestartPlanned,
    SourceChanged,
    TrustAsked,
)
from acp_tui.protocol.jsonrpc import Error, Id
from acp_tui.protocol.requests import PermissionOption
from acp_tui.protocol.setup import (
    AgentCapabilities,
    AuthMethod,
    InitializeResult,
    PromptParams,
    SelectConfigOption,
    SessionConfigOption,
    SessionInfo,
    SessionModelState,
    SessionModeState,
    SystemPrompt,
)
from acp_tui.protocol.unstable import AuthStatus, Provider
from acp_tui.protocol.updates import AvailableCommand, Cost, PlanContent, PlanEntry, ToolCallUpdate
from acp_tui.state.entries import CallKey, Entry, MessageEntry, NoticeEntry, Role, ToolCallEntry
from acp_tui.state.interception import HeldFrames

if TYPE_CHECKING:
    from acp_tui.protocol.quota import QuotaWindow

STDERR_LINES = 500
"""The agent's newest stderr lines that are stored."""
NOISE_LINES = 4
"""Lines that aren't messages, stored in addition to the last one while the agent starts."""


class Phase(StrEnum):
    """The phase of the connection."""

    STARTING = "starting"
    INITIALIZING = "initializing"
    SIGN_IN = "sign-in"
    NO_SESSION = "no session"
    CONNECTED = "connected"
    FAILED = "failed"
    EXITED = "exited"


@dataclass(slots=True)
class SignIn:
    """A sign-in that the agent requires before it accepts the `blocked` request."""

    blocked: Requested
    error: Error
    methods: list[AuthMethod]
    trying: str | None = None
    failure: Error | None = None


@dataclass(slots=True)
class Peer:
    """The agent: its process or `url`, and what it reported of itself.

    `trouble` is why it can't be used or, while it is connected, why there is no session. Its source
    has `changed` since it started, or it was `restarted_for` a change. It runs in a `place` of its
    own, with what is `served` there; `elsewhere` if its files aren't the client's. While it is
    asked in a protocol version that it may not know, `fallback` is why it will be asked again in
    version 1, or "" while it may still answer. Until a session is open, `noise` is a reason and the
    last stdout line that isn't a message. Its exit may have `cut` a turn. It will `restart`
    automatically, or is `not_restarted` for a reason.
    """

    argv: tuple[str, ...] = ()
    cwd: str = ""
    url: str = ""
    pid: int | None = None
    place: str = ""
    served: str = ""
    elsewhere: bool = False
    started: float | None = None
    initialized: InitializeResult | None = None
    sign_in: SignIn | None = None
    trouble: str | None = None
    fallback: str | None = None
    exit: ProcessExited | Disconnected | None = None
    cut: bool = False
    restart: RestartPlanned | None = None
    restart_requested: bool = False
    """The old process may still be ending: from now on the new one is waited for."""
    not_restarted: str | None = None
    changed: SourceChanged | None = None
    restarted_for: str = ""
    stderr: deque[str] = field(default_factory=lambda: deque(maxlen=STDERR_LINES))
    stdout_closed: bool = False
    noise: tuple[str, str] | None = None
    """A heading that says why, and the last text on stdout that isn't a message."""
    noise_before: deque[str] = field(default_factory=lambda: deque(maxlen=NOISE_LINES))
    """The lines before `noise`: one may name the address at which a person has to sign in."""
    quirks: list[QuirkHelped] = field(default_factory=list)
    waiting: int = 0
    stalled: float | None = None
    unstable: bool = False
    auth_status: AuthStatus | None = None
    providers: list[Provider] | None = None
    unread_providers: int = 0
    offered: Any = None
    """The params of our `initialize`, as sent."""
    hand_ids: set[Id] = field(default_factory=set)
    """The ids of requests that the user wrote by hand."""

    @property
    def gone(self) -> str | None:
        """The reason why no response will ever come; None while one can, if only after a restart."""
        if self.falls_back:
            return None
        if self.exit is not None:
            return self.exit.words
        return "the agent closed its output" if self.stdout_closed else None

    @property
    def falls_back(self) -> bool:
        """Return whether version 1 is tried next if the agent doesn't initialize now."""
        return self.fallback is not None and self.initialized is None

    @property
    def phase(self) -> Phase:
        """The connection's phase, derived from the facts."""
        if self.restart_requested:
            return Phase.STARTING
        if self.falls_back:
            return Phase.INITIALIZING
        if self.exit is not None:
            return Phase.EXITED
        if self.trouble is not None:
            there = self.initialized is not None and self.gone is None
            return Phase.NO_SESSION if there else Phase.FAILED
        if self.started is None:
            return Phase.STARTING
        if self.initialized is None:
            return Phase.INITIALIZING
        return Phase.CONNECTED if self.sign_in is None else Phase.SIGN_IN

    @property
    def name(self) -> str:
        """The agent's display name: as it reports, else by its command or host."""
        info = self.initialized.agent_info if self.initialized else None
        if info is not None:
            return info.title or info.name
        if self.url:
            return self.url.partition("://")[2].partition("/")[0]
        return name_of_command(self.argv) or "agent"

    @property
    def capabilities(self) -> AgentCapabilities:
        """The agent's capabilities; none before it has reported them."""
        return self.initialized.agent_capabilities if self.initialized else AgentCapabilities()

    def refuses_prompt(self, prompt: SystemPrompt) -> str | None:
        """Return why the agent takes no such system prompt, or None if it does."""
        offered = self.capabilities.session_capabilities.system_prompt
        if offered is None:
            return f"{self.name} takes no system prompt: it doesn't offer systemPrompt."
        if prompt.mode == "override" and (offered.mode is None or offered.mode.override is None):
            return (
                f"{self.name} takes a system prompt only in addition to its own (append): it doesn't "
                "offer systemPrompt.mode.override."
            )
        return None

    @property
    def version(self) -> int:
        """The negotiated protocol version, for display only: behavior depends on the dialect."""
        return 1 if self.initialized is None else self.initialized.shape

    def offers(self, call: str) -> bool:
        """Return whether the agent offers a call, under its name in this protocol version."""
        agent = self.initialized
        return agent is not None and dialect_of(self.version).offers(
            agent, call, unstable=self.unstable
        )


@dataclass(slots=True)
class Turn:
    """One prompt and everything until its response.

    `asked` is the time since which a question waits for the user; `waited` the seconds of earlier
    waits. An agent that reports its own state has `accepted` the prompt before it works, and was
    `seen_running` afterward; a user message that came first is assigned to the prompt until the
    prompt's id is known (`provisional`). `over_limit` is the limit that canceled it.
    """

    request: Requested
    prompt: MessageEntry
    cancelled: float | None = None
    echo: str = ""
    accepted: bool = False
    seen_running: bool = False
    provisional: str | None = None
    is_retry: bool = False
    """Whether this turn resends a prompt whose answer was lost with the connection."""
    asked: float | None = None
    waited: float = 0.0
    over_limit: str | None = None

    @property
    def started(self) -> float:
        return self.request.at

    def worked(self, now: float) -> float:
        """Return the seconds that the agent has worked, without waiting for the user."""
        asked = now - self.asked if self.asked is not None else 0.0
        return now - self.started - self.waited - asked


@dataclass(frozen=True, slots=True)
class UnansweredPrompt:
    """A prompt whose answer was lost with the connection, and which is safe to resend."""

    params: PromptParams
    entry: MessageEntry


@dataclass(slots=True)
class FileWrite:
    """A file that the agent wrote through the client; `number` is the frame of its request.

    A text is None if there is none, or it isn't stored; `kept` if it can be undone, `changed` if an
    undo was refused since the file was changed afterward. `by_person` if the user reverted
    something.
    """

    number: int
    at: float
    path: str
    created: bool
    old_text: str | None
    text: str | None
    kept: bool
    undone: bool = False
    changed: bool = False
    by_person: bool = False


@dataclass(slots=True)
class QuestionAnswer:
    """An answer: whether it allowed a tool call, as it was when asked, or a write to `path`."""

    at: float
    allowed: bool
    call: ToolCallEntry | None = None
    path: str = ""


@dataclass(slots=True)
class Permission:
    """A question that waits for the user.

    `number` is the frame of the request and identifies it. The agent asks about a `tool_call`; the
    client itself asks about file `access`, or a command. The files `changed` differ from what the
    agent knows. `rule` is why it is asked, or decided without asking: `ruled` is how. `holds` is
    the tool call that waits for the answer, `call` the one that is asked about, `told` a copy of
    that as it was when asked, `announced` a copy before that. `in_view` is what the answering user
    saw, `screen` where it is being answered, `by` what answers in place of a person. A question may
    have a `title` and a `description` of its own, and name a `terminal`. Unless it `names_call`, it
    is about no tool call of the session's; unless it is `known`, its subject is of an unknown kind.
    """

    number: int
    session_id: str
    at: float
    options: list[PermissionOption]
    tool_call: ToolCallUpdate | None = None
    title: str = ""
    description: str = ""
    names_call: bool = True
    known: bool = True
    access: AccessAsked | None = None
    changed: list[str] = field(default_factory=list)
    rule: str = ""
    ruled: str = ""
    holds: CallKey | None = None
    call: CallKey | None = None
    told: ToolCallEntry | None = None
    announced: ToolCallEntry | None = None
    in_view: tuple[tuple[str, str], ...] = ()
    screen: str = ""
    by: str = ""
    terminal: str = ""

    def alike(self, option_id: str | None) -> list[PermissionOption]:
        """Return the options with this id: one, unless the agent reused it."""
        return [option for option in self.options if option.option_id == option_id]

    @property
    def rejection(self) -> str | None:
        """The id of an option that rejects once and means nothing else, or None."""
        for option in self.options:
            if all(one.kind == "reject_once" for one in self.alike(option.option_id)):
                return option.option_id
        return None


@dataclass(frozen=True, slots=True)
class PendingElicitation:
    """A question that waits for the user: a `form` to fill in, or a `url` to open.

    `number` is the frame of the request and identifies it. It belongs to a session (and perhaps a
    tool call) or to a request of ours (`request_id`), such as `authenticate`. The tool call that it
    `holds` waits for the answer, which is being given on a `screen`.
    """

    number: int
    at: float
    message: str
    session_id: str | None = None
    tool_call_id: str | None = None
    request_id: Any = None
    form: Form | None = None
    url: str | None = None
    elicitation_id: str | None = None
    holds: CallKey | None = None
    screen: str = ""


@dataclass(slots=True)
class SessionOffer:
    """The options that a new session in `cwd` may begin with, with their default values."""

    cwd: str
    options: list[SessionConfigOption]


@dataclass(slots=True)
class Catalogue:
    """The agent's session list; `answered` once listed. `statuses` are which it has in memory; `offer` is
    the newest answer about the options of sessions to come.
    """

    sessions: dict[str, SessionInfo] = field(default_factory=dict)
    statuses: dict[str, str] = field(default_factory=dict)
    asked: bool = False
    answered: bool = False
    loading: bool = False
    next_cursor: str | None = None
    cursors: list[str] = field(default_factory=list)
    offer: SessionOffer | None = None


@dataclass(frozen=True, slots=True)
class Background:
    """Background work of a session: a "terminal", a "tool_call", a "subagent", or an unknown kind
    without an `id`.
    """

    kind: str
    id: str = ""


@dataclass(slots=True)
class Subagent:
    """A session's relation to its `parent`, which alone communicates with it.

    `state` is the last one reported, None if the agent doesn't report it; `began` and `ended` are the
    times of the newest work. `stop_reason`, `error` and `usage` are those of the last idle state.
    """

    parent: str
    description: str | None = None
    state: str | None = None
    stop_reason: str | None = None
    error: str | None = None
    usage: dict[str, Any] | None = None
    began: float | None = None
    ended: float | None = None
    can_cancel: bool = False
    canceled: float | None = None
    """The time at which the client canceled its newest work."""


@dataclass(slots=True)
class Session:
    """One conversation; `opened` once the agent has confirmed its id.

    During a load, `loading` is the frame of our request, and `before` the session that it replaces.
    A session `lost` with its process stays on screen: what the agent replays of it goes into
    `replay`. A new session may take over an old transcript, which it `continues`. Until the next
    prompt, `opened_by` is the method that opened an earlier session. Questions in `evaluating` are
    with the rules and not shown yet.

    For an agent that reports its own state, `activity` is that state, `active` the time since which
    it works unprompted, `stop_reason` the last one reported, and `background` its background work;
    None if not reported.

    `tool_calls`, `messages`, `message_ids`, `compactions`, `terminals`, `notices` and `subagents` map
    ids to indexes in `entries`; an id in `messages` may be reused in the next turn. `earlier_calls` are
    those whose id was reused. `turn_index` is where the newest turn began, or ended.
    `split_message` is the index of the message that chunks without ids still continue, valid for
    that number of entries. `lost_lines` counts the lines of each notice of lost messages, by its key.
    """

    session_id: str
    cwd: str = ""
    additional_directories: list[str] = field(default_factory=list)
    system_prompt: SystemPrompt | None = None
    initial_values: frozenset[str] = frozenset()
    """The ids of config options whose values were given when the session was opened."""
    opened: bool = False
    closed: bool = False
    loading: int | None = None
    before: "Session | None" = None
    replay: "Session | None" = None
    opened_by: str = ""
    reopened: float | None = None
    """The time at which an earlier run's session was opened in this one; None if it began here."""
    title: str | None = None
    updated_at: str | None = None
    entries: list[Entry] = field(default_factory=list)
    tool_calls: dict[str, int] = field(default_factory=dict)
    earlier_calls: dict[CallKey, int] = field(default_factory=dict)
    turn_index: int = 0
    split_message: tuple[int, int] | None = None
    messages: dict[tuple[Role, str], int] = field(default_factory=dict)
    compactions: dict[str, int] = field(default_factory=dict)
    terminals: dict[str, int] = field(default_factory=dict)
    notices: dict[str, int] = field(default_factory=dict)
    lost_lines: dict[str, int] = field(default_factory=dict)
    subagents: dict[str, int] = field(default_factory=dict)
    subagent: Subagent | None = None
    tasks: dict[str, AsyncTaskUpdate] = field(default_factory=dict)
    """The background tasks that the agent reports to JetBrains AIR, by their ids."""
    goal: Goal | None = None
    plan: list[PlanEntry] = field(default_factory=list)
    plans: dict[str, PlanContent] = field(default_factory=dict)
    plan_index: int | None = None
    plan_turn: int = 0
    commands: list[AvailableCommand] = field(default_factory=list)
    suggested_prompt: str = ""
    """The prompt that the agent expects next, until one is sent."""
    cursors: dict[str, int] = field(default_factory=dict)
    """The index in `entries` that each of the agent's cursors precedes, by the id of the cursor."""
    fork_cursors: set[str] = field(default_factory=set)
    """The ids of cursors at which the agent offers to fork the session now."""
    modes: SessionModeState | None = None
    unasked_mode: str | None = None
    """The id of the current mode if it skips approval and the transcript shows that."""
    config_options: list[SessionConfigOption] | None = None
    unconfirmed: dict[str, str | bool] = field(default_factory=dict)
    """Values that options were set to, if the agent's response doesn't list the new ones."""
    models: SessionModelState | None = None
    used: int | None = None
    size: int | None = None
    cost: Cost | None = None
    model_tokens: dict[str, int] = field(default_factory=dict)
    """Tokens of all turns by model, if the agent reports them."""
    turn: Turn | None = None
    unanswered: UnansweredPrompt | None = None
    """The prompt to resend once the session is resumed."""
    refused: str | None = None
    """The user's limit because of which the newest prompt was not sent."""
    turns: int = 0
    permissions: list[Permission] = field(default_factory=list)
    writes: list[FileWrite] = field(default_factory=list)
    answers: list[QuestionAnswer] = field(default_factory=list)
    evaluating: list[Permission] = field(default_factory=list)
    lost: bool = False
    continues: str | None = None
    message_ids: dict[tuple[Role, str], int] = field(default_factory=dict)
    activity: str | None = None
    active: float | None = None
    stop_reason: str | None = None
    background: list[Background] | None = None

    def tool_call(self, tool_call_id: str) -> ToolCallEntry | None:
        """Return the newest tool call with an id, if any."""
        index = self.tool_calls.get(tool_call_id)
        return None if index is None else self._call_at(index)

    def newest_key(self, tool_call_id: str) -> CallKey:
        """Return the key of the newest tool call with an id."""
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
        newest = self.tool_calls.get(key[0])
        if newest is not None and self._call_at(newest).key == key:
            return newest
        return self.earlier_calls.get(key)

    def calls(self) -> Iterator[tuple[int, ToolCallEntry]]:
        """Yield each tool call with its index in `entries`."""
        for index in (*self.earlier_calls.values(), *self.tool_calls.values()):
            yield index, self._call_at(index)

    def _call_at(self, index: int) -> ToolCallEntry:
        entry = self.entries[index]
        assert isinstance(entry, ToolCallEntry)
        return entry

    def forget_process(self) -> None:
        """Drop what belongs to one process: ids, which the next one may reuse."""
        for places in self._places():
            places.clear()
        self.plan_index = self.replay = self.split_message = None
        self.turn_index = len(self.entries)
        self.plans.clear()
        self.stop()

    def stop(self) -> None:
        """Clear the agent's reported state: it works no more."""
        self.activity = self.active = self.stop_reason = self.background = None

    def prepend_entries(self, entries: list[Entry]) -> None:
        """Insert older entries before this session's own."""
        shift = len(entries)
        self.entries = [*entries, *self.entries]
        self.turn_index += shift
        self.split_message = None
        for places in self._places():
            for key in places:
                places[key] += shift
        if self.plan_index is not None:
            self.plan_index += shift

    def _places(self) -> "tuple[dict[Any, int], ...]":
        return (
            self.tool_calls,
            self.earlier_calls,
            self.messages,
            self.message_ids,
            self.compactions,
            self.terminals,
            self.notices,
            self.subagents,
            self.cursors,
        )

    @property
    def shows_nothing(self) -> bool:
        """Return whether the agent has loaded an earlier session and replayed nothing of it."""
        entries = self.entries if self.replay is None else self.replay.entries
        loaded = self.opened_by == "session/load" and self.loading is None
        return loaded and not any(not isinstance(one, NoticeEntry) for one in entries)

    @property
    def works(self) -> bool:
        """Return whether the agent works in the session, prompted or not."""
        return self.turn is not None or self.active is not None

    def runs_beside(self, id: str) -> bool:
        """Return whether a tool call or a terminal is background work."""
        return any(one.id == id for one in self.background or [])

    @property
    def mode(self) -> str | None:
        """The current mode's display name. A config option for modes replaces `modes`."""
        option = self.option("mode")
        if option is not None:
            return _chosen(option)
        if self.modes is None:
            return None
        names = {mode.id: mode.name for mode in self.modes.available_modes}
        return names.get(self.modes.current_mode_id, self.modes.current_mode_id)

    @property
    def model(self) -> str | None:
        """The current model's display name."""
        option = self.option("model")
        if option is not None:
            return _chosen(option)
        if self.models is None:
            return None
        names = {model.model_id: model.name for model in self.models.available_models}
        return names.get(self.models.current_model_id, self.models.current_model_id)

    def option(self, category: str) -> SelectConfigOption | None:
        """Return the first config option of a category, or the one whose id is its name."""
        options = [one for one in self.config_options or [] if isinstance(one, SelectConfigOption)]
        named = (one for one in options if one.category is None and one.id.lower() == category)
        return next((one for one in options if one.category == category), next(named, None))


def _chosen(option: SelectConfigOption) -> str:
    """Return the name of an option's current value."""
    names = {choice.value: choice.name for choice in option.choices}
    return names.get(option.current_value, option.current_value)


def terminal_key(session_id: str, terminal_id: str) -> str:
    """Return a terminal's key, unique among all sessions."""
    return f"{session_id}/{terminal_id}"


@dataclass(slots=True)
class Terminal:
    """A command that the client runs for the agent, or one that the agent runs (a `display`).

    `parts` is the end of its output. `size`, if reported, is in columns and rows; `named` is the
    agent's id for it, if unique only within its session. A new `version` of the output replaces the
    old. `by_person` if the user ran it.
    """

    terminal_id: str
    session_id: str
    command: str
    args: list[str]
    cwd: str | None
    at: float
    parts: deque[bytes] = field(default_factory=deque)
    held: int = 0
    dropped: int = 0
    exit_code: int | None = None
    signal: str | None = None
    ended: float | None = None
    display: bool = False
    named: str = ""
    size: tuple[int, int] | None = None
    can_cancel: bool = False
    asked_to_stop: bool = False
    version: int = 0
    by_person: bool = False

    @property
    def in_meta(self) -> bool:
        """Return whether the terminal comes from a tool call's `_meta`, outside the protocol."""
        return self.display and not self.named

    @property
    def output(self) -> bytes:
        """The stored output, oldest first."""
        return b"".join(self.parts)


@dataclass(slots=True)
class State:
    """Everything that the view shows, and nothing that could be derived from it.

    `calls` are our pending requests, by frame; `cancelled_calls` are the times at which we canceled
    them. `trust` waits for the user. `awaited` are links that the user opened, by elicitation id,
    and `notices` those that belong to no session. `heard` is the time of the agent's last frame, or
    of its last response from us; it causes no change. `rules` are in force. `holding` are the
    breakpoints, faults and held frames.
    """

    peer: Peer = field(default_factory=Peer)
    sessions: dict[str, Session] = field(default_factory=dict)
    terminals: dict[str, Terminal] = field(default_factory=dict)
    calls: dict[int, Requested] = field(default_factory=dict)
    cancelled_calls: dict[int, float] = field(default_factory=dict)
    catalogue: Catalogue = field(default_factory=Catalogue)
    trust: TrustAsked | None = None
    elicitations: list[PendingElicitation] = field(default_factory=list)
    awaited: dict[str, PendingElicitation] = field(default_factory=dict)
    notices: list[NoticeEntry] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    heard: float | None = None
    began: float | None = None
    """The time of the log's first event: with a session id it identifies a session of several runs."""
    holding: HeldFrames = field(default_factory=HeldFrames)
    quota: "dict[str, QuotaWindow]" = field(default_factory=dict)
    """The usage windows of the agent's plan, as it last reported them."""

    def session(self, session_id: str) -> Session:
        """Return the session with an id; create it if the agent has not confirmed it yet."""
        found = self.sessions.get(session_id)
        if found is None:
            found = self.sessions[session_id] = Session(session_id)
        return found

    def folder_here(self, session: Session) -> str | None:
        """Return the session's folder, or None if the agent's files aren't the client's."""
        return None if self.peer.elsewhere else session.cwd

    def open_sessions(self) -> list[Session]:
        """Return the sessions that can be prompted, oldest first."""
        return [
            one
            for one in self.sessions.values()
            if one.opened and not one.lost and one.subagent is None
        ]

    def elicitation(self, number: int) -> PendingElicitation | None:
        """Return the pending elicitation with this number."""
        return next((one for one in self.elicitations if one.number == number), None)

    def asks(self, session_id: str) -> bool:
        """Return whether a question of this session waits for the user."""
        session = self.sessions.get(session_id)
        return bool(session and session.permissions) or any(
            question.session_id == session_id for question in self.elicitations
        )

    def permission(self, number: int) -> Permission | None:
        """Return the pending question with this number, whether it waits for the user or the rules."""
        for session in self.sessions.values():
            for permission in (*session.permissions, *session.evaluating):
                if permission.number == number:
                    return permission
        return None

    @property
    def allows_all(self) -> bool:
        """Return whether everything is allowed that no rule asks about or rejects."""
        return any(rule.scope is RuleScope.ALL for rule in self.rules)

    def waiting_permissions(self) -> list[Permission]:
        """Return all questions that wait for the user, oldest first."""
        waiting = [one for session in self.sessions.values() for one in session.permissions]
        return sorted(waiting, key=lambda one: one.number)
