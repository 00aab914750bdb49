"""Initialization, authentication and sessions: set-up, list, options, end (ACP: Initialization, Session Setup,
Session List, Session Config Options).
"""

from collections.abc import Sequence
from posixpath import normpath
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from acp_tui.formatting import read_time
from acp_tui.protocol.content import ContentBlock, TextContent
from acp_tui.protocol.model import BY_TYPE, DefaultOnError, Items, Listed, Model, Salvaged

if TYPE_CHECKING:
    from acp_tui.protocol.updates import AvailableCommand

PROTOCOL_VERSION = 1

Flag = Annotated[bool, DefaultOnError(False)]
Marker = Salvaged[dict[str, Any]]
"""A capability that is there when an object, usually empty, is given."""


class Implementation(Model):
    """Name and version of one side."""

    name: str
    version: str = ""
    title: Salvaged[str] = None


class PromptCapabilities(Model):
    image: Flag = False
    audio: Flag = False
    embedded_context: Flag = False


class McpCapabilities(Model):
    http: Flag = False
    sse: Flag = False


class SystemPromptModes(Model):
    """The modes of system prompts that an agent has in addition to `append`."""

    override: Marker = None


class SystemPromptCapabilities(Model):
    mode: Salvaged[SystemPromptModes] = None


class SessionCapabilities(Model):
    list: Marker = None
    delete: Marker = None
    additional_directories: Marker = None
    system_prompt: Salvaged[SystemPromptCapabilities] = None
    resume: Marker = None
    close: Marker = None
    fork: Marker = None
    archive: Marker = None
    status: Marker = None
    title: Marker = None
    options: Marker = None


class AgentAuthCapabilities(Model):
    logout: Marker = None
    status: Marker = None


class AgentCapabilities(Model):
    """The agent's capabilities; everything left out is not offered."""

    load_session: Flag = False
    prompt_capabilities: Annotated[
        PromptCapabilities, DefaultOnError(factory=PromptCapabilities)
    ] = Field(default_factory=PromptCapabilities)
    mcp_capabilities: Annotated[McpCapabilities, DefaultOnError(factory=McpCapabilities)] = Field(
        default_factory=McpCapabilities
    )
    session_capabilities: Annotated[
        SessionCapabilities, DefaultOnError(factory=SessionCapabilities)
    ] = Field(default_factory=SessionCapabilities)
    auth: Annotated[AgentAuthCapabilities, DefaultOnError(factory=AgentAuthCapabilities)] = Field(
        default_factory=AgentAuthCapabilities
    )
    providers: Marker = None


class AuthMethod(Model):
    """A way to sign in; a missing or unknown `type` means that the agent drives it."""

    id: str
    name: str
    type: Salvaged[str] = None
    description: Salvaged[str] = None
    args: Listed[str] = []
    env: Annotated[dict[str, str], DefaultOnError({})] = {}

    @property
    def agent_driven(self) -> bool:
        """Whether `authenticate` may be called with this method."""
        return self.type != "terminal"


class InitializeResult(Model):
    protocol_version: int
    agent_capabilities: Annotated[AgentCapabilities, DefaultOnError(factory=AgentCapabilities)] = (
        Field(default_factory=AgentCapabilities)
    )
    auth_methods: Listed[AuthMethod] = []
    agent_info: Salvaged[Implementation] = None

    @property
    def shape(self) -> int:
        """The version whose form this has, whatever number it names."""
        return 1


class FileSystemCapabilities(Model):
    read_text_file: bool = False
    write_text_file: bool = False


class AuthCapabilities(Model):
    terminal: bool = False


class ElicitationCapabilities(Model):
    form: Marker = None
    url: Marker = None


class ClientCapabilities(Model):
    """The client's capabilities. Each is claimed only where it exists, `plan` only on demand."""

    fs: FileSystemCapabilities = Field(default_factory=FileSystemCapabilities)
    terminal: bool = False
    session: dict[str, Any] | None = None
    auth: AuthCapabilities | None = None
    elicitation: ElicitationCapabilities | None = None
    plan: dict[str, Any] | None = None
    subagents: dict[str, Any] | None = None

    @property
    def unstable(self) -> bool:
        """Whether a person asked for what may still change."""
        return self.plan is not None


SESSION_CLAIMS_IN_2 = ("promptSuggestions", "cursors", "commands")
"""Session capabilities of a client that exist in version 2, too; all are unstable."""


class InitializeParams(Model):
    protocol_version: int = PROTOCOL_VERSION
    client_capabilities: ClientCapabilities = Field(default_factory=ClientCapabilities)
    client_info: Implementation | None = None

    @property
    def shape(self) -> int:
        """The version whose form this has, whatever number it names."""
        return 1


class GivenInitializeParams(InitializeParams):
    """The params of another client, which are sent exactly as given."""

    given: dict[str, Any]

    def wire(self) -> dict[str, Any]:
        """Return the params as they were given."""
        return self.given


class AuthenticateParams(Model):
    method_id: str


class SessionMode(Model):
    id: str
    name: str
    description: Salvaged[str] = None


class SessionModeState(Model):
    current_mode_id: str
    available_modes: Listed[SessionMode]


class SelectOption(Model):
    value: str
    name: str
    description: Salvaged[str] = None


class SelectGroup(Model):
    group: str
    name: str
    options: Listed[SelectOption]


