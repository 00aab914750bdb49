"""Options for starting an agent, with its place, settings, breakpoints and faults; builds the
`Launch` from them.
"""

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_tui.cli.options import recording_options, session_options
from acp_tui.cli.options.values import parse_seconds, parse_variables
from acp_tui.cli.output import USAGE, print_error
from acp_tui.config.layers import OPTION_VALUES, load_settings, parse_setting_text
from acp_tui.config.paths import last_seen_file, settings_file
from acp_tui.config.settings import AgentSettings, PlaceSettings, Protocol, Settings
from acp_tui.config.toml_files import ConfigError

if TYPE_CHECKING:
    from acp_tui.client.launch import GateOptions, Launch
    from acp_tui.config.client_profiles import ClientProfile


_SANDBOX = "sandbox"
"""The name of the place that `--sandbox` runs the agent in; the settings may redefine it."""


def add_place_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose where an agent runs."""
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
        help="run the agent in a sandbox: of your home, it sees the working directory only",
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
    """Return the place that the options choose for all agents, or "" for none."""
    return _SANDBOX if options.sandbox else str(options.place)


def is_elsewhere(fields: dict[str, Any], folder: str) -> bool:
    """Return whether an agent with these `Launch` fields works on files of another machine or a
    container.
    """
    if not fields["place"]:
        return False
    from acp_tui.client.place_kinds import find_place

    return find_place(fields["place"], fields["places"], folder).elsewhere


def known_places(named: Mapping[str, PlaceSettings]) -> dict[str, PlaceSettings]:
    """Return all named places: those of the settings, and the sandbox."""
    return {_SANDBOX: PlaceSettings(where="bwrap"), **named}


def launch_fields(
    parser: argparse.ArgumentParser, options: argparse.Namespace, settings: Settings
) -> dict[str, Any]:
    """Return the `Launch` fields `place` and `places` from the options; usage errors end the
    program.
    """
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
    """End the program with the reason if an agent can't be started in its place."""
    if not launch.place:
        return
    from acp_tui.client.place_kinds import explain_trouble

    why = explain_trouble(launch.find_place(), launch.argv, launch.cwd)
    if why is not None:
        print_error(why)
        raise SystemExit(USAGE)


def add_setting_option(parser: argparse.ArgumentParser) -> None:
    """Add `--setting`."""
    parser.add_argument_group("settings").add_argument(
        "--setting",
        metavar="NAME=VALUE",
        action=_StoreSetting,
        help="a setting for this run, such as bell=false; acp-tui config lists them (repeatable)",
    )


class _StoreSetting(argparse.Action):
    """Stores a setting in `OPTION_VALUES`, for this command line only."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        _namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        _option: str | None = None,
    ) -> None:
        name, equals, value = str(values).partition("=")
        if not equals:
            parser.error(f"--setting wants NAME=VALUE, not {values!r}")
        try:
            parse_setting_text(name, value, "--setting")
        except ConfigError as error:
            parser.error(str(error))
        OPTION_VALUES[name] = value


def add_launch_options(parser: argparse.ArgumentParser) -> None:
    """Add all options for starting an agent."""
    agent = parser.add_argument_group("agent")
    agent.add_argument("--cwd", metavar="DIR", default=".", help="working directory (default: .)")
    agent.add_argument(
        "--env", metavar="K=V", action="append", default=[], help="set for the agent (repeatable)"
    )
    agent.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=parse_seconds,
        help="how long the agent may take to start, and to open a session (default: 60, or the settings)",
    )
    agent.add_argument(
        "--agent-log",
        metavar="FILE",
        default="",
        help="show the agent's own log among its messages (relative to its folder)",
    )
    record = agent.add_mutually_exclusive_group()
    record.add_argument(
        "--record",
        metavar="FILE",
        type=Path,
        help="record into FILE (default: a new file; see acp-tui log)",
    )
    record.add_argument("--no-record", action="store_true", help="record nothing")
    agent.add_argument(
        "--as",
        dest="profile",
        metavar="CLIENT",
        help="act as another client: zed, jetbrains, neovim, minimal, air, or FILE",
    )
    agent.add_argument(
        "--protocol",
        choices=("1", "2", "auto"),
        help="speak this version of ACP (2 is a preview; auto: 2 if the agent can, else 1; default: 1)",
    )
    agent.add_argument(
        "--no-quirks", action="store_true", help="use no workarounds for known agents"
    )
    add_setting_option(parser)
    session_options.add_rules(parser)
    add_place_options(parser)
    add_fault_options(parser)
    recording_options.add_telemetry_option(parser)


def user_settings() -> Settings:
    """Load the user's settings; end the program if they are invalid."""
    try:
        return load_settings(settings_file())
    except ConfigError as error:
        print_error(str(error))
        raise SystemExit(USAGE) from None


