"""Command-line options for starting an agent, and the `Launch` made from them."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli import telemetry
from acp_tui.cli.options import fault_options, places, session_options, setting_option
from acp_tui.cli.options.values import seconds
from acp_tui.cli.output import USAGE, complain

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch
    from acp_tui.config.client_profiles import ClientProfile
    from acp_tui.config.settings import AgentSettings, Protocol, Settings


def add_launch_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    agent = parser.add_argument_group("agent")
    agent.add_argument("--cwd", metavar="DIR", default=".", help="working directory (default: .)")
    agent.add_argument(
        "--env", metavar="K=V", action="append", default=[], help="set for the agent (repeatable)"
    )
    agent.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=seconds,
        help="how long the agent may take to start, and to open a session (default: 60, or the settings)",
    )
    agent.add_argument(
        "--agent-log",
        metavar="FILE",
        default="",
        help="the agent's own log: its lines stand among the frames (relative to its folder)",
    )
    recording = agent.add_mutually_exclusive_group()
    recording.add_argument(
        "--record",
        metavar="FILE",
        type=Path,
        help="record into FILE (default: a new file; see acp-tui log)",
    )
    recording.add_argument("--no-record", action="store_true", help="record nothing")
    agent.add_argument(
        "--as",
        dest="profile",
        metavar="CLIENT",
        help="say and offer what another client does: zed, jetbrains, neovim, minimal, or FILE",
    )
    agent.add_argument(
        "--protocol",
        choices=("1", "2", "auto"),
        help="speak this version of ACP (2 is a preview; auto: 2 if the agent can, else 1; default: 1)",
    )
    agent.add_argument(
        "--no-quirks", action="store_true", help="use no workarounds for known agents"
    )
    setting_option.add_setting_option(parser)
    session_options.add_rules(parser)
    places.add_place_options(parser)
    fault_options.add_fault_options(parser)
    telemetry.add_telemetry_option(parser)


def settings_of_person() -> "Settings":
    """Load the settings; end the program if they can't be used."""
    from acp_tui.config.errors import ConfigError
    from acp_tui.config.paths import settings_file
    from acp_tui.config.settings import load_settings

    try:
        return load_settings(settings_file())
    except ConfigError as error:
        complain(str(error))
        raise SystemExit(USAGE) from None


def base_launch(
    options: argparse.Namespace,
    agent: "AgentSettings",
    settings: "Settings",
    *,
    interactive: bool = False,
    person: bool = False,
) -> "Launch":
    """Make the launch that all agents of the command line share; end the program on a usage error.

    `interactive` means that the UI will ask what would otherwise be asked here; `person`, that
    somebody can answer at the terminal.
    """
    parser = options.parser
    env = {}
    for pair in options.env:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            parser.error(f"--env wants NAME=VALUE, not {pair!r}")
        env[name] = value
    try:
        cwd = Path(options.cwd).absolute()
    except FileNotFoundError:
        parser.error("this folder no longer exists; change to another, or give --cwd")
    if not cwd.is_dir():
        parser.error(f"--cwd: {str(cwd)!r} is not a directory")

    from acp_tui.client.launch import Launch, capabilities, command_of
    from acp_tui.config.paths import last_seen_file

    folder, limits = os.path.realpath(cwd), settings.limits
    placed = places.launch_options(parser, options, settings)
    return Launch(
        command_of(agent),
        folder,
        env,
        remote=agent.remote,
        limits=limits if options.timeout is None else limits.to_start(options.timeout),
        quirks=not options.no_quirks,
        own_quirks=tuple(one.quirk() for one in settings.quirks.values()),
        capabilities=capabilities(
            interactive=interactive, person=person, unstable=options.unstable
        ),
        protocol=_protocol(options) or agent.protocol or "1",
        profile=_profile(parser, options.profile),
        ask_if_changed=settings.files.changed == "ask",
        project_prompt=settings.system_prompt if options.system_prompt is None else "",
        last_seen=None if options.no_record else last_seen_file(),
        **placed,
        **fault_options.launch_options(parser, options),
        **session_options.launch_options(
            parser,
            options,
            folder,
            interactive=interactive,
            elsewhere=places.is_elsewhere(placed, folder),
            max_quota=settings.max_quota,
        ),
    )


def _protocol(options: argparse.Namespace) -> "Protocol | None":
    if options.protocol not in (None, "1") and options.profile is not None:
        options.parser.error("--as says what a client of version 1 says: leave out --protocol")
    protocol: Protocol | None = options.protocol
    return protocol


def _profile(parser: argparse.ArgumentParser, name: str | None) -> "ClientProfile | None":
    from acp_tui.config.client_profiles import find_profile
    from acp_tui.config.errors import ConfigError

    if name is None:
        return None
    try:
        return find_profile(name)
    except ConfigError as error:
        parser.error(f"--as: {error}")
