"""The params of `session/update`, in all kinds of version 1 (ACP: Prompt Turn, Tool Calls, Plan)."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import AliasChoices, Field

from acp_tui.protocol.air import AsyncTaskUpdate
from acp_tui.protocol.config_options import SessionConfigOption
from acp_tui.protocol.content import ContentBlock, ShownContent, ToolCallContent
from acp_tui.protocol.model import (
    DefaultOnError,
    Items,
    Listed,
    Model,
    OpenDiscriminator,
    Salvaged,
    literal_values,
)

ToolKind = Literal[
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"
]
ToolCallStatus = Literal["pending", "in_progress", "completed", "failed"]
PlanPriority = Literal["high", "medium", "low"]
PlanStatus = Literal["pending", "in_progress", "completed"]


class Chunk(Model):
    """A piece of a message; chunks with the same `message_id` form one message."""

    content: ContentBlock
    message_id: Salvaged[str] = None


class UserMessageChunk(Chunk):
    session_update: Literal["user_message_chunk"] = "user_message_chunk"


class AgentMessageChunk(Chunk):
    session_update: Literal["agent_message_chunk"] = "agent_message_chunk"


class AgentThoughtChunk(Chunk):
    session_update: Literal["agent_thought_chunk"] = "agent_thought_chunk"


class ToolCallLocation(Model):
    """A file that a tool call works on; `line` counts from 1."""

    path: str
    line: Salvaged[int] = None


class ToolCallUpdate(Model):
    """A change of a tool call; a missing or null field means no change."""

    session_update: Literal["tool_call_update", "tool_call"] = "tool_call_update"
    tool_call_id: str
    title: Salvaged[str] = None
    name: Salvaged[str] = None
    kind: Salvaged[ToolKind] = None
    status: Salvaged[ToolCallStatus] = None
    content: Salvaged[Items[ToolCallContent]] = None
    locations: Salvaged[Items[ToolCallLocation]] = None
    raw_input: Any = None
    raw_output: Any = None

    @property
    def shown(self) -> Sequence[ShownContent] | None:
        """The content to show; None if the update has none."""
        return self.content


class ToolCall(ToolCallUpdate):
    """A new tool call; some agents send no title."""

    session_update: Literal["tool_call"] = "tool_call"


class PlanEntry(Model):
    content: str
    priority: Annotated[PlanPriority, DefaultOnError("medium")] = "medium"
    status: Annotated[PlanStatus, DefaultOnError("pending")] = "pending"


class Plan(Model):
    """The whole plan; it replaces the previous one."""

    session_update: Literal["plan"] = "plan"
    entries: Listed[PlanEntry]


class PlanContent(Model):
    """One of several plans: `entries` of type "items", a "markdown" text, or a "file" at a URI."""

    type: str
    plan_id: str
    entries: Salvaged[Items[PlanEntry]] = None
    content: Salvaged[str] = None
    uri: Salvaged[str] = None

    @property
    def words(self) -> str | None:
        """The content of a plan that isn't a list of steps: its text, or its URI."""
        return self.content or self.uri


class PlanUpdate(Model):
    """The whole plan with this id (unstable)."""

    session_update: Literal["plan_update"] = "plan_update"
    plan: PlanContent


class PlanRemoved(Model):
    """The plan with this id was removed (unstable)."""

    session_update: Literal["plan_removed"] = "plan_removed"
    plan_id: str


class CommandInput(Model):
    hint: str


class AvailableCommand(Model):
    """A slash command of the agent."""

    name: str
    description: str = ""
    input: Salvaged[CommandInput] = None

    @property
    def is_skill(self) -> bool:
        """Whether the command is a skill, which a prompt invokes by a content block (version 2)."""
        return False


class AvailableCommandsUpdate(Model):
    session_update: Literal["available_commands_update"] = "available_commands_update"
    available_commands: Listed[AvailableCommand]


class CurrentModeUpdate(Model):
    """The agent changed its mode; the documentation spells the field `modeId`."""

    session_update: Literal["current_mode_update"] = "current_mode_update"
    current_mode_id: str = Field(validation_alias=AliasChoices("currentModeId", "modeId"))


class ConfigOptionUpdate(Model):
    session_update: Literal["config_option_update"] = "config_option_update"
    config_options: Listed[SessionConfigOption]


class SessionInfoUpdate(Model):
    """A change of the session's information: null clears a field, a missing field is unchanged."""

    session_update: Literal["session_info_update"] = "session_info_update"
    title: Salvaged[str] = None
    updated_at: Salvaged[str] = None


