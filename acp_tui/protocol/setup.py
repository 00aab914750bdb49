"""Sessions: set-up, prompts, list and end (ACP: Session Setup, Prompt Turn, Session List)."""

from collections.abc import Sequence
from posixpath import normpath
from typing import Any

from acp_tui.formatting import read_time
from acp_tui.protocol.config_options import (
    InitialValue,
    SessionConfigOption,
    SessionModelState,
    SessionModeState,
)
from acp_tui.protocol.content import ContentBlock, TextContent
from acp_tui.protocol.model import Items, Listed, Model, Salvaged
from acp_tui.protocol.updates import AvailableCommand


class SystemPrompt(Model):
    """Instructions for a session; `mode` is "append" to the agent's own, or "override" them."""

    mode: str
    content: list[ContentBlock]

    @property
    def text(self) -> str:
        """Its texts, with an empty line between them."""
        return "\n\n".join(one.text for one in self.content if isinstance(one, TextContent))


class NewSessionParams(Model):
    """`cwd` is absolute; `mcp_servers` is always sent, if empty."""

    cwd: str
    mcp_servers: list[dict[str, Any]] = []
    additional_directories: list[str] | None = None
    system_prompt: Salvaged[SystemPrompt] = None
    config_options: Salvaged[Items[InitialValue]] = None


class SessionSetup(Model):
    """The result of `session/new`, `load`, `resume` and `fork`."""

    modes: Salvaged[SessionModeState] = None
    config_options: Salvaged[Items[SessionConfigOption]] = None
    models: Salvaged[SessionModelState] = None

    @property
    def commands(self) -> Sequence[AvailableCommand] | None:
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
