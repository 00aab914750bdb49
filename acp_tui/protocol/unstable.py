"""Parts of version 1 that may still change, for those who ask for them (`--unstable`)."""

from acp_tui.protocol.model import Listed, Model, Salvaged
from acp_tui.protocol.setup import Flag


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
