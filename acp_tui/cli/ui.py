"""`acp-tui -- COMMAND`: the UI with one agent or several."""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from acp_tui.cli.attach import add_tap_option, attach_tap, begin_run, serve_run
from acp_tui.cli.options import (
    agent_options,
    launch_options,
    recording_options,
    session_options,
    turn_options,
)
from acp_tui.cli.options.only_agent import choose_agent, launched
from acp_tui.cli.options.recording_options import open_recorder, recorder_maker
from acp_tui.cli.options.session_options import add_turn_time
from acp_tui.cli.output import USAGE
from acp_tui.cli.repeat_commands import continue_command
from acp_tui.cli.screen import has_terminal, prepare_look
from acp_tui.config.layers import unused_project
from acp_tui.config.paths import accepted_commands_file, runs_folder
from acp_tui.config.settings import PROJECT_FILE, AgentSettings, Settings
from acp_tui.config.toml_files import file_exists
from acp_tui.version import __version__

if TYPE_CHECKING:
    from acp_tui.client.launch import Launch

_USAGE = """\
acp-tui [--cwd DIR]                         choose an agent, or a session to continue
       acp-tui [OPTIONS] -- COMMAND [ARG...]       work with an agent
       acp-tui NAME... [OPTIONS]                   ... or with agents that have a name: acp-tui agents
       acp-tui [OPTIONS] --connect URL             ... or with a remote one: ws:// or https://
       acp-tui --plain [OPTIONS] -- COMMAND...     ... by lines, without a screen
       acp-tui run [OPTIONS] PROMPT -- COMMAND...  one turn, no UI
       acp-tui script FILE.yaml -- COMMAND...      prompts, answers and expectations in a file
       acp-tui demo [OPTIONS]                      the built-in demo agent
       acp-tui serve [OPTIONS] -- COMMAND...       work with an agent in a browser
       acp-tui ps | attach | send | stop           runs that are kept in the background (--keep)
       acp-tui send --method NAME -- COMMAND...    one message to an agent
       acp-tui tap -- COMMAND...                   record what another editor and an agent say
       acp-tui log [FILE] [OPTIONS]                read a recording; without FILE, list them
       acp-tui find [WORDS]                        search all recordings
       acp-tui mcp                                 the same for agents
       acp-tui stats [FILE...]                     latencies, tools, tokens and findings of many
       acp-tui diff A B                            compare two recordings, or two turns
       acp-tui play RECORDING                      be its agent, or its client, again
       acp-tui shrink RECORDING --keep-finding ID  cut it down to what shows a finding
       acp-tui replay RECORDING [OPTIONS]          play it in the app, as if it were live
       acp-tui export RECORDING... [OPTIONS]       write it as a page, or many as tables or spans
       acp-tui check -- COMMAND                    check an agent against the rules of the protocol
       acp-tui matrix                              what agents can do, side by side
       acp-tui agents [NAME|update|import]         the agents that have a name, and where more come from
       acp-tui config [NAME|edit|set|trust]        the settings, and where each value comes from
       acp-tui race PROMPT --agent A --agent B     one prompt for several agents, compared
       acp-tui doctor                              what this machine has, and what is wrong
       acp-tui policy list|forget|test             rules about permissions
       acp-tui completion SHELL                    complete arguments in a shell

COMMAND is started exactly as written, without a shell: acp-tui -- gemini --experimental-acp
"""
_EPILOG = """\
exit codes: 0 left; 1 the UI failed; 2 usage; 129 the terminal is gone (SIGHUP);
130 interrupted (SIGINT); 143 terminated (SIGTERM)"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.usage = _USAGE
    parser.description = "The terminal client and debugger for Agent Client Protocol (ACP) agents."
    parser.epilog = _EPILOG
    parser.add_argument("--version", action="version", version=f"acp-tui {__version__}")
    agent_options.add_agent_options(parser, several=True)
    launch_options.add_launch_options(parser)
    session_options.add_session_options(parser, picker=True)
    add_tap_option(parser)
    add_ui_options(parser)
    add_plain_options(parser)
    parser.add_argument_group("development").add_argument(
        "--watch",
        metavar="PATH",
        action="append",
        default=[],
        help="restart the agent when this file or folder changes (repeatable; needs the extra watch)",
    )


def execute(options: argparse.Namespace) -> int:
    """Show the UI with the chosen agents, or with a tap; or talk by lines (`--plain`)."""
    if options.attach_tap is not None:
        return attach_tap(options)
    if options.plain:
        return talk(options)
    check_plain(options)
    if not options.agent_command and not _options_of_agents(options.arguments):
        from acp_tui.cli.launcher import show_launcher

        return show_launcher(options)
    return begin_run(options, _start_app)


def _options_of_agents(arguments: Sequence[str]) -> list[str]:
    """Return the arguments that only make sense with an agent; without any, the launcher is shown.

    It accepts `--continue` and `--resume`, too: the user chooses a session there, and the folder's
    newest is marked.
    """
    of_launcher = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    of_launcher.add_argument("--theme")
    of_launcher.add_argument("--cwd")
    for name in ("--continue", "--resume"):
        of_launcher.add_argument(name, action="store_true")
    return of_launcher.parse_known_args(arguments)[1]


def add_plain_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a conversation without a screen."""
    parser.add_argument(
        "--plain",
        action="store_true",
        help="lines instead of a screen: for screen readers, simple terminals and pipes",
    )
    parser.add_argument(
        "--show-stderr",
        action="store_true",
        help="with --plain: print what the agent writes to stderr, not only if it fails",
    )


