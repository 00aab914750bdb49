"""Command-line options for where an agent runs."""

import argparse
from typing import TYPE_CHECKING, Any

from acp_tui.cli.output import USAGE, complain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from acp_tui.client.launch import Launch
    from acp_tui.config.settings import PlaceSettings, Settings

_SANDBOX = "sandbox"
"""The place of `--sandbox`; the settings may have another of this name."""


def add_place_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("place")
    where = group.add_mutually_exclusive_group()
    where.add_argument(
        "--in",
        dest="place",
        metavar="PLACE",
        default="",
        help="run the agent in ssh:HOST[:/FOLDER], docker:IMAGE, podman:IMAGE, bwrap, a place that "
        "settings.toml names, or by a command that takes the agent's as its arguments",
    )
    where.add_argument(
        "--sandbox",
        action="store_true",
        help="run the agent in a sandbox that shows the working directory and nothing else of home",
    )
    group.add_argument(
        "--no-network", action="store_true", help="with --sandbox: without any network"
    )
    for how, words in (("read", "let the agent read"), ("write", "let the agent write")):
        group.add_argument(
            f"--sandbox-{how}",
            metavar="PATH",
            action="append",
            default=[],
            help=f"with --sandbox: {words} PATH, too (repeatable)",
        )


def chosen_place(options: argparse.Namespace) -> str:
    """Return the place for all agents of the command line, or "" if none is named."""
    return _SANDBOX if options.sandbox else str(options.place)


def is_elsewhere(fields: dict[str, Any], folder: str) -> bool:
    """Return whether these fields of a Launch mean that the agent's files are not on this machine."""
    if not fields["place"]:
        return False
    from acp_tui.client.places import find_place

    return find_place(fields["place"], fields["places"], folder).elsewhere


def known_places(named: "Mapping[str, PlaceSettings]") -> "dict[str, PlaceSettings]":
    """Return the places that have names."""
    from acp_tui.config.settings import PlaceSettings

    return {_SANDBOX: PlaceSettings(where="bwrap"), **named}


def launch_options(
    parser: argparse.ArgumentParser, options: argparse.Namespace, settings: "Settings"
) -> dict[str, Any]:
    """Return the fields of a Launch that the options set; usage errors end the program."""
    places = known_places(settings.places)
    more = {"read": options.sandbox_read, "write": options.sandbox_write}
    if not options.sandbox and (options.no_network or any(more.values())):
        parser.error("--no-network, --sandbox-read and --sandbox-write are for --sandbox")
    one = places[_SANDBOX]
    places[_SANDBOX] = one.model_copy(
        update={
            "network": one.network and not options.no_network,
            **{how: [*getattr(one, how), *paths] for how, paths in more.items()},
        }
    )
    return {"place": chosen_place(options), "places": places}


def check_place(launch: "Launch") -> None:
    """Exit with the reason if an agent can't be started in its place."""
    if not launch.place:
        return
    from acp_tui.client.places import trouble

    why = trouble(launch.find_place(), launch.argv, launch.cwd)
    if why is not None:
        complain(why)
        raise SystemExit(USAGE)
