"""`acp-tui --plain`: work with an agent by lines, without a screen."""

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from acp_tui.cli import agent_options, launch, places, telemetry, turn_options
from acp_tui.cli.recording import recorder

if TYPE_CHECKING:
    from acp_tui.cli.parser import Parser
    from acp_tui.config.settings import AgentSettings, Settings


def talk(options: argparse.Namespace) -> int:
    """Talk with the agent that was chosen, until the person leaves; return how the last turn ended."""
    parser: Parser = options.parser
    settings = launch.settings_of_person()
    chosen = agent_options.chosen(parser, options, settings.agents)
    if len(chosen) > 1:
        parser.error("--plain is for one agent: name a single one")
    ((_, named),) = chosen
    options.place = places.chosen(options) or named.place
    return talk_with(options, settings, named)


def talk_with(options: argparse.Namespace, settings: "Settings", named: "AgentSettings") -> int:
    """Talk with an agent."""
    if options.keep is not None:
        options.parser.error("--keep is for the screen: leave out --plain")
    person = turn_options.person()
    base = launch.base_launch(options, named, settings, person=person)
    import anyio

    from acp_tui.client.launch import Budget
    from acp_tui.headless.hosted import run_talk
    from acp_tui.headless.permission import Policy
    from acp_tui.headless.run import TurnOptions

    base = replace(base, budget=Budget(options.max_time, options.max_cost, options.max_tokens))
    agent = agent_options.as_chosen(named, base.env, options)
    start = replace(agent_options.launch_chosen(agent, base), watched=())
    turns = TurnOptions("", Policy.ASK, person)
    with (
        telemetry.exporting(options, settings, start) as start,
        recorder(options, start, options.record, [], told=True) as made,
    ):
        return anyio.run(run_talk, start, made, turns)
