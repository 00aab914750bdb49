"""`acp-tui send`: send a prompt to a kept run, or one hand-written message to an agent."""

import argparse
import json
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_tui.cli.options import agent_options, launch_options, session_options
from acp_tui.cli.options.only_agent import choose_agent, launched
from acp_tui.cli.options.values import parse_seconds
from acp_tui.cli.output import USAGE, out, print_error
from acp_tui.config.paths import kept_folder
from acp_tui.config.private_files import read_file

if TYPE_CHECKING:
    from acp_tui.debug.drafts import MessageDraft
    from acp_tui.headless.one_shot import OneShotOptions
    from acp_tui.protocol.method_forms import MethodForm


_USAGE = """\
acp-tui send NAME PROMPT
       acp-tui send --method METHOD [--params JSON] [OPTIONS] -- COMMAND [ARG...]"""
_EPILOG = """\
acp-tui send tea "Go on"                                                            to a kept run
acp-tui send --method session/set_mode --params '{"modeId": "code"}' -- my-agent    by hand

The second form starts an agent, initializes it, opens a session where the method needs one and the params
name none, fills in cwd and mcpServers if the params lack them, sends the message, prints each answer as it
came, and ends the agent. With --bare it only sends the message.

exit codes: 0 a result; 1 an error, or the agent has gone; 2 usage, or not sent: the message is wrong;
3 no answer in time"""


ID = "by-hand-1"
"""The default id of the request."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.usage = _USAGE
    parser.description = (
        "Send a prompt to a kept run; during a turn, it waits for the end.\n"
        "Or start an agent, and send it one message written by hand."
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
    _add_message_options(parser)


def execute(options: argparse.Namespace) -> int:
    """Send the message, or the prompt."""
    if options.method is not None or options.raw is not None:
        return _send_message(options)
    words = [one for one in (options.name, options.prompt) if one is not None]
    words += options.agent_command
    if len(words) != 2:
        options.parser.error("name a kept run and a prompt, or a --method and an agent after --")
    options.name, options.prompt = words
    return _send_prompt(options)


def _add_message_options(parser: argparse.ArgumentParser) -> None:
    message = parser.add_argument_group(
        "one message for an agent (acp-tui send --method … -- AGENT)"
    )
    message.add_argument("--method", metavar="METHOD", help="the method to call")
    message.add_argument(
        "--params", metavar="JSON", help="its params: JSON, @FILE, or - for stdin (default: {})"
    )
    message.add_argument("--notify", action="store_true", help="as a notification, without an id")
    message.add_argument("--id", metavar="JSON", default=ID, help=f"the id (default: {ID})")
    message.add_argument(
        "--raw",
        metavar="LINES",
        help=r"instead of --method: raw lines (\xff is a byte), @FILE, or - for stdin",
    )
    message.add_argument(
        "--bare", action="store_true", help="send nothing before it: no initialize, no session"
    )
    message.add_argument(
        "--anyway", action="store_true", help="send it even if the schema says that it is wrong"
    )
    message.add_argument(
        "--max-time",
        metavar="SECONDS",
        type=parse_seconds,
        default=60.0,
        help="give up after this time (default: 60)",
    )
    message.add_argument(
        "--listen",
        metavar="SECONDS",
        type=parse_seconds,
        default=1.0,
        help="how long to listen to the agent if no answer is due (default: 1)",
    )
    agent_options.add_agent_options(parser, several=False, after="--method METHOD")
    launch_options.add_launch_options(parser)
    session_options.add_session_options(parser, picker=False)


def _send_message(options: argparse.Namespace) -> int:
    """Send the message; return the exit code for its response."""
    parser = options.parser
    if options.name is not None:
        parser.error("--method and --raw are for an agent after --, not for a kept run")
    if options.method is not None and options.raw is not None:
        parser.error("--raw takes the place of --method: give one of them")
    shot = _one_shot(options)
    agent, settings = choose_agent(options, "one message is for one agent: name only one")
    base = launch_options.base_launch(options, agent, settings)
    opening = base.opening if shot.needs_session else None
    base = replace(base, opening=opening, handshake=not options.bare)
    import anyio

    from acp_tui.headless.agent_runs import run_one_shot

    with launched(options, agent, settings, base, by="send") as (launch, recorder):
        return anyio.run(run_one_shot, launch, recorder, shot, partial(print_error, command="send"))


def _one_shot(options: argparse.Namespace) -> "OneShotOptions":
    """Build what to send from the options; end the program if it is invalid."""
    from acp_tui.debug.drafts import DraftError, read_draft_json, to_bytes, write_json
    from acp_tui.headless.one_shot import OneShotOptions
    from acp_tui.protocol.method_forms import method_forms

    form = method_forms().get(options.method or "")
    draft = _make_draft(options, form)
    try:
        params = read_draft_json("params", draft.params) if draft.params else {}
        if not options.bare and isinstance(params, dict):
            params = _default_params(options, form, params) | params
            draft = replace(draft, params=write_json(params)) if params else draft
        needs = not options.bare and _lacks_session(form, params)

        def lines(session_id: str | None) -> list[bytes]:
            if options.raw is not None:
                raw = _read_argument(options.raw)
                data = raw if isinstance(raw, bytes) else to_bytes(raw)
                return [one for one in data.split(b"\n") if one]
            if session_id is None:
                return draft.lines()
            return replace(draft, params=write_json({"sessionId": session_id, **params})).lines()

        made = lines("" if needs else None)
    except DraftError as error:
        options.parser.error(f"--{error.field}: {error}")
    if not made:
        options.parser.error("--raw: there is nothing to send")
    _judge_message(options, made)
    again = (lambda _: made) if options.raw is not None else lines
    return OneShotOptions(again, needs, options.bare, options.listen, options.max_time)


def _make_draft(options: argparse.Namespace, form: "MethodForm | None") -> "MessageDraft":
    from acp_tui.debug.drafts import DraftKind, MessageDraft

    if options.raw is not None:
        return MessageDraft(DraftKind.RAW)
    kind = DraftKind.NOTIFICATION if options.notify else DraftKind.REQUEST
    if form is not None and not form.is_request and not options.anyway:
        kind = DraftKind.NOTIFICATION
    params = "" if options.params is None else _read_argument(options.params)
    if isinstance(params, bytes):
        params = params.decode("utf-8", "surrogateescape")
    params = params or ("{}" if form is not None else "")
    return MessageDraft(kind, options.method, options.id, params)


def _read_argument(text: str) -> str | bytes:
    """Return an argument's text: the argument itself, the content of `@FILE`, or stdin for `-`."""
    if text == "-":
        return sys.stdin.buffer.read()
    if not text.startswith("@"):
        return text
    try:
        return read_file(Path(text[1:]))
    except OSError as error:
        print_error(f"can't read {text[1:]!r}: {error.strerror}", "send")
        raise SystemExit(USAGE) from None


