"""Initialization, authentication, sessions and options of version 2, parsed as version 1's objects."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from acp_tui.protocol import config_options, initialization, setup, updates
from acp_tui.protocol.initialization import Flag
from acp_tui.protocol.model import (
    BY_TYPE,
    DefaultOnError,
    Items,
    Listed,
    Model,
    Salvaged,
    config_with_names,
)


class SelectGroupV2(config_options.SelectGroup):
    """A group of values, identified by `groupId`."""

    model_config = config_with_names(group="groupId")


class SelectConfigOptionV2(config_options.SelectConfigOption):
    """A choice of one value, identified by `configId`; the options are a flat list, or in groups."""

    model_config = config_with_names(id="configId")

    type: Literal["select"] = "select"
    options: Items[SelectGroupV2 | config_options.SelectOption]  # type: ignore[assignment]  # only read


class BooleanConfigOptionV2(config_options.BooleanConfigOption):
    """An option that is true or false, identified by `configId`."""

    model_config = config_with_names(id="configId")

    type: Literal["boolean"] = "boolean"


SessionConfigOption = Annotated[
    SelectConfigOptionV2 | BooleanConfigOptionV2 | config_options.UnknownConfigOption,
    BY_TYPE,
]


class TextCommandInput(updates.CommandInput):
    """Free text after the command's name."""

    type: Literal["text"] = "text"


class UnknownCommandInput(updates.CommandInput):
    """Input of a type that this client doesn't know: kept, and the command is shown without input."""

    type: str
    hint: str = ""


class AvailableCommandV2(updates.AvailableCommand):
    """A slash command; one of an unknown type is shown as an ordinary one."""

    type: str
    description: str
    input: Salvaged[Annotated[TextCommandInput | UnknownCommandInput, BY_TYPE]] = None

    @property
    def is_skill(self) -> bool:
        """Whether the command is a skill (unstable), which a prompt invokes by a content block."""
        return self.type == "skill"


UNSTABLE = "unstable"
"""The key in our capabilities' `_meta` that says that the user enabled unstable features."""


def _given(holder: dict[str, Any], name: str) -> dict[str, Any] | None:
    """Return a capability's object; None if it is absent."""
    value = holder.get(name)
    return value if isinstance(value, dict) else None


def _is_terminal(auth: Any) -> Any:
    """Convert a client's authentication capabilities to the form of version 1."""
    if not isinstance(auth, dict):
        return auth
    return {**auth, "terminal": _given(auth, "terminal") is not None}


class ClientCapabilitiesV2(initialization.ClientCapabilities):
    """The client's capabilities, which in version 2 have no files and terminals."""

    auth: Annotated[Salvaged[initialization.AuthCapabilities], BeforeValidator(_is_terminal)] = None

    @property
    def unstable(self) -> bool:
        """Whether the user enabled unstable features."""
        return bool((self.meta or {}).get(UNSTABLE))


class InitializeParamsV2(initialization.InitializeParams):
    model_config = config_with_names(client_info="info", client_capabilities="capabilities")

    client_capabilities: ClientCapabilitiesV2 = Field(default_factory=ClientCapabilitiesV2)

    @property
    def shape(self) -> int:
        """The protocol version that this message is shaped for."""
        return 2


class McpCapabilitiesV2(initialization.McpCapabilities):
    stdio: Flag = False


class PromptCapabilitiesV2(initialization.PromptCapabilities):
    """`skill` is unstable."""

    skill: Flag = False


class AgentCapabilitiesV2(initialization.AgentCapabilities):
    prompt_capabilities: Annotated[
        PromptCapabilitiesV2, DefaultOnError(factory=PromptCapabilitiesV2)
    ] = Field(default_factory=PromptCapabilitiesV2)
    mcp_capabilities: Annotated[McpCapabilitiesV2, DefaultOnError(factory=McpCapabilitiesV2)] = (
        Field(default_factory=McpCapabilitiesV2)
    )


def _capabilities(value: Any) -> Any:
    """Convert an agent's capabilities to version 1's form; those for sessions imply four methods."""
    if not isinstance(value, dict):
        return value
    session = _given(value, "session")
    if session is None:
        return value
    prompt, mcp = _given(session, "prompt") or {}, _given(session, "mcp") or {}
    baseline: dict[str, Any] = {"list": {}, "resume": {}, "close": {}}
    return {
        **value,
        "loadSession": True,
        "promptCapabilities": {name: _given(prompt, name) is not None for name in prompt},
        "mcpCapabilities": {name: _given(mcp, name) is not None for name in mcp},
        "sessionCapabilities": {**session, **baseline},
    }


def _variables(value: Any) -> Any:
    """Convert a list of environment variables to a dict from name to value."""
    if not isinstance(value, list):
        return value
    whole = [one for one in value if isinstance(one, dict) and {"name", "value"} <= one.keys()]
    return {one["name"]: one["value"] for one in whole if isinstance(one["name"], str)}


class AuthMethodV2(initialization.AuthMethod):
    """An authentication method, identified by `methodId`; `env` is a list of variables."""

    model_config = config_with_names(id="methodId")

    env: Annotated[dict[str, str], BeforeValidator(_variables), DefaultOnError({})] = Field(
        default_factory=dict
    )


class InitializeResultV2(initialization.InitializeResult):
    model_config = config_with_names(agent_info="info", agent_capabilities="capabilities")

    agent_capabilities: Annotated[
        AgentCapabilitiesV2,
        BeforeValidator(_capabilities),
        DefaultOnError(factory=AgentCapabilitiesV2),
    ] = Field(default_factory=AgentCapabilitiesV2)
    auth_methods: Listed[AuthMethodV2] = []  # type: ignore[assignment]  # only read

    @property
    def shape(self) -> int:
        """The protocol version that this message is shaped for."""
        return 2


class SessionSetupV2(setup.SessionSetup):
    """The result of `session/new`, `session/resume` and `session/fork`; version 2 has no modes."""

    config_options: Salvaged[Items[SessionConfigOption]] = None  # type: ignore[assignment]  # only read
    available_commands: Salvaged[Items[AvailableCommandV2]] = None

    @property
    def commands(self) -> list[AvailableCommandV2] | None:
        """The slash commands, if the result includes them."""
        return self.available_commands


class NewSessionResultV2(SessionSetupV2, setup.NewSessionResult):
    """The result of `session/new` and `session/fork`."""


class ResumeSessionParams(setup.OpenSessionParams):
    """The params of `session/resume`; `replay_from` is where a replay begins, None for no replay."""

    replay_from: Salvaged[dict[str, Any]] = None


class PromptAccepted(Model):
    """The prompt was added to the conversation; a `state_update` reports the end of its turn."""

    message_id: str


class SetConfigOptionParamsV2(config_options.SetConfigOptionParams):
    """`type` is "boolean" for a boolean, and anything else for other values."""

    type: Annotated[Literal["boolean"] | None, DefaultOnError()] = None
    value: Any


class ConfigOptionsResultV2(config_options.ConfigOptionsResult):
    config_options: Listed[SessionConfigOption] = []  # type: ignore[assignment]  # only read
