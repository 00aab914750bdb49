"""How an agent is started that is only tried: without a session, a handshake, or backups of its files."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_tui.cli import agent_options

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch
    from acp_tui.config.settings import AgentSettings


def probe_launch(agent: "AgentSettings", env: Mapping[str, str], **placed: Any) -> "Launch":
    """Return how an agent of the settings is started here, with more variables, or where it is `placed`."""
    from acp_tui.client.launch import Launch, command_of

    argv = tuple(agent_options.from_anywhere(command_of(agent))) if agent.url is None else ()
    return Launch(
        argv,
        str(Path.cwd()),
        {**agent.env, **env},
        remote=agent.remote,
        opening=None,
        handshake=False,
        backups=False,
        **placed,
    )
