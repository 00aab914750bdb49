"""The params of `session/update` in all kinds of version 2, stable and unstable.

A kind with version 1's shape is version 1's class. Where version 2 allows any value that version 1
restricts, such as the status of a tool call, the class is derived from version 1's, with a wider
field.
"""

from binascii import Error as NotBase64
from binascii import a2b_base64
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from acp_tui.protocol import updates as v1
from acp_tui.protocol.air import AsyncTaskUpdate
from acp_tui.protocol.content import ContentBlock, ShownContent
from acp_tui.protocol.jsonrpc import as_json
from acp_tui.protocol.model import BY_TYPE, Items, Model, OpenDiscriminator, Salvaged
from acp_tui.protocol.v2.content import ToolCallContent, content_to_show
from acp_tui.protocol.v2.setup import AvailableCommandV2, SessionConfigOption

T = TypeVar("T")


class _LeftOnError:
    """Ignores a bad value in a patch (`x-deserialize-default-on-error`), so that it clears nothing."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_default_schema(handler(source), default=None, on_error="omit")


Patched = Annotated[T | None, _LeftOnError()]
"""A field of a patch; `model_fields_set` has the fields that were given."""


class UserMessageChunkV2(v1.UserMessageChunk):
    """A piece to append to the message with this id; so are the next two."""

    session_update: Literal["user_message_chunk"] = "user_message_chunk"
    message_id: str


class AgentMessageChunkV2(v1.AgentMessageChunk):
    session_update: Literal["agent_message_chunk"] = "agent_message_chunk"
    message_id: str


class AgentThoughtChunkV2(v1.AgentThoughtChunk):
    session_update: Literal["agent_thought_chunk"] = "agent_thought_chunk"
    message_id: str


Chunk = UserMessageChunkV2 | AgentMessageChunkV2 | AgentThoughtChunkV2


class Message(Model):
    """A whole message, or its new version; null clears a field, a missing one is unchanged."""

    message_id: str
    content: Patched[Items[ContentBlock]] = None


class UserMessage(Message):
    session_update: Literal["user_message"] = "user_message"


class AgentMessage(Message):
    session_update: Literal["agent_message"] = "agent_message"


class AgentThought(Message):
    session_update: Literal["agent_thought"] = "agent_thought"


class BackgroundTerminal(Model):
    type: Literal["terminal"] = "terminal"
    terminal_id: str


class BackgroundToolCall(Model):
    type: Literal["tool_call"] = "tool_call"
    tool_call_id: str


class BackgroundSubagent(Model):
    type: Literal["subagent"] = "subagent"
    session_id: str


class UnknownBackground(Model):
    """Work of a kind that this client doesn't know; it counts as running all the same."""

    type: str


BackgroundWork = Annotated[
    BackgroundTerminal | BackgroundToolCall | BackgroundSubagent | UnknownBackground, BY_TYPE
]


class SessionActivity(v1.SubagentState):
    """A session's activity. `background` is its background work, None if it isn't reported."""

    background: Salvaged[list[BackgroundWork]] = None


class StateUpdate(SessionActivity):
    session_update: Literal["state_update"] = "state_update"


class Controls(Model):
    """What the client may do with a tool call, a terminal or a subagent; None in `cancel` means no."""

    cancel: Salvaged[dict[str, Any]] = None


class ToolCallLocationV2(v1.ToolCallLocation):
    line: Salvaged[Annotated[int, Field(ge=1)]] = None


class ToolCallUpdateV2(v1.ToolCallUpdate):
    """A new tool call, or a change of one; null clears a field, a missing one is unchanged."""

    session_update: Literal["tool_call_update"] = "tool_call_update"
    title: Patched[str] = None
    name: Patched[str] = None
    kind: Patched[str] = None  # type: ignore[assignment]  # open in version 2
    status: Patched[str] = None  # type: ignore[assignment]  # open in version 2
    content: Patched[Items[ToolCallContent]] = None  # type: ignore[assignment]  # other diffs
    locations: Patched[Items[ToolCallLocationV2]] = None  # type: ignore[assignment]  # only read
    capabilities: Salvaged[Controls] = None

    @property
    def shown(self) -> list[ShownContent] | None:
        """The content to show, with a patch's texts as diffs."""
        return content_to_show(self.content) if self.content is not None else None


class ToolCallContentChunk(Model):
    """One more piece of a tool call's content."""

    session_update: Literal["tool_call_content_chunk"] = "tool_call_content_chunk"
    tool_call_id: str
    content: ToolCallContent

    @property
    def shown(self) -> list[ShownContent]:
        """The piece to show."""
        return content_to_show([self.content])


def _checked(value: Any) -> Any:
    """Return a base64 text unchanged. Raises ValueError if it is invalid."""
    if isinstance(value, str):
        try:
            a2b_base64(value.encode("ascii"), strict_mode=True)
        except (NotBase64, UnicodeEncodeError) as error:
            raise ValueError("must be base64") from error
    return value


Base64 = Annotated[str, BeforeValidator(_checked)]
"""Bytes in base64. Characters and escape sequences may continue in the next text."""


