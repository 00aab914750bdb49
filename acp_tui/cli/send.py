"""`acp-tui send`: a prompt for a kept run."""

import argparse
import os
import sys

from acp_tui.cli.output import USAGE, complain, out


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments."""
    parser.description = (
        "Send a prompt to a kept run; while a turn runs it waits for the end of it."
    )
    parser.add_argument("name", metavar="NAME", help="as acp-tui ps lists it")
    parser.add_argument("prompt", metavar="PROMPT", help="the text; - reads it from stdin")
    parser.add_argument(
        "--session",
        metavar="ID",
        help="the beginning of its id, or its title, if there are several",
    )


def execute(options: argparse.Namespace) -> int:
    """Send the prompt."""
    from acp_tui.config.paths import kept_folder
    from acp_tui.daemon.places import KeptRunError, find
    from acp_tui.daemon.requests import request

    if options.prompt == "-":
        text = sys.stdin.read()
    else:
        text = os.fsencode(options.prompt).decode("utf-8", "replace")
    if not text.strip():
        options.parser.error("the prompt is empty")
    try:
        place = find(kept_folder(), options.name)
        told = request(place, "send", prompt=text, session=options.session)
    except KeptRunError as error:
        complain(str(error), "send")
        return USAGE
    words = "waits for the end of the turn" if told.get("waits") else "sent"
    out(f"{words}: {place.name}, session {told.get('sent')}")
    return 0
