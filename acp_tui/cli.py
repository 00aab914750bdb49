"""The command line: arguments in, an exit code out. Composes the client with a view."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from acp_tui import __version__
from acp_tui import agents as agent_options
from acp_tui import options as session_options
from acp_tui import turns as turn_options

if TYPE_CHECKING:
    from acp_tui.client.client import Launch
    from acp_tui.client.recorder import Recorder
    from acp_tui.config.settings import AgentSettings, Settings

USAGE = 2
INTERRUPTED = 130
DEMO_AGENT = (sys.executable, "-m", "acp_tui.demo_agent")

OVERVIEW = """\
usage: acp-tui [OPTIONS] -- COMMAND [ARG...]       work with an agent
       acp-tui [OPTIONS] --agent NAME...           ... or with those that settings.toml names
       acp-tui run [OPTIONS] PROMPT -- COMMAND...  one turn, no UI
       acp-tui demo [OPTIONS]                      the built-in demo agent
       acp-tui log [FILE] [OPTIONS]                read a recording; without FILE, list them
       acp-tui replay RECORDING [OPTIONS]          play it in the app, as if it were live
       acp-tui export RECORDING [OPTIONS]          write it as Markdown, HTML or SVG
       acp-tui policy list|forget|test             rules about permissions

COMMAND is started as it stands, without a shell: acp-tui -- gemini --experimental-acp
"""

EXIT_CODES = """\
exit codes: 0 the turn ended; 1 agent or protocol error; 2 usage; 3 timeout;
4 refusal, or a limit of tokens or requests; 5 a permission was rejected for want of a person;
6 --findings found something; 130 interrupted (by SIGINT, SIGTERM or SIGHUP)"""

UI_EXIT_CODES = """\
exit codes: 0 left; 1 the UI failed; 2 usage; 129 the terminal is gone (SIGHUP);
130 interrupted (SIGINT); 143 terminated (SIGTERM)"""


def run(argv: Sequence[str]) -> int:
    """Do what the arguments say; return the exit code."""
    try:
        return _run(argv)
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(argv: Sequence[str]) -> int:
    own, command = _split(list(argv))
    if own and own[0] == "run":
        return _run_turn(own[1:], command)
    if own and own[0] == "demo":
        return _run_demo(own[1:], command)
    if own and own[0] == "log":
        from acp_tui.debug.command import run as run_log

        return run_log([*own[1:], *command])
    if own and own[0] == "replay":
        from acp_tui.replay import run as run_replay

        return run_replay([*own[1:], *command])
    if own and own[0] == "export":
        from acp_tui.export import run as run_export

        return run_export([*own[1:], *command])
    if own and own[0] == "policy":
        from acp_tui.debug.policy import run as run_policy

        return run_policy([*own[1:], *command])
    return _run_ui(own, command)


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    """Our arguments, and the agent's command after the first `--`."""
    if "--" not in argv:
        return argv, []
    at = argv.index("--")
    return argv[:at], argv[at + 1 :]


def _parser(usage: str, description: str, epilog: str | None = None) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        "acp-tui",
        usage=usage,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _add_agent_options(parser: argparse.ArgumentParser) -> None:
    agent = parser.add_argument_group("agent")
    agent.add_argument("--cwd", metavar="DIR", default=".", help="working directory (default: .)")
    agent.add_argument(
        "--env", metavar="K=V", action="append", default=[], help="set for the agent (repeatable)"
    )
    agent.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=turn_options.seconds,
        help="how long the agent may take to start, and to open a session (default: 60, or the settings)",
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
        "--no-quirks", action="store_true", help="treat every agent by the protocol alone"
    )
    session_options.add_rules(parser)


def _run_ui(argv: list[str], command: list[str]) -> int:
    parser = _parser(
        OVERVIEW.removeprefix("usage: "),
        "The terminal client and debugger for Agent Client Protocol (ACP) agents.",
        UI_EXIT_CODES,
    )
    parser.add_argument("--version", action="version", version=f"acp-tui {__version__}")
    agent_options.add(parser, several=True)
    _add_agent_options(parser)
    session_options.add(parser, picker=True)
    _add_ui_options(parser)
    options, rest = parser.parse_known_args(argv)
    if rest:
        _reject_rest(parser, rest)
    settings = _settings()
    agents = agent_options.chosen(parser, options, command, settings.agents)
    base = _launch(parser, options, agents[0][1].command, settings, interactive=True)
    return _host_ui(agents, base, options, settings, settings.agents)


