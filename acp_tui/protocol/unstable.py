"""Parts of version 1 that may still change, for those who ask for them (`--unstable`), and methods outside ACP that
agents in the wild offer or ask for.
"""

from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.initialization import Flag, InitializeResult
from acp_tui.protocol.model import Listed, Model, Salvaged


class SessionOptionsParams(Model):
    """The params of `session/options`: for an existing session, or without an id for a new one in `cwd`."""

    cwd: str
    additional_directories: list[str] | None = None
    session_id: str | None = None


class SetTitleParams(Model):
    session_id: str
    title: str


class SetTitleResult(Model):
    """The title as the agent keeps it."""

    title: str


class SessionStatusResult(Model):
    """Whether the agent has a session in memory: "open"; all else means that it is saved."""

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
    """Replaces all that is configured of a provider."""

    provider_id: str
    api_type: str
    base_url: str
    headers: dict[str, str] | None = None


class DisableProviderParams(Model):
    provider_id: str


class Account(Model):
    """An account that the agent has; for people only."""

    label: str
    active: Salvaged[bool] = None
    name: Salvaged[str] = None
    email: Salvaged[str] = None
    organization: Salvaged[str] = None


class AuthStatus(Model):
    """Whether the agent needs a sign-in; the params of `auth/status_update`, too."""

    state: str
    accounts: Listed[Account] = []


STEERING = "_session/steering"
"""Puts a message into the turn that runs; offered by `_meta.steering.supported`."""
ASK_USER = "_agentao.cn/ask_user"
"""A question in free form; its answer is a text."""

SDK_MESSAGE = "_claude/sdkMessage"
"""A message of the SDK behind claude's adapter, unchanged; for sessions with
`_meta.claudeCode.emitRawSDKMessages`.
"""


def offers_steering(agent: InitializeResult) -> bool:
    """Return whether the agent takes messages while it works."""
    steering = (agent.meta or {}).get("steering")
    return isinstance(steering, dict) and steering.get("supported") is True


class SteeringParams(Model):
    session_id: str
    prompt: list[ContentBlock]


class SteeringResult(Model):
    """The result: "injected", or "promptRequired" if no turn was running anymore."""

    outcome: str


class AskUserParams(Model):
    """`options` are suggestions; other words are welcome if `allow_custom`."""

    session_id: str
    question: str
    header: str | None = None
    options: Listed[str] = []
    multiple: bool = False
    allow_custom: bool = True


class AskUserResult(Model):
    outcome: str
    text: str | None = None
