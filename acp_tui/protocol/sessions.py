"""Finding, opening and ending sessions (ACP: Session Setup, Session List, Session Config Options)."""

from typing import Any

from acp_tui.protocol.model import Listed, Model, Salvaged
from acp_tui.protocol.setup import SystemPrompt


class SessionInfo(Model):
    """A session that the agent keeps; `cwd` is absolute, `updated_at` is ISO 8601."""

    session_id: str
    cwd: str
    additional_directories: Listed[str] = []
    title: Salvaged[str] = None
    updated_at: Salvaged[str] = None
    archived: Salvaged[bool] = None


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
    """The params of `session/load`, `session/resume` and `session/fork`."""

    session_id: str
    cwd: str
    mcp_servers: list[dict[str, Any]] = []
    additional_directories: list[str] | None = None
    system_prompt: Salvaged[SystemPrompt] = None


class SetModelParams(Model):
    """The params of `session/set_model`, which older agents know."""

    session_id: str
    model_id: str
