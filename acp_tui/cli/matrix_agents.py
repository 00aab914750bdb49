"""Which agents a matrix is about, and how each is started."""

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli import agent_options
from acp_tui.cli.agent_options import probe_launch
from acp_tui.cli.output import complain
from acp_tui.config.errors import ConfigError

if TYPE_CHECKING:
    from acp_tui.config.settings import AgentSettings
    from acp_tui.matrix.probing import Probed


def agents(options: argparse.Namespace) -> "list[Probed]":
    """Return the agents that are named, those of a registry's file, or all of the settings.

    Raises ConfigError: the file can't be used, or has none that is installed.
    """
    from acp_tui.cli.launch import settings_of_person

    settings = settings_of_person()
    if options.registry is not None:
        return _of_registry(options)
    if not (options.agent or options.connect or options.agent_command):
        options.agent = list(settings.agents)
    chosen = agent_options.chosen(options.parser, options, settings.agents)
    env = _env(options)
    return [_probed(name, agent, env, options.auth) for name, agent in chosen]


def _env(options: argparse.Namespace) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in options.env]
    if not all(name and equals for name, equals, _ in pairs):
        options.parser.error("--env wants K=V")
    return {name: value for name, _, value in pairs}


def _probed(name: str, agent: "AgentSettings", env: dict[str, str], auth: str | None) -> "Probed":
    from acp_tui.matrix.probing import Probed

    return Probed(name or _short(agent), agent.words, probe_launch(agent, env), auth)


def _short(agent: "AgentSettings") -> str:
    """Return a name for a command that has none."""
    remote = agent.remote
    return Path(agent.command[0]).name if remote is None else remote.host


def _of_registry(options: argparse.Namespace) -> "list[Probed]":
    from acp_tui.client.launch import Launch
    from acp_tui.matrix.probing import Probed
    from acp_tui.store.registry import installed, read_registry

    registry = read_registry(options.registry)
    for problem in registry.problems:
        complain(problem, "matrix")
    found = installed(registry)
    if not found:
        count = len(registry.agents)
        raise ConfigError(f"{options.registry}: none of its {count} agents is installed here")
    env = _env(options)
    return [
        Probed(
            one.agent.id,
            shlex.join(one.command),
            Launch(
                tuple(one.command),
                str(Path.cwd()),
                {**one.env, **env},
                opening=None,
                handshake=False,
                backups=False,
            ),
            options.auth,
        )
        for one in found
    ]
