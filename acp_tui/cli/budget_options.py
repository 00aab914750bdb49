"""Options for what turns may take, and what sessions may use."""

import argparse
from typing import Any

from acp_tui.cli.option_values import count, seconds


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options that every command has which prompts an agent."""
    group = parser.add_argument_group("limits")
    group.add_argument(
        "--max-cost",
        metavar="AMOUNT",
        type=seconds,
        help="cancel the turn when the session has cost this much, as the agent reports it; send no more",
    )
    group.add_argument(
        "--max-tokens",
        metavar="N",
        type=count,
        help="cancel the turn when the session has used this many tokens; send no more",
    )


def add_time(parser: argparse.ArgumentParser) -> None:
    """Add the option for a turn's time."""
    parser.add_argument(
        "--max-time", metavar="SECONDS", type=seconds, help="cancel a turn after this time"
    )


def launch_options(options: argparse.Namespace, *, interactive: bool) -> dict[str, Any]:
    """Return the fields of a Launch that the options set. A turn that isn't `interactive` ends after its
    time with the whole run, and not by the client.
    """
    from acp_tui.client.budget import Budget

    time = options.max_time if interactive else None
    return {"budget": Budget(time, options.max_cost, options.max_tokens)}
