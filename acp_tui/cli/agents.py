"""The command line's choice of agents: those that the settings name, and a command."""

import argparse
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from acp_tui.cli import places

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch
    from acp_tui.config.settings import AgentSettings


def add(parser: argparse.ArgumentParser, *, several: bool) -> None:
    """Add the option; `several` agents may run side by side."""
    more = " (repeatable: side by side in one window)" if several else ""
    parser.add_argument(
        "--agent",
        metavar="NAME",
        action="append",
        default=[],
        help=f"an agent named in settings.toml{more}",
    )


def chosen(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    known: "Mapping[str, AgentSettings]",
) -> "list[tuple[str, AgentSettings]]":
    """Return the agents to start, in order, with their names in the settings; usage errors
    end the program.
    """
    from acp_tui.config.settings import AgentSettings

    for name in options.agent:
        if name not in known:
            there = f"there are: {', '.join(known)}" if known else "there are none"
            parser.error(f"--agent: settings.toml names no agent {name!r}; {there}")
    agents = [(name, known[name]) for name in options.agent]
    if options.agent_command:
        agents.append(("", AgentSettings(command=options.agent_command)))
    if not agents:
        names = f", or choose one by --agent: {', '.join(known)}" if known else ""
        parser.error(f"name the agent's command after --, as in: acp-tui -- my-agent --acp{names}")
    if len(agents) > 1 and options.resume is not None:
        parser.error("--resume is for one agent, and several are named")
    return agents


def as_chosen(
    agent: "AgentSettings", env: Mapping[str, str], options: argparse.Namespace
) -> "AgentSettings":
    """Apply the command line to an agent's settings."""
    cwd = agent.cwd if options.cwd == os.curdir else None
    place = places.chosen(options) or agent.place
    return agent.model_copy(update={"env": {**agent.env, **env}, "cwd": cwd, "place": place})


def launch_chosen(agent: "AgentSettings", base: "Launch") -> "Launch":
    """Make the launch of an agent; `base` is what all agents have in common."""
    from acp_tui.client.launch import as_placed, launch_of

    launch = as_placed(replace(launch_of(agent, base), opening=base.opening))
    places.check(launch)
    return launch