def _add_ui_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument_group("recovery").add_argument(
        "--restart",
        choices=("never", "on-failure"),
        help="start the agent again by itself when it fails (default: never, or the settings)",
    )
    look = parser.add_argument_group("look")
    look.add_argument("--theme", metavar="NAME", help="a theme of themes/*.toml")


def _run_demo(argv: list[str], command: list[str]) -> int:
    parser = _parser("acp-tui demo [OPTIONS]", "Work with the built-in demo agent, offline.")
    _add_agent_options(parser)
    session_options.add(parser, picker=True)
    _add_ui_options(parser)
    options = parser.parse_args(argv)
    if command:
        parser.error("the demo brings its own agent: leave out -- and what follows")
    from tempfile import TemporaryDirectory

    from acp_tui.client.process.watchdog import watchdog
    from acp_tui.config.settings import AgentSettings
    from acp_tui.demo_agent.workspace import sample_workspace

    with TemporaryDirectory(prefix="acp-tui-demo-") as folder:
        watchdog.start()
        watchdog.add_path(Path(folder))
        if options.cwd == ".":
            sample_workspace(Path(folder))
            options.cwd = folder
        settings = _settings()
        demo = AgentSettings(command=list(DEMO_AGENT))
        base = _launch(parser, options, demo.command, settings, interactive=True)
        known = {"second demo agent": demo, **settings.agents}
        here = Path.cwd()  # the demo's own folder goes with it
        return _host_ui([("", demo)], base, options, settings, known, exports_into=here)


def _run_turn(argv: list[str], command: list[str]) -> int:
    parser = _parser(
        "acp-tui run [OPTIONS] PROMPT -- COMMAND [ARG...]",
        "One turn without a UI: the agent's message on stdout, everything else on stderr.",
        EXIT_CODES,
    )
    turn_options.add(parser)
    agent_options.add(parser, several=False)
    _add_agent_options(parser)
    session_options.add(parser, picker=False)
    options, rest = parser.parse_known_args(turn_options.with_values(argv))
    if rest:
        _reject_rest(parser, rest)
    settings = _settings()
    agents = agent_options.chosen(parser, options, command, settings.agents)
    if len(agents) > 1:
        parser.error("one turn is for one agent: name a single one")
    prompt = turn_options.prompt(parser, options)
    ((_, named),) = agents
    base = _launch(parser, options, named.command, settings, person=turn_options.person())
    agent = agent_options.as_chosen(named, base.env, options)
    return _host_turn(agent_options.launch_chosen(agent, base), options, prompt)


def _reject_rest(parser: argparse.ArgumentParser, rest: list[str]) -> NoReturn:
    hint = ""
    if rest[0] in ("run", "demo", "log", "replay", "export", "policy"):
        hint = f"; it must come first: acp-tui {rest[0]} [OPTIONS]"
    elif not rest[0].startswith("-"):
        hint = f"; is it the agent? Then: acp-tui -- {' '.join(rest)}"
    parser.error(f"unknown argument: {rest[0]}{hint}")


def _launch(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    command: list[str],
    settings: "Settings",
    *,
    interactive: bool = False,
    person: bool = False,
) -> "Launch":
    env = {}
    for pair in options.env:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            parser.error(f"--env wants NAME=VALUE, not {pair!r}")
        env[name] = value
    try:
        cwd = Path(options.cwd).absolute()
    except FileNotFoundError:
        parser.error("this folder doesn't exist any more; change to another, or give --cwd")
    if not cwd.is_dir():
        parser.error(f"--cwd: {str(cwd)!r} is not a directory")

    from acp_tui.client.launch import Launch, capabilities, program

    folder, limits = os.path.realpath(cwd), settings.limits
    return Launch(
        (program(command[0]), *command[1:]),
        folder,
        env,
        limits=limits if options.timeout is None else limits.to_start(options.timeout),
        quirks=not options.no_quirks,
        capabilities=capabilities(
            interactive=interactive, person=person, unstable=options.unstable
        ),
        ask_if_changed=settings.files.changed == "ask",
        **session_options.launch_options(parser, options, folder, interactive=interactive),
        **session_options.rules(parser, options, folder),
    )


def _settings() -> "Settings":
    """The person's settings; ends the program if they can't be used."""
    from acp_tui.config.errors import ConfigError
    from acp_tui.config.paths import settings_file
    from acp_tui.config.settings import load_settings

    try:
        return load_settings(settings_file())
    except ConfigError as error:
        _say(str(error))
        raise SystemExit(USAGE) from None


