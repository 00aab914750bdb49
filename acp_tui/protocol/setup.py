"""Params and results of session methods (ACP: Session Setup, Prompt Turn, Session List)."""

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
    """Instructions for a session; by `mode` they "append" to the agent's own, or "override" them."""

    mode: str
    content: list[ContentBlock]

    @property
    def text(self) -> str:
        """The texts of the content, joined by blank lines."""
        return "\n\n".join(one.text for one in self.content if isinstance(one, TextContent))


class NewSessionParams(Model):
    """`cwd` is absolute; `mcp_servers` is always sent, even if empty."""

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
        """The slash commands, if the result includes them. Version 1 sends them in an update."""
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
    """Why the turn ended; a reason that isn't in the schema is kept."""

    stop_reason: str
    usage: Salvaged[dict[str, Any]] = None


class SessionParams(Model):
    """The params of every method that takes only a session."""

    session_id: str


class Empty(Model):
    """A result or params without fields of its own."""


class SessionInfo(Model):
    """A session stored by the agent; `cwd` is absolute, `updated_at` is ISO 8601."""

    session_id: str
    cwd: str
    additional_directories: Listed[str] = []
    title: Salvaged[str] = None
    updated_at: Salvaged[str] = None
    archived: Salvaged[bool] = None

    @property
    def updated(self) -> float:
        """The time of the last update, in seconds since 1970; 0 if unknown. Use it for sorting:
        `updated_at` may be in any time zone.
        """
        time = read_time(self.updated_at)
        return 0.0 if time is None else time.timestamp()

    def works_in(self, folder: str) -> bool:
        """Return whether this is the session's folder, even if the path is spelled differently."""
        return normpath(self.cwd) == normpath(folder)


class ListSessionsParams(Model):
    """`cursor` is opaque, and returned to the agent unchanged. `archived` (unstable) is "include"."""

    cwd: str | None = None
    cursor: str | None = None
    archived: str | None = None


class ListSessionsResult(Model):
    """One page of sessions; no `next_cursor` means that it is the last."""

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
    """The params of `session/fork`; `cursor_id` (unstable) forks only the part before that cursor."""

    cursor_id: str | None = None
