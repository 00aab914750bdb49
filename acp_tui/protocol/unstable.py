"""Unstable parts of version 1 (`--unstable`), and methods outside ACP that agents in the wild use."""

from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.initialization import Flag, InitializeResult
from acp_tui.protocol.model import Listed, Model, Salvaged


class SessionOptionsParams(Model):
    """The params of `session/options`: for an existing session, or without an id for a new one."""

    cwd: str
    additional_directories: list[str] | None = None
    session_id: str | None = None


class SetTitleParams(Model):
    session_id: str
    title: str


class SetTitleResult(Model):
    """The session's title as the agent stored it."""

    title: str


class SessionStatusResult(Model):
    """The session's status: "open" if the agent has it in memory; any other value means stored."""

    status: str


class ProviderConfig(Model):
    """The current connection to a provider, without secrets."""

    api_type: str
    base_url: str


class Provider(Model):
    """A provider of the agent's models; without `current` it is disabled."""

    provider_id: str
    supported: Listed[str]
    required: Flag = False
    current: Salvaged[ProviderConfig] = None


class ProvidersResult(Model):
    providers: Listed[Provider]


class SetProviderParams(Model):
    """Params that replace a provider's whole configuration."""

    provider_id: str
    api_type: str
    base_url: str
    headers: dict[str, str] | None = None


class DisableProviderParams(Model):
    provider_id: str


class Account(Model):
    """An account that the agent is signed in to; for display only."""

    label: str
    active: Salvaged[bool] = None
    name: Salvaged[str] = None
    email: Salvaged[str] = None
    organization: Salvaged[str] = None


class AuthStatus(Model):
    """Whether the agent needs a sign-in; also the params of `auth/status_update`."""

    state: str
    accounts: Listed[Account] = []


STEERING = "_session/steering"
"""The method that adds a message to the running turn; see `_meta.steering.supported`."""
ASK_USER = "_agentao.cn/ask_user"
"""The method of a free-form question, which is answered with text."""

SDK_MESSAGE = "_claude/sdkMessage"
"""The notification with an unchanged message from the SDK behind claude's adapter; for sessions
with `_meta.claudeCode.emitRawSDKMessages`.
"""


def offers_steering(agent: InitializeResult) -> bool:
    """Return whether the agent accepts messages during a turn."""
    steering = (agent.meta or {}).get("steering")
    return isinstance(steering, dict) and steering.get("supported") is True


class SteeringParams(Model):
    session_id: str
    prompt: list[ContentBlock]


class SteeringResult(Model):
    """The result: "injected", or "promptRequired" if the turn had already ended."""

    outcome: str


class AskUserParams(Model):
    """`options` are suggestions; with `allow_custom`, any other text is accepted."""

    session_id: str
    question: str
    header: str | None = None
    options: Listed[str] = []
    multiple: bool = False
    allow_custom: bool = True


class AskUserResult(Model):
    outcome: str
    text: str | None = None
