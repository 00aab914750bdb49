"""Params and results of `initialize` and `authenticate` (ACP: Initialization, Authentication)."""

from typing import Annotated, Any

from pydantic import Field

from acp_tui.protocol.model import DefaultOnError, Listed, Model, Salvaged

PROTOCOL_VERSION = 1
SESSION_CLAIMS_IN_2 = ("promptSuggestions", "cursors", "commands")
"""The client's session capabilities that version 2 has, too; all are unstable."""

Flag = Annotated[bool, DefaultOnError(False)]
Marker = Salvaged[dict[str, Any]]
"""A capability that is advertised by an object, usually an empty one."""


class Implementation(Model):
    """The name and version of the client or the agent."""

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
    """The system prompt modes that an agent supports besides `append`."""

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
    """The agent's capabilities; whatever is omitted is unsupported."""

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
    """An authentication method; without a known `type`, the agent handles it."""

    id: str
    name: str
    type: Salvaged[str] = None
    description: Salvaged[str] = None
    args: Listed[str] = []
    env: Annotated[dict[str, str], DefaultOnError({})] = {}

    @property
    def agent_driven(self) -> bool:
        """Whether the client may call `authenticate` with this method."""
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
        """The protocol version that this message is shaped for, whatever `protocol_version` it names."""
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
    """The client's capabilities. `plan` is unstable, and only sent if the user asked for unstable features."""

    fs: FileSystemCapabilities = Field(default_factory=FileSystemCapabilities)
    terminal: bool = False
    session: dict[str, Any] | None = None
    auth: AuthCapabilities | None = None
    elicitation: ElicitationCapabilities | None = None
    plan: dict[str, Any] | None = None
    subagents: dict[str, Any] | None = None

    @property
    def unstable(self) -> bool:
        """Whether unstable features are advertised."""
        return self.plan is not None


class InitializeParams(Model):
    protocol_version: int = PROTOCOL_VERSION
    client_capabilities: ClientCapabilities = Field(default_factory=ClientCapabilities)
    client_info: Implementation | None = None

    @property
    def shape(self) -> int:
        """The protocol version that this message is shaped for, whatever `protocol_version` it names."""
        return 1


class GivenInitializeParams(InitializeParams):
    """Another client's params, sent unchanged."""

    given: dict[str, Any]

    def wire(self) -> dict[str, Any]:
        """Return the given params unchanged."""
        return self.given


class AuthenticateParams(Model):
    method_id: str