class Cost(Model):
    amount: float
    currency: str


class UsageUpdate(Model):
    """The number of tokens in the context: `used` of `size`."""

    session_update: Literal["usage_update"] = "usage_update"
    used: int
    size: int
    cost: Salvaged[Cost] = None


class Notice(Model):
    session_update: Literal["notice"] = "notice"
    severity: str
    title: str
    description: Salvaged[str] = None


class CompactionUpdate(Model):
    """The state of a compaction: null clears a field, a missing field is unchanged."""

    session_update: Literal["compaction_update"] = "compaction_update"
    compaction_id: str
    status: str
    summary: Salvaged[Items[ContentBlock]] = None
    error: Salvaged[str] = None


class CompactionSummaryChunk(Model):
    session_update: Literal["compaction_summary_chunk"] = "compaction_summary_chunk"
    compaction_id: str
    content: ContentBlock


class ErrorDetails(Model):
    """A JSON-RPC error object, as the idle state has it."""

    code: int
    message: str
    data: Any = None


class SubagentState(Model):
    """A subagent's activity: "running", "idle", "requires_action", "unknown", or a newer value.

    Only an idle state has a `stop_reason`, which may be a newer value too, and a `usage`; an
    `error` goes with the reason "error".
    """

    state: str
    stop_reason: Salvaged[str] = None
    usage: Salvaged[dict[str, Any]] = None
    error: Salvaged[ErrorDetails] = None


class SubagentUpdate(Model):
    """A session that the agent opened for a subagent; null clears, a missing field is unchanged."""

    session_update: Literal["subagent_update"] = "subagent_update"
    session_id: str
    title: Salvaged[str] = None
    description: Salvaged[str] = None
    capabilities: Salvaged[dict[str, Any]] = None
    state: Salvaged[SubagentState] = None


class SessionMessage(Model):
    """A message from one session to another; null clears a field, a missing one is unchanged."""

    session_update: Literal["session_message"] = "session_message"
    message_id: str
    sender_session_id: Salvaged[str] = None
    recipient_session_id: Salvaged[str] = None
    content: Salvaged[Items[ContentBlock]] = None


class SessionMessageChunk(Model):
    """A piece of a message between sessions."""

    session_update: Literal["session_message_chunk"] = "session_message_chunk"
    message_id: str
    content: ContentBlock


class PromptSuggestion(Model):
    """A prompt that the agent suggests to send next."""

    prompt: Listed[ContentBlock]


class PromptSuggestionsUpdate(Model):
    """Suggested next prompts, which replace earlier ones, even by none. Newer than the schema."""

    session_update: Literal["prompt_suggestions_update"] = "prompt_suggestions_update"
    suggestions: Listed[PromptSuggestion]


class CursorAnchor(Model):
    """The position of a cursor: "before" or "after" a message, tool call or compaction."""

    type: str
    position: str
    message_id: Salvaged[str] = None
    tool_call_id: Salvaged[str] = None
    compaction_id: Salvaged[str] = None


class CursorUpdate(Model):
    """A position in the conversation, and what the agent offers there now.

    Only the first update needs the anchor. Null `capabilities` clear the previous ones; missing
    ones change nothing. Newer than the schema.
    """

    session_update: Literal["cursor_update"] = "cursor_update"
    cursor_id: str
    anchor: Salvaged[CursorAnchor] = None
    capabilities: Salvaged[dict[str, Any]] = None


class UnknownUpdate(Model):
    """An update of a kind that this client doesn't know; its fields are kept."""

    session_update: str


KnownUpdate = (
    UserMessageChunk
    | AgentMessageChunk
    | AgentThoughtChunk
    | ToolCall
    | ToolCallUpdate
    | Plan
    | PlanUpdate
    | PlanRemoved
    | AvailableCommandsUpdate
    | CurrentModeUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | Notice
    | CompactionUpdate
    | CompactionSummaryChunk
    | SubagentUpdate
    | SessionMessage
    | SessionMessageChunk
    | PromptSuggestionsUpdate
    | CursorUpdate
    | AsyncTaskUpdate
)
Update = KnownUpdate | UnknownUpdate

KINDS = {
    kind for update in get_args(KnownUpdate) for kind in literal_values(update, "session_update")
}


class SessionNotification(Model):
    """The params of `session/update`."""

    session_id: str
    update: Annotated[Update, OpenDiscriminator("session_update")]