def base_launch(
    options: argparse.Namespace,
    agent: AgentSettings,
    settings: Settings,
    *,
    interactive: bool = False,
    person: bool = False,
) -> "Launch":
    """Build the launch that all agents of the command line share; usage errors end the program.

    `interactive`: the UI asks, later, what is otherwise asked here. `person`: somebody can answer
    at the terminal.
    """
    parser = options.parser
    env = parse_variables(options)
    folder = working_folder(options)

    from acp_tui.client.capabilities import capabilities_to_offer
    from acp_tui.client.launch import Launch, command_of

    limits = settings.limits
    placed = launch_fields(parser, options, settings)
    return Launch(
        command_of(agent),
        folder,
        env,
        remote=agent.remote,
        limits=limits if options.timeout is None else limits.to_start(options.timeout),
        quirks=None
        if options.no_quirks
        else tuple(one.quirk() for one in settings.quirks.values()),
        capabilities=capabilities_to_offer(
            interactive=interactive, person=person, unstable=options.unstable
        ),
        protocol=_choose_protocol(options) or agent.protocol or "1",
        profile=_find_profile(parser, options.profile),
        ask_if_changed=settings.files.changed == "ask",
        gate=gate_options(options),
        last_seen=None if options.no_record else last_seen_file(),
        **placed,
        **session_options.session_fields(
            parser,
            options,
            settings,
            folder,
            interactive=interactive,
            elsewhere=is_elsewhere(placed, folder),
        ),
    )


def working_folder(options: argparse.Namespace) -> str:
    """Return the real path of the working folder, with symlinks resolved; end the program if there
    is none.
    """
    try:
        cwd = Path(options.cwd).absolute()
    except FileNotFoundError:
        options.parser.error("this folder no longer exists; change to another, or give --cwd")
    if not cwd.is_dir():
        options.parser.error(f"--cwd: {str(cwd)!r} is not a directory")
    return os.path.realpath(cwd)


def _choose_protocol(options: argparse.Namespace) -> Protocol | None:
    if options.protocol not in (None, "1") and options.profile is not None:
        options.parser.error("--as says what a client of version 1 says: leave out --protocol")
    protocol: Protocol | None = options.protocol
    return protocol


def _find_profile(parser: argparse.ArgumentParser, name: str | None) -> "ClientProfile | None":
    if name is None:
        return None
    from acp_tui.config.client_profiles import find_profile

    try:
        return find_profile(name)
    except ConfigError as error:
        parser.error(f"--as: {error}")


def add_breakpoints(parser: argparse.ArgumentParser) -> None:
    """Add `--break`, for commands with a user who can release held messages."""
    parser.add_argument_group("breakpoints").add_argument(
        "--break",
        dest="breakpoints",
        metavar="FILTER",
        action="append",
        default=[],
        help="hold messages that match FILTER until you release them: F12, H (repeatable)",
    )


def add_fault_options(parser: argparse.ArgumentParser) -> None:
    """Add `--fault` and `--fault-seed`."""
    group = parser.add_argument_group("faults on purpose")
    group.add_argument(
        "--fault",
        dest="faults",
        metavar="SPEC",
        action="append",
        default=[],
        help="inject a fault: [in:|out:]NAME[=VALUE][:FILTER], as drop=10%% or delay=1s-3s (repeatable)",
    )
    group.add_argument(
        "--fault-seed",
        metavar="N",
        type=int,
        default=0,
        help="the seed: the same N gives the same faults (default: 0)",
    )


def gate_options(options: argparse.Namespace) -> "GateOptions":
    """Return the gate's initial breakpoints and faults; usage errors end the program."""
    from acp_tui.client.launch import GateOptions

    check_faults(options)
    breakpoints = tuple(getattr(options, "breakpoints", ()))
    if breakpoints:
        _check_filters(options.parser, breakpoints)
    return GateOptions(breakpoints, tuple(options.faults), options.fault_seed)


def check_faults(options: argparse.Namespace) -> None:
    """End the program with a usage error if a fault can't be parsed."""
    if not options.faults:
        return
    from acp_tui.debug.faults import FaultError, read_fault

    for text in options.faults:
        try:
            read_fault(text)
        except FaultError as error:
            options.parser.error(f"--fault: {error}")


def _check_filters(parser: argparse.ArgumentParser, filters: tuple[str, ...]) -> None:
    from acp_tui.debug.filters.language import FilterError
    from acp_tui.debug.filters.predicates import compile_filter

    for text in filters:
        try:
            compile_filter(text)
        except FilterError as error:
            parser.error(f"--break:\n{error.pointed(text)}")