def _default_params(
    options: argparse.Namespace, form: "MethodForm | None", params: dict[str, Any]
) -> dict[str, Any]:
    """Return the required params `cwd` and `mcpServers` that were not given, and report their
    values on stderr.
    """
    known: dict[str, Any] = {"cwd": os.path.realpath(options.cwd), "mcpServers": []}
    required = () if form is None else [one.name for one in form.params if one.required]
    missing = {name: known[name] for name in required if name in known and name not in params}
    for name, value in missing.items():
        print_error(f"{name} was not given: {json.dumps(value, ensure_ascii=False)}", "send")
    return missing


def _lacks_session(form: "MethodForm | None", params: Any) -> bool:
    """Return whether a method needs a session, and the params name none."""
    required = form is not None and any(
        one.name == "sessionId" for one in form.params if one.required
    )
    return required and isinstance(params, dict) and "sessionId" not in params


def _judge_message(options: argparse.Namespace, lines: list[bytes]) -> None:
    """Print what is wrong with the lines; end the program unless `--anyway` is given."""
    from acp_tui.debug.drafts import find_draft_notes

    found = [one for line in lines for one in find_draft_notes(line)]
    for one in found:
        print_error(one.words, "send")
    if any(one.needs_confirmation for one in found) and not options.anyway:
        print_error("not sent; --anyway sends it", "send")
        raise SystemExit(USAGE)


def _send_prompt(options: argparse.Namespace) -> int:
    from acp_tui.kept.run_places import KeptRunError, find_run, send_request

    if options.prompt == "-":
        text = sys.stdin.read()
    else:
        text = os.fsencode(options.prompt).decode("utf-8", "replace")
    if not text.strip():
        options.parser.error("the prompt is empty")
    try:
        place = find_run(kept_folder(), options.name)
        told = send_request(place, "send", prompt=text, session=options.session)
    except KeptRunError as error:
        print_error(str(error), "send")
        return USAGE
    words = "waits for the end of the turn" if told.get("waits") else "sent"
    out(f"{words}: {place.name}, session {told.get('sent')}")
    return 0
