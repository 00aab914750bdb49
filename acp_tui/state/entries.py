"""The entries of a transcript: data that grows as updates arrive."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal, TypeGuard, cast, get_args

from acp_tui.protocol.content import Diff, SessionRef, ShownContent, TerminalRef
from acp_tui.protocol.file_events import EditCompared, EditLooked, TurnCompared
from acp_tui.protocol.jsonrpc import Error
from acp_tui.protocol.updates import PlanEntry, ToolCallLocation, ToolKind
from acp_tui.state.blocks import Block, meaning_of, text_of_blocks
from acp_tui.state.waiting import WaitingTime


class Role(StrEnum):
    USER = "user"
    AGENT = "agent"
    THOUGHT = "thought"


@dataclass(slots=True)
class MessageEntry:
    """A user or agent message, or a thought; times are in monotonic seconds.

    A prompt is `ours`; `by_hand` if the user wrote its frame. `sent` are the blocks that the user
    sent, once the agent has replaced them by its own. `chunks` counts the chunks with content of a
    message without an id.
    """

    role: Role
    at: float
    message_id: str | None = None
    blocks: list[Block] = field(default_factory=list)
    ended: float | None = None
    ours: bool = False
    by_hand: bool = False
    sent: list[Block] | None = None
    chunks: int = 0

    @property
    def is_reworded(self) -> bool:
        """Return whether the agent's version of a prompt differs from what the user sent."""
        return self.sent is not None and meaning_of(self.blocks) != meaning_of(self.sent)

    @property
    def own_text(self) -> str:
        """The text of a prompt as sent; of another message, its text."""
        return self.text if self.sent is None else text_of_blocks(self.sent)

    @property
    def text(self) -> str:
        """The text of the message, without its other content."""
        return text_of_blocks(self.blocks)


_KINDS = get_args(ToolKind)
Status = Literal["pending", "in_progress", "paused", "completed", "failed", "cancelled"]
"""A tool call's status in ACP; "cancelled" is also set by the client."""
FINISHED = ("completed", "failed", "cancelled")
"""The statuses of a tool call that is over."""
_SEVERITIES = ("info", "warning", "error")


def known_kind(kind: str | None) -> ToolKind:
    """Return a tool's kind as shown: "other" if unknown."""
    return cast("ToolKind", kind) if kind in _KINDS else "other"


def known_severity(severity: str) -> str:
    """Return the severity of an agent's notice as shown: "notice" if unknown."""
    return severity if severity in _SEVERITIES else "notice"


DiffKey = tuple[str, str | None, str]
"""Identifies a diff: its path and both texts."""


def diff_key(diff: Diff) -> DiffKey:
    """Return the identity of a diff: its path and texts."""
    return diff.path, diff.old_text, diff.new_text


CallKey = tuple[str, int]
"""A tool call's id, and which use of it: agents reuse an id for a later call."""


@dataclass(slots=True)
class EditFacts:
    """The files that a tool call edits, as the client found them.

    `places` are the positions of its diffs, `looks` the checks before the edit, `compared` the
    comparisons after it. `count` grows with each fact.
    """

    count: int = 0
    places: dict[DiffKey, EditLooked] = field(default_factory=dict)
    looks: list[EditLooked] = field(default_factory=list)
    compared: list[EditCompared] = field(default_factory=list)