def _recovering(launch: "Launch", options: argparse.Namespace, settings: "Settings") -> "Launch":
    """What happens when the agent fails: as the settings say, and the command line before them."""
    when = options.restart or settings.restart.when
    return replace(launch, restart=settings.restart.model_copy(update={"when": when}))


def _host_ui(
    agents: "Sequence[tuple[str, AgentSettings]]",
    base: "Launch",
    options: argparse.Namespace,
    settings: "Settings",
    known: "Mapping[str, AgentSettings]",
    *,
    exports_into: Path | None = None,
) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(  # noqa: T201
            'acp-tui: the UI needs a terminal; without one, use: acp-tui run "PROMPT" -- COMMAND',
            file=sys.stderr,
        )
        return USAGE
    if os.environ.get("TERM") == "dumb":
        _say(
            "the UI can't draw on this terminal (TERM=dumb); set TERM to what it is, "
            'or use: acp-tui run "PROMPT" -- COMMAND'
        )
        return USAGE
    from acp_tui.config.errors import ConfigError
    from acp_tui.config.paths import settings_file
    from acp_tui.config.settings import DEFAULT_THEME
    from acp_tui.config.themes import load_theme, theme_in_settings

    try:
        theme = options.theme or theme_in_settings(settings_file())
        load_theme(theme or DEFAULT_THEME)
    except ConfigError as error:
        print(f"acp-tui: {error}", file=sys.stderr)  # noqa: T201
        return USAGE
    import anyio

    from acp_tui import host
    from acp_tui.config.paths import runs_folder
    from acp_tui.config.runs import going_on, killed

    base = _recovering(base, options, settings)
    with ExitStack() as stack:
        starts: list[host.Start] = []
        troubles = [one.words for one in killed(runs_folder(), base.cwd)]
        for called, named in agents:
            agent = agent_options.as_chosen(named, base.env, options)
            launch = agent_options.launch_chosen(agent, base)
            path = options.record if not starts else None
            recorder = stack.enter_context(_recorder(options, launch, path, troubles))
            launch = replace(launch, remarks=(*launch.remarks, *troubles))
            troubles = []
            starts.append(host.Start(called, agent, launch, recorder))
        recordings = [one.recorder.path for one in starts if one.recorder is not None]
        stack.enter_context(going_on(runs_folder(), base.cwd, recordings))
        record = _later_recorder(options)
        return anyio.run(host.with_ui, starts, known, record, settings, theme, exports_into)


def _host_turn(launch: "Launch", options: argparse.Namespace, prompt: str) -> int:
    import anyio

    from acp_tui import host

    turn = turn_options.turn(options, prompt)
    # The report has told of a failure already.
    told = options.format == "text"
    with _recorder(options, launch, options.record, [], told=told) as recorder:
        return anyio.run(host.with_turn, launch, recorder, turn, options.format)


@contextmanager
def _recorder(
    options: argparse.Namespace,
    launch: "Launch",
    path: Path | None,
    troubles: list[str],
    *,
    told: bool = False,
) -> "Iterator[Recorder | None]":
    """What writes the recording, into a file that was named or a new one; says so if that failed,
    unless a person was `told`. Why there is none is put to `troubles`, too.
    """
    if options.no_record:
        yield None
        return
    from acp_tui.client.recorder import recorder_at, recorder_in
    from acp_tui.config.paths import recordings_folder

    recorder = None
    try:
        if path is not None:
            recorder = recorder_at(path, launch)
        else:
            recorder = recorder_in(recordings_folder(), launch)
    except OSError as error:
        if path is not None:
            _say(f"--record: can't write {str(path)!r}: {error.strerror}")
            raise SystemExit(USAGE) from None
        troubles.append(f"this is not recorded: {error.strerror}: {error.filename!r}")
        _say(f"{troubles[-1]} (see --no-record)")
    yield recorder
    if recorder is not None and recorder.failure is not None and not told:
        _say(recorder.failure)


def _later_recorder(options: argparse.Namespace) -> "Callable[[Launch], Recorder] | None":
    """What makes the recordings of agents that are started later."""
    if options.no_record:
        return None
    from acp_tui.client.recorder import recorder_in
    from acp_tui.config.paths import recordings_folder

    return partial(recorder_in, recordings_folder())


def _say(words: str) -> None:
    print(f"acp-tui: {words}", file=sys.stderr)  # noqa: T201