def check_plain(options: argparse.Namespace) -> None:
    """End the program if an option of `--plain` is given without it."""
    if options.show_stderr and not options.plain:
        options.parser.error("--show-stderr is for --plain: on the screen, F12 shows it")


def add_ui_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only the UI has."""
    parser.add_argument_group("recovery").add_argument(
        "--restart",
        choices=("never", "on-failure"),
        help="restart the agent when it fails (default: never, or the settings)",
    )
    parser.add_argument_group("background").add_argument(
        "--keep",
        metavar="NAME",
        nargs="?",
        const="",
        help="keep the agents running when this screen is gone; see acp-tui attach",
    )
    add_turn_time(parser)
    launch_options.add_breakpoints(parser)
    look = parser.add_argument_group("look")
    look.add_argument("--theme", metavar="NAME", help="a theme of themes/*.toml")


def talk(options: argparse.Namespace) -> int:
    """Talk with the chosen agent by lines until the user quits; return the exit code of the last
    turn.
    """
    agent, settings = choose_agent(options, "--plain is for one agent: name a single one")
    return talk_with(options, settings, agent)


def talk_with(options: argparse.Namespace, settings: Settings, agent: AgentSettings) -> int:
    """Talk with an agent by lines; return the exit code of the last turn."""
    for name in ("keep", "choose_options"):
        if getattr(options, name) not in (None, False):
            option = f"--{name.replace('_', '-')}"
            options.parser.error(f"{option} is for the screen: leave out --plain")
    person = turn_options.has_person()
    base = launch_options.base_launch(options, agent, settings, person=person)
    base = replace(base, budget=base.budget._replace(seconds=options.max_time))
    import anyio

    from acp_tui.headless.agent_runs import run_talk
    from acp_tui.headless.permission import Policy
    from acp_tui.headless.turns import TurnOptions

    turns = TurnOptions("", Policy.ASK, person, holds_stderr=not options.show_stderr)
    with launched(options, agent, settings, base, failure_reported=True) as (launch, recorder):
        return anyio.run(run_talk, launch, recorder, turns)


def _start_app(options: argparse.Namespace) -> int:
    settings = launch_options.user_settings()
    chosen = agent_options.chosen_agents(options.parser, options, settings.agents)
    base = launch_options.base_launch(options, chosen[0][1], settings, interactive=True)
    return show_app(chosen, base, options, settings, settings.agents)


def _accept_command(start: "Launch") -> None:
    """Remember a command that was typed without options: its sessions may be continued in this
    folder without asking.
    """
    from acp_tui.store.accepted_commands import AcceptedCommands

    with suppress(OSError):  # otherwise the launcher asks
        AcceptedCommands(accepted_commands_file()).accept(start.cwd, start.argv)


def show_app(
    chosen: Sequence[tuple[str, AgentSettings]],
    base: "Launch",
    options: argparse.Namespace,
    settings: Settings,
    known: Mapping[str, AgentSettings],
    *,
    exports_into: Path | None = None,
) -> int:
    """Show the UI with these agents; return the exit code. `known` are the agents that the user can
    start in it.
    """
    if not has_terminal():
        return USAGE
    theme = prepare_look(options)
    import anyio

    from acp_tui.host import hosts
    from acp_tui.kept.window import WindowLook, show_ui
    from acp_tui.store.files_in_use import killed_runs, mark_running

    when = options.restart or settings.restart.when
    base = replace(base, restart=settings.restart.model_copy(update={"when": when}))
    with ExitStack() as stack:
        base = stack.enter_context(recording_options.exporting(options, settings, base))
        starts: list[hosts.AgentStart] = []
        troubles = [one.words for one in killed_runs(runs_folder(), base.cwd)]
        if file_exists(PROJECT_FILE):
            troubles += unused_project()
        for called, named in chosen:
            agent = agent_options.override_agent(named, base.env, options)
            start = agent_options.launch_chosen(agent, base)
            path = options.record if not starts else None
            made = stack.enter_context(open_recorder(options, start, path, troubles))
            start = replace(start, remarks=(*start.remarks, *troubles))
            troubles = []
            starts.append(hosts.AgentStart(called, agent, start, made))
        if options.agent_command and not options.arguments:
            _accept_command(starts[0].launch)
        recordings = [one.recorder.path for one in starts if one.recorder is not None]
        stack.enter_context(mark_running(runs_folder(), base.cwd, recordings))
        record = recorder_maker(options)
        command = partial(continue_command, options, base.cwd)
        if options.keep is not None:
            return serve_run(options, base.cwd, starts, known, record, command())
        look = WindowLook(settings, theme, command, exports_into)
        return anyio.run(show_ui, starts, known, record, look, options.foreground)