class SelectConfigOption(Model):
    """A choice of one value; the options come flat or in groups."""

    type: Literal["select"] = "select"
    id: str
    name: str
    description: Salvaged[str] = None
    category: Salvaged[str] = None
    current_value: str
    options: Items[SelectGroup | SelectOption]

    @property
    def choices(self) -> list[SelectOption]:
        """All options in the agent's order, groups opened."""
        return [
            option
            for entry in self.options
            for option in (entry.options if isinstance(entry, SelectGroup) else [entry])
        ]


class BooleanConfigOption(Model):
    type: Literal["boolean"] = "boolean"
    id: str
    name: str
    description: Salvaged[str] = None
    category: Salvaged[str] = None
    current_value: bool


class UnknownConfigOption(Model):
    """An option of a type that this client does not know: kept, not shown as a control."""

    type: str = ""


SessionConfigOption = Annotated[
    SelectConfigOption | BooleanConfigOption | UnknownConfigOption,
    BY_TYPE,
]


class SystemPrompt(Model):
    """Instructions for a session; `mode` is "append" to the agent's own, or "override" them."""

    mode: str
    content: list[ContentBlock]

    @property
    def text(self) -> str:
        """Its texts, with an empty line between them."""
        return "\n\n".join(one.text for one in self.content if isinstance(one, TextContent))


class InitialValue(Model):
    """The initial value of a config option (unstable); `type` as in `SetConfigOptionParams`."""

    config_id: str
    type: Salvaged[Literal["boolean"]] = None
    value: bool | str


class NewSessionParams(Model):
    """`cwd` is absolute; `mcp_servers` is always sent, if empty."""

    cwd: str
    mcp_servers: list[dict[str, Any]] = []
    additional_directories: list[str] | None = None
    system_prompt: Salvaged[SystemPrompt] = None
    config_options: Salvaged[Items[InitialValue]] = None


class SessionModel(Model):
    model_id: str
    name: str
    description: Salvaged[str] = None


class SessionModelState(Model):
    """The models of a session, which older agents send in place of a config option."""

    current_model_id: str
    available_models: Listed[SessionModel]


class SessionSetup(Model):
    """The result of `session/new`, `load`, `resume` and `fork`."""

    modes: Salvaged[SessionModeState] = None
    config_options: Salvaged[Items[SessionConfigOption]] = None
    models: Salvaged[SessionModelState] = None

    @property
    def commands(self) -> "Sequence[AvailableCommand] | None":
        """The slash commands, where they come with the session: here in an update of their own."""
        return None


class NewSessionResult(SessionSetup):
    """The result of `session/new` and `session/fork`."""

    session_id: str


class PromptParams(Model):
    """`idempotency_key` (version 2) makes a prompt safe to resend: the agent accepts it once."""

    session_id: str
    prompt: list[ContentBlock]
    idempotency_key: Salvaged[str] = None


class PromptResult(Model):
    """The reason for the turn's end; one outside the schema is kept as it is."""

    stop_reason: str
    usage: Salvaged[dict[str, Any]] = None


class SessionParams(Model):
    """The params of every call that names only a session."""

    session_id: str


class SetModeParams(Model):
    session_id: str
    mode_id: str


class SetConfigOptionParams(Model):
    """`type` is "boolean" for a boolean and left out for a selected value."""

    session_id: str
    config_id: str
    type: Literal["boolean"] | None = None
    value: bool | str


class ConfigOptionsResult(Model):
    """The options after one was set. Some agents answer without them, and send an update instead."""

    config_options: Listed[SessionConfigOption] = []


class Empty(Model):
    """A result or params without fields of its own."""


class SessionInfo(Model):
    """A session that the agent keeps; `cwd` is absolute, `updated_at` is ISO 8601."""

    session_id: str
    cwd: str
    additional_directories: Listed[str] = []
    title: Salvaged[str] = None
    updated_at: Salvaged[str] = None
    archived: Salvaged[bool] = None

    @property
    def updated(self) -> float:
        """The time of the last update, in seconds since 1970; 0 if unknown. Sort by it: `updated_at`
        can be in any time zone.
        """
        time = read_time(self.updated_at)
        return 0.0 if time is None else time.timestamp()

    def works_in(self, folder: str) -> bool:
        """Return whether this is the session's folder, even if the path is written differently."""
        return normpath(self.cwd) == normpath(folder)


class ListSessionsParams(Model):
    """`cursor` is the agent's own: it goes back as it came. `archived` (unstable) is "include"."""

    cwd: str | None = None
    cursor: str | None = None
    archived: str | None = None


class ListSessionsResult(Model):
    """One page; no `next_cursor` means that it is the last."""

    sessions: Listed[SessionInfo]
    next_cursor: Salvaged[str] = None


class OpenSessionParams(Model):
    """The params of `session/load` and `session/resume`."""

    session_id: str
    cwd: str
    mcp_servers: list[dict[str, Any]] = []
    additional_directories: list[str] | None = None
    system_prompt: Salvaged[SystemPrompt] = None
    config_options: Salvaged[Items[InitialValue]] = None


class ForkSessionParams(OpenSessionParams):
    """The params of `session/fork`; a `cursor_id` forks only what is before that cursor (unstable)."""

    cursor_id: str | None = None


class SetModelParams(Model):
    """The params of `session/set_model`, which older agents know."""

    session_id: str
    model_id: str
