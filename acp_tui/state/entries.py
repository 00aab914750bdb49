"""The entries of a transcript: messages, tool calls, plans, notices, turn ends and so on."""

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

    `ours` for a prompt; `by_hand` if the user wrote its frame. `sent` has the blocks that the user
    sent, if the agent has replaced them. `chunks` counts the chunks that had content, for a message
    without an id.
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
        """The text of a prompt as the user sent it; of any other message, its text."""
        return self.text if self.sent is None else text_of_blocks(self.sent)

    @property
    def text(self) -> str:
        """The text of the message, without its other content."""
        return text_of_blocks(self.blocks)


_KINDS = get_args(ToolKind)
Status = Literal["pending", "in_progress", "paused", "completed", "failed", "cancelled"]
"""A tool call's status in ACP; "cancelled" is also set by the client."""
FINISHED = ("completed", "failed", "cancelled")
"""Statuses of a finished tool call."""
_SEVERITIES = ("info", "warning", "error")


def known_kind(kind: str | None) -> ToolKind:
    """Return a tool's kind for display: "other" if unknown."""
    return cast("ToolKind", kind) if kind in _KINDS else "other"


def known_severity(severity: str) -> str:
    """Return the severity of an agent's notice for display: "notice" if unknown."""
    return severity if severity in _SEVERITIES else "notice"


DiffKey = tuple[str, str | None, str]
"""Identifies a diff: its path and both texts."""


def diff_key(diff: Diff) -> DiffKey:
    """Return the path and both texts of a diff, which identify it."""
    return diff.path, diff.old_text, diff.new_text


CallKey = tuple[str, int]
"""A tool call's id, and the number of earlier calls with that id: agents reuse ids."""


@dataclass(slots=True)
class EditFacts:
    """What the client found out about the files that a tool call edits.

    `places` are the positions of its diffs, `observations` the comparisons before the edit,
    `compared` those after it. `count` is the number of facts so far, including replaced ones.
    """

    count: int = 0
    places: dict[DiffKey, EditLooked] = field(default_factory=dict)
    observations: list[EditLooked] = field(default_factory=list)
    compared: list[EditCompared] = field(default_factory=list)


@dataclass(slots=True)
class ConsentState:
    """The permission requests for a tool call, and their answers.

    `decisions` are the answers; `answered_by` names who answered for the user. `allowed` has the
    parts in view at each answer that allowed the call, `changed_since` what the agent changed
    afterward. `rulings` are decisions by rules.
    """

    decisions: list[str] = field(default_factory=list)
    answered_by: dict[int, str] = field(default_factory=dict)
    allowed: dict[int, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    changed_since: dict[int, str] = field(default_factory=dict)
    rulings: list[str] = field(default_factory=list)
    waiting: WaitingTime = field(default_factory=WaitingTime)

    def copy(self) -> "ConsentState":
        """Return a copy that doesn't change with later answers."""
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

    `use` counts the earlier calls in the session with the same id; `updated_at` is the time of the
    last update. `edits` are facts about the files that it edits, `new_words` the agent's words for
    an unknown kind or status. `can_cancel` if the agent can stop this call alone, `stop_requested`
    once the client has requested that.
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
    updated_at: float = 0.0
    announced: bool = False
    consent: ConsentState = field(default_factory=ConsentState)
    edits: EditFacts | None = None
    new_words: dict[str, str] = field(default_factory=dict)
    can_cancel: bool = False
    stop_requested: bool = False
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
        """Return a copy that doesn't change with later updates."""
        return replace(self, consent=self.consent.copy(), new_words={**self.new_words})

    def shows_terminal(self, terminal_id: str) -> bool:
        """Return whether the call's content embeds a terminal."""
        shown = (one for one in self.content if isinstance(one, TerminalRef))
        return any(one.terminal_id == terminal_id for one in shown)

    @property
    def linked_sessions(self) -> set[str]:
        """Return the ids of the subagents' sessions that the call's content links to."""
        return {one.session_id for one in self.content if isinstance(one, SessionRef)}

    def worked(self, now: float) -> float:
        """Return the seconds of work until `now`, or its end, without waiting for the user."""
        end = now if self.ended is None else self.ended
        return end - self.at - self.consent.waiting.until(end)


@dataclass(slots=True)
class PlanSnapshot:
    """The plan of one turn: all its versions, newest last."""

    at: float
    versions: list[list[PlanEntry]]
    ended: float | None = None


@dataclass(slots=True)
class NoticeEntry:
    """A notice from the agent, or from the client (`ours`)."""

    at: float
    severity: str
    title: str
    description: str | None = None
    ours: bool = False
    ended: float | None = None
    mode: str | None = None
    """The id of the mode or option that skips approval, if the notice warns of that."""

    @property
    def attributed_title(self) -> str:
        """The title with its source, so that the agent's words can't pass for the client's."""
        if self.ours:
            return self.title
        known = known_severity(self.severity)
        return (
            f"the agent says: {self.title}" if known == "info" else f"agent's {known}: {self.title}"
        )


@dataclass(slots=True)
class CompactionEntry:
    """A compaction: the agent shortened its context."""

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
    """The end of a turn: with a stop reason, an error, or because the agent's process ended.

    An `unsent` error is not the agent's: the prompt or its response was lost on the way. `waited`
    are the seconds that questions waited for the user. `over_limit` is the limit that made the
    client cancel the turn. `canceled` if the client canceled it, whatever the agent responded;
    `silent` if it ended without any visible work. `compared` is the comparison of the folder with
    its state before the turn. `failure` is the reason of a failure that the agent reports only in
    `_meta`.
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
        """Return the seconds that the agent worked, without the time that it waited for the user."""
        return self.at - self.started - self.waited

    @property
    def is_failed(self) -> bool:
        """Return whether the turn ended with an error, was lost, or failed according to `_meta`."""
        return (self.error or self.lost or self.failure) is not None


@dataclass(slots=True)
class RawEntry:
    """An unknown or invalid update, shown as received."""

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
    """Return whether an entry is the user's prompt."""
    return isinstance(entry, MessageEntry) and entry.role is Role.USER