@dataclass(slots=True)
class ConsentState:
    """The permission requests about a tool call, and their answers.

    `decisions` are the answers, `answered_by` names what gave some of them in place of a person.
    `allowed` are the parts in view at each answer that allows, `changed_since` what the agent changed
    after it. `rulings` are decisions of rules.
    """

    decisions: list[str] = field(default_factory=list)
    answered_by: dict[int, str] = field(default_factory=dict)
    allowed: dict[int, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    changed_since: dict[int, str] = field(default_factory=dict)
    rulings: list[str] = field(default_factory=list)
    waiting: WaitingTime = field(default_factory=WaitingTime)

    def copy(self) -> "ConsentState":
        """Return a copy that later answers don't change."""
        return replace(
            self,
            decisions=[*self.decisions],
            answered_by={**self.answered_by},
            allowed={**self.allowed},
            changed_since={**self.changed_since},
            rulings=[*self.rulings],
            waiting=replace(self.waiting),
        )


@dataclass(slots=True)
class ToolCallEntry:
    """A tool call.

    `use` counts the earlier calls in the session with the same id; `heard` is the time of its last
    update. `edits` are the facts about its files, `new_words` the agent's words for an unknown kind
    or status. `can_cancel` if the agent can stop it alone, `asked_to_stop` once it was asked to.
    """

    tool_call_id: str
    at: float
    title: str = ""
    name: str | None = None
    kind: ToolKind = "other"
    status: Status = "pending"
    content: list[ShownContent] = field(default_factory=list)
    locations: list[ToolCallLocation] = field(default_factory=list)
    raw_input: Any = None
    raw_output: Any = None
    ended: float | None = None
    heard: float = 0.0
    announced: bool = False
    consent: ConsentState = field(default_factory=ConsentState)
    edits: EditFacts | None = None
    new_words: dict[str, str] = field(default_factory=dict)
    can_cancel: bool = False
    asked_to_stop: bool = False
    use: int = 0

    @property
    def key(self) -> CallKey:
        return self.tool_call_id, self.use

    @property
    def finished(self) -> bool:
        return self.status in FINISHED

    @property
    def decided(self) -> bool:
        """Return whether it is too late to reject the call."""
        return self.finished or (
            bool(self.consent.decisions) and not self.consent.waiting.questions
        )

    def frozen_copy(self) -> "ToolCallEntry":
        """Return a copy that later updates don't change."""
        return replace(self, consent=self.consent.copy(), new_words={**self.new_words})

    def shows_terminal(self, terminal_id: str) -> bool:
        """Return whether the call's content has a terminal."""
        shown = (one for one in self.content if isinstance(one, TerminalRef))
        return any(one.terminal_id == terminal_id for one in shown)

    @property
    def linked_sessions(self) -> set[str]:
        """Return the ids of the subagents' sessions that the call's content links to."""
        return {one.session_id for one in self.content if isinstance(one, SessionRef)}

    def worked(self, now: float) -> float:
        """Return the seconds of work until `now`, or the end, without waiting for the user."""
        end = now if self.ended is None else self.ended
        return end - self.at - self.consent.waiting.until(end)


@dataclass(slots=True)
class PlanSnapshot:
    """The plan of one turn: every version of it, the newest last."""

    at: float
    versions: list[list[PlanEntry]]
    ended: float | None = None


@dataclass(slots=True)
class NoticeEntry:
    """A notice of the agent's, or one of `ours`."""

    at: float
    severity: str
    title: str
    description: str | None = None
    ours: bool = False
    ended: float | None = None
    mode: str | None = None
    """The id of the mode or option that skips approval, if the notice is about that."""

    @property
    def attributed_title(self) -> str:
        """The title, with its source: an agent's words must not pass for the client's."""
        if self.ours:
            return self.title
        known = known_severity(self.severity)
        return (
            f"the agent says: {self.title}" if known == "info" else f"agent's {known}: {self.title}"
        )


@dataclass(slots=True)
class CompactionEntry:
    """The agent shortened its context."""

    at: float
    compaction_id: str
    status: str = "in_progress"
    blocks: list[Block] = field(default_factory=list)
    error: str | None = None
    ended: float | None = None


@dataclass(slots=True)
class TerminalEntry:
    """A terminal; shown on its own until a tool call embeds it."""

    at: float
    terminal_id: str
    embedded: bool = False
    ended: float | None = None


@dataclass(slots=True)
class SubagentEntry:
    """The session of a subagent; shown on its own until a tool call links to it."""

    at: float
    session_id: str
    embedded: bool = False
    ended: float | None = None


@dataclass(slots=True)
class TurnEndEntry:
    """The end of a turn: with a stop reason, an error, or because the agent is gone.

    An `unsent` error is not the agent's: the prompt or its response was lost on the way. `waited`
    are the seconds that a question waited for the user. `over_limit` is why the client canceled it.
    It was `canceled` by the client, whatever the agent answered, or ended `silent`, without any
    visible work. `compared` is the result of comparing the folder with what it was before the turn.
    `failure` is why it failed, if the agent reports that in `_meta` only.
    """

    at: float
    started: float
    stop_reason: str | None = None
    error: Error | None = None
    lost: str | None = None
    usage: dict[str, Any] | None = None
    waited: float = 0.0
    unsent: bool = False
    ended: float | None = None
    over_limit: str | None = None
    canceled: bool = False
    silent: bool = False
    compared: TurnCompared | None = None
    failure: str | None = None

    @property
    def worked(self) -> float:
        """Return the seconds that the agent worked, without waiting for the user."""
        return self.at - self.started - self.waited

    @property
    def is_failed(self) -> bool:
        """Return whether the turn ended with an error, was lost, or failed as `_meta` says."""
        return (self.error or self.lost or self.failure) is not None


@dataclass(slots=True)
class RawEntry:
    """An update that is unknown or invalid, shown as it came."""

    at: float
    what: str
    raw: Any
    problem: str | None = None
    ended: float | None = None


Entry = (
    MessageEntry
    | ToolCallEntry
    | PlanSnapshot
    | NoticeEntry
    | CompactionEntry
    | TerminalEntry
    | SubagentEntry
    | TurnEndEntry
    | RawEntry
)


def is_prompt(entry: Entry) -> TypeGuard[MessageEntry]:
    """Return whether an entry is a prompt of the person's."""
    return isinstance(entry, MessageEntry) and entry.role is Role.USER