class TerminalOutputV2(Model):
    """The complete output so far, which replaces the previous one."""

    data: Base64


class TerminalExitStatusV2(Model):
    """The terminal has exited, even if neither code nor signal is known."""

    exit_code: Salvaged[int] = None
    signal: Salvaged[str] = None


_Cells = Annotated[int, Field(ge=1, le=65535)]


class TerminalSize(Model):
    cols: _Cells
    rows: _Cells


class TerminalUpdate(Model):
    """A terminal of the agent, or a change of one; null clears a field, a missing one is unchanged."""

    session_update: Literal["terminal_update"] = "terminal_update"
    terminal_id: str
    command: Patched[str] = None
    cwd: Patched[str] = None
    output: Patched[TerminalOutputV2] = None
    exit_status: Patched[TerminalExitStatusV2] = None
    size: Patched[TerminalSize] = None
    capabilities: Salvaged[Controls] = None


class TerminalOutputChunk(Model):
    session_update: Literal["terminal_output_chunk"] = "terminal_output_chunk"
    terminal_id: str
    data: Base64


class PlanEntryV2(v1.PlanEntry):
    """A step of a plan."""

    priority: str  # type: ignore[assignment]  # open in version 2
    status: str  # type: ignore[assignment]  # open in version 2


class PlanItems(v1.PlanContent):
    type: Literal["items"] = "items"
    entries: Items[PlanEntryV2]  # type: ignore[assignment]  # only read


class PlanMarkdown(v1.PlanContent):
    type: Literal["markdown"] = "markdown"
    content: str


class PlanFile(v1.PlanContent):
    type: Literal["file"] = "file"
    uri: str


class UnknownPlan(v1.PlanContent):
    """A plan of a type that this client doesn't know; it replaces the plan with the same id."""

    type: str

    @property
    def words(self) -> str:
        """The plan as received."""
        return as_json(self.wire())


class PlanUpdateV2(v1.PlanUpdate):
    """The whole plan with this id."""

    session_update: Literal["plan_update"] = "plan_update"
    plan: Annotated[PlanItems | PlanMarkdown | PlanFile | UnknownPlan, BY_TYPE]


class AvailableCommandsUpdateV2(v1.AvailableCommandsUpdate):
    session_update: Literal["available_commands_update"] = "available_commands_update"
    available_commands: Items[AvailableCommandV2]  # type: ignore[assignment]  # only read


class ConfigOptionUpdateV2(v1.ConfigOptionUpdate):
    session_update: Literal["config_option_update"] = "config_option_update"
    config_options: Items[SessionConfigOption]  # type: ignore[assignment]  # only read


class SessionInfoUpdateV2(v1.SessionInfoUpdate):
    session_update: Literal["session_info_update"] = "session_info_update"
    title: Patched[str] = None
    updated_at: Patched[str] = None


class CompactionUpdateV2(v1.CompactionUpdate):
    session_update: Literal["compaction_update"] = "compaction_update"
    summary: Patched[Items[ContentBlock]] = None
    error: Patched[str] = None


class SubagentUpdateV2(v1.SubagentUpdate):
    session_update: Literal["subagent_update"] = "subagent_update"
    title: Patched[str] = None
    description: Patched[str] = None
    state: Patched[StateUpdate] = None
    cwd: str | None = None
    additional_directories: list[str] | None = None


class SessionMessageV2(v1.SessionMessage):
    session_update: Literal["session_message"] = "session_message"
    sender_session_id: Patched[str] = None
    recipient_session_id: Patched[str] = None
    sender_message_id: Patched[str] = None
    recipient_message_id: Patched[str] = None
    content: Patched[Items[ContentBlock]] = None


class ReplayComplete(Model):
    """The replay of a resumed session is complete: sent once, before the response to the resume."""

    session_update: Literal["replay_complete"] = "replay_complete"


KnownUpdate = (
    UserMessageChunkV2
    | UserMessage
    | AgentMessageChunkV2
    | AgentMessage
    | AgentThoughtChunkV2
    | AgentThought
    | StateUpdate
    | ToolCallUpdateV2
    | ToolCallContentChunk
    | TerminalUpdate
    | TerminalOutputChunk
    | PlanUpdateV2
    | v1.PlanRemoved
    | AvailableCommandsUpdateV2
    | ConfigOptionUpdateV2
    | SessionInfoUpdateV2
    | v1.UsageUpdate
    | v1.Notice
    | CompactionUpdateV2
    | v1.CompactionSummaryChunk
    | SubagentUpdateV2
    | SessionMessageV2
    | v1.SessionMessageChunk
    | ReplayComplete
    | v1.PromptSuggestionsUpdate
    | v1.CursorUpdate
    | AsyncTaskUpdate
)
Update = KnownUpdate | v1.UnknownUpdate


class UpdateSessionNotification(v1.SessionNotification):
    """The params of `session/update`."""

    update: Annotated[Update, OpenDiscriminator("session_update")]  # type: ignore[assignment]
