"""How the agent is started that is checked, and where that is recorded."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli import agent_options, places
from acp_tui.cli.probe_launch import probe_launch

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch


def launch_of_checks(options: argparse.Namespace) -> "Launch":
    """Return how the one agent is started that is checked; usage errors end the program."""
    from acp_tui.cli.launch import settings_of_person

    settings = settings_of_person()
    named = agent_options.chosen(options.parser, options, settings.agents)
    if len(named) > 1:
        options.parser.error("name one agent: each has results of its own")
    ((_, agent),) = named
    if wrong := [pair for pair in options.env if not pair.partition("=")[1]]:
        options.parser.error(f"--env wants NAME=VALUE, not {wrong[0]!r}")
    env = dict(pair.split("=", 1) for pair in options.env)
    placed = places.launch_options(options.parser, options, settings)
    placed["place"] = placed["place"] or agent.place
    launch = probe_launch(agent, env, **placed)
    places.check(launch)
    return launch


def recordings_folder_of(launch: "Launch") -> Path:
    """Make the folder for the recordings of this run."""
    from datetime import datetime

    from acp_tui.config.paths import checks_folder
    from acp_tui.store.recordings import new_run_folder

    called = launch.argv[0] if launch.remote is None else launch.remote.host
    return new_run_folder(checks_folder(), called, datetime.now().astimezone())
