"""The single agent of a command without a screen: chooses it from the options, launches and records
it.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from acp_tui.cli.options import agent_options, launch_options, recording_options
from acp_tui.config.settings import AgentSettings, Settings

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch
    from acp_tui.client.recorder import Recorder


def choose_agent(options: argparse.Namespace, why: str) -> tuple[AgentSettings, Settings]:
    """Return the one chosen agent, and the settings; several agents are a usage error, with `why`.

    The agent's own place counts as if `--in` named it, unless the options name another.
    """
    settings = launch_options.user_settings()
    chosen = agent_options.chosen_agents(options.parser, options, settings.agents)
    if len(chosen) > 1:
        options.parser.error(why)
    agent = chosen[0][1]
    options.place = launch_options.chosen_place(options) or agent.place
    return agent, settings


@contextmanager
def launched(
    options: argparse.Namespace,
    agent: AgentSettings,
    settings: Settings,
    base: "Launch",
    *,
    by: str = "",
    failure_reported: bool = False,
) -> "Iterator[tuple[Launch, Recorder | None]]":
    """Complete an agent's launch, and record and export what it does until the block ends.

    `by` names the command if it runs without a person. With `failure_reported`, the command itself
    reports a failed recording.
    """
    launch = agent_options.launch_chosen(
        agent_options.override_agent(agent, base.env, options), base
    )
    launch = replace(launch, watched=())  # without a screen, agents aren't restarted
    with (
        recording_options.exporting(options, settings, launch) as launch,
        recording_options.open_recorder(
            options, launch, options.record, [], failure_reported=failure_reported, by=by
        ) as recorder,
    ):
        yield launch, recorder
