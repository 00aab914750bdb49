"""`acp-tui send`: send a prompt to a kept run, or one message made by hand to an agent."""

import argparse
import os
import sys

from acp_tui.cli import one_shot
from acp_tui.cli.output import USAGE, complain, out

_USAGE = """\
acp-tui send NAME PROMPT
       acp-tui send --method METHOD [--params JSON] [OPTIONS] -- COMMAND [ARG...]"""
_EPILOG = """\
acp-tui send tea "Go on"                                                            to a kept run
acp-tui send --method session/set_mode --params '{"modeId": "code"}' -- my-agent    by hand

The second form starts an agent, initializes it, opens a session where the method needs one and the params
name none, sends the message, prints each answer as the line that it is, and ends the agent.

exit codes: 0 a result; 1 an error, or the agent has gone; 2 usage, or not sent: the message is wrong;
3 no answer in time"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments."""
    parser.usage = _USAGE
    parser.description = (
        "Send a prompt to a kept run; during a turn, it waits for the end.\n"
        "Or send one message made by hand to an agent that is started for it."
    )
    parser.epilog = _EPILOG
    parser.add_argument("name", metavar="NAME", nargs="?", help="as acp-tui ps lists it")
    parser.add_argument(
        "prompt", metavar="PROMPT", nargs="?", help="the text; - reads it from stdin"
    )
    parser.add_argument(
        "--session",
        metavar="ID",
        help="the beginning of its id, or its title, if there are several",
    )
    one_shot.add(parser)


def execute(options: argparse.Namespace) -> int:
    """Send the message, or the prompt."""
    if options.method is not None or options.raw is not None:
        return one_shot.execute(options)
    words = [one for one in (options.name, options.prompt) if one is not None]
    words += options.agent_command
    if len(words) != 2:
        options.parser.error("name a kept run and a prompt, or a --method and an agent after --")
    options.name, options.prompt = words
    return _prompt(options)


def _prompt(options: argparse.Namespace) -> int:
    from acp_tui.config.paths import kept_folder
    from acp_tui.kept.requests import request
    from acp_tui.kept.run_places import KeptRunError, find

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
