"""Options that choose agents: by name, by command, or by URL."""

import argparse
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from acp_tui.cli.commands import COMMANDS
from acp_tui.cli.options import launch_options
from acp_tui.cli.options.named_agents import named_agent
from acp_tui.cli.options.recording_options import explain_missing
from acp_tui.cli.options.session_opening import add_recorded_session, confirm_opening
from acp_tui.cli.output import USAGE, print_error
from acp_tui.config.settings import AgentSettings

if TYPE_CHECKING:
    from acp_tui.cli.parser import Parser
    from acp_tui.client.launch import Launch


def add_agent_options(parser: argparse.ArgumentParser, *, several: bool, after: str = "") -> None:
    """Add the options that choose an agent; with `several`, more than one.

    `after` is what example commands in errors have before the agent, such as a prompt.
    """
    parser.set_defaults(agent_after=f"{after} -- ".lstrip())
    more = " (repeatable: side by side in one window)" if several else ""
    parser.add_argument(
        "--agent",
        metavar="NAME",
        action="append",
        default=[],
        help=f"an agent of settings.toml or of the registry{more}; see acp-tui agents",
    )
    remote = parser.add_argument_group("remote agents (need the extra remote)")
    remote.add_argument(
        "--connect",
        metavar="URL",
        action="append",
        default=[],
        help=f"connect to ws://, wss://, http:// or https://HOST/PATH{more}",
    )
    remote.add_argument(
        "--header",
        metavar="'NAME: VALUE'",
        action="append",
        default=[],
        help="send it with each request to --connect (repeatable)",
    )
    remote.add_argument(
        "--token-env", metavar="NAME", help="the variable that holds the bearer token for --connect"
    )
    remote.add_argument(
        "--token-command",
        metavar="COMMAND",
        type=shlex.split,
        help="the command that prints the bearer token for --connect",
    )


def chosen_agents(
    parser: "Parser",
    options: argparse.Namespace,
    known: Mapping[str, AgentSettings],
) -> list[tuple[str, AgentSettings]]:
    """Return the agents to start, in order, with their names in the settings; usage errors end the
    program.
    """
    agents = [(name, named_agent(name, known, COMMANDS)) for name in options.names]
    agents += [(name, named_agent(name, known)) for name in options.agent]
    agents += [("", _make_remote_agent(parser, options, url)) for url in options.connect]
    if not options.connect and (options.header or options.token_env or options.token_command):
        parser.error("--header, --token-env and --token-command are for --connect")
    if options.agent_command:
        agents.append(("", AgentSettings(command=options.agent_command)))
    if not agents:
        names = f" ({', '.join(known)})" if known else ""
        parser.error(
            f"name an agent with --agent{names}, or its command after --, as in: "
            f"{parser.command} {options.agent_after}my-agent --acp; see acp-tui agents"
        )
    if getattr(options, "watch", []) and all(agent.url for _, agent in agents):
        parser.error("--watch is for an agent that acp-tui starts")
    if options.env and all(agent.url is not None for _, agent in agents):
        parser.error("--env is for an agent that acp-tui starts")
    if options.connect and launch_options.chosen_place(options):
        parser.error("--in and --sandbox are for an agent that acp-tui starts: not for --connect")
    if len(agents) > 1 and options.resume is not None:
        parser.error("--resume is for one agent, but several are named")
    return agents


def _make_remote_agent(
    parser: argparse.ArgumentParser, options: argparse.Namespace, url: str
) -> AgentSettings:
    """Return the remote agent at `url`; an unusable address or header ends the program."""
    pairs = [line.partition(":") for line in options.header]
    if not all(colon for _, colon, _ in pairs):
        parser.error("--header wants 'NAME: VALUE'")
    try:
        return AgentSettings(
            url=url,
            headers={name.strip(): value.strip() for name, _, value in pairs},
            token_env=options.token_env,
            token_command=options.token_command or [],
        )
    except ValidationError as error:
        parser.error(f"--connect: {error.errors()[0]['ctx']['error']}")


def override_agent(
    agent: AgentSettings, env: Mapping[str, str], options: argparse.Namespace
) -> AgentSettings:
    """Override an agent's settings with the options of the command line."""
    cwd = agent.cwd if options.cwd == os.curdir else None
    log = options.agent_log or agent.log
    protocol = getattr(options, "protocol", None) or agent.protocol
    if agent.url is not None:
        return agent.model_copy(update={"cwd": cwd, "log": log, "protocol": protocol})
    place = launch_options.chosen_place(options) or agent.place
    watch = [*agent.watch, *_check_watched(options)]
    return agent.model_copy(
        update={
            "env": {**agent.env, **env},
            "cwd": cwd,
            "place": place,
            "protocol": protocol,
            "watch": watch,
            "log": log,
        }
    )


def _check_watched(options: argparse.Namespace) -> list[str]:
    """Return the paths of `--watch`; a missing path, or a missing watchfiles, ends the program."""
    paths: list[str] = getattr(options, "watch", [])
    for path in paths:
        if not Path(path).exists():
            options.parser.error(f"--watch: there is no {path!r}")
    if paths:
        try:
            import watchfiles  # noqa: F401
        except ImportError as error:
            print_error(explain_missing("--watch", "watch", error))
            raise SystemExit(USAGE) from None
    return paths


def launch_chosen(agent: AgentSettings, base: "Launch") -> "Launch":
    """Build the launch of an agent from its settings and `base`, which all agents share."""
    from acp_tui.client.launch import as_placed, launch_of

    launch = as_placed(replace(launch_of(agent, base), opening=base.opening))
    launch_options.check_place(launch)
    return add_recorded_session(launch, confirm_opening(launch))


def make_paths_absolute(command: Sequence[str]) -> list[str]:
    """Return a command with its file paths made absolute: the agent starts in another folder."""
    program, *arguments = command
    found = str(Path(program).absolute()) if os.sep in program else program
    return [
        found,
        *(str(Path(one).absolute()) if Path(one).is_file() else one for one in arguments),
    ]


def probe_launch(agent: AgentSettings, env: Mapping[str, str], **placed: Any) -> "Launch":
    """Return the launch of an agent for `check` and `matrix`: no session is opened. `env` is added
    to its variables, and `placed` are more fields of the `Launch`.
    """
    from acp_tui.client.launch import Launch, command_of

    argv = tuple(make_paths_absolute(command_of(agent))) if agent.url is None else ()
    return Launch(
        argv,
        str(Path.cwd()),
        {**agent.env, **env},
        remote=agent.remote,
        opening=None,
        handshake=False,
        backups=False,
        **placed,
    )
