"""`acp-tui race`: one prompt for several agents, side by side."""

import argparse
import json
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_tui.cli.options import turn_options
from acp_tui.cli.options.values import parse_count, parse_percent, parse_seconds
from acp_tui.cli.output import USAGE, finish_command, out, out_data, print_error
from acp_tui.config.paths import races_folder, settings_file

if TYPE_CHECKING:
    from acp_tui.config.themes import ThemeFile
    from acp_tui.race.racer import Racer
    from acp_tui.race.races import Race, Races
    from acp_tui.race.repository import RaceRepository
    from acp_tui.race.runner import RacerStart, Runner

INTERRUPTED = 130

_USAGE = """\
acp-tui race [OPTIONS] PROMPT --agent NAME --agent NAME ... [-- COMMAND [ARG...]]
       acp-tui race --list
       acp-tui race --show RACE
       acp-tui race --diff RACE/AGENT
       acp-tui race --adopt RACE/AGENT [--as branch|patch|merge]
       acp-tui race --finish RACE"""
_EPILOG = """\
Each agent gets the files as they are now, committed or not, except what git ignores, in a worktree of its
own. What it did is kept as a commit under refs/acp-tui/races, and the worktree is removed. RACE is a name
that --list shows, the beginning of one, or "last".

exit codes: 0 an agent's turn ended, and the judge passed it; 1 none did; 2 usage; 130 interrupted

  acp-tui race "fix the failing test" --agent claude --agent gemini --permissions allow --judge "make test"
  acp-tui race --adopt last/claude --as branch"""


TURN_OPTIONS: dict[str, dict[str, Any]] = {
    "--permissions": {
        "choices": ("allow", "allow-reads", "reject"),
        "help": "what to do if no rule decides (default: ask before the race, else reject)",
    },
    "--policy": {"metavar": "FILE", "help": "more rules, for this race"},
    "--system-prompt": {
        "metavar": "TEXT|@FILE",
        "help": "instructions for each agent, after its own; @FILE reads them",
    },
    "--max-time": {
        "metavar": "SECONDS",
        "type": parse_seconds,
        "help": "cancel a turn after this time",
    },
    "--max-cost": {
        "metavar": "AMOUNT",
        "type": parse_seconds,
        "help": "cancel a turn at this cost",
    },
    "--max-tokens": {
        "metavar": "N",
        "type": parse_count,
        "help": "cancel a turn at this many tokens",
    },
    "--max-quota": {
        "metavar": "PERCENT",
        "type": parse_percent,
        "help": "start no turn once this share of a plan limit is used",
    },
    "--auth": {"metavar": "METHOD", "help": "sign in with this method if an agent requires it"},
    "--timeout": {
        "metavar": "SECONDS",
        "type": parse_seconds,
        "help": "how long an agent may take to start",
    },
    "--protocol": {
        "choices": ("1", "2", "auto"),
        "help": "speak this version of ACP (2 is a preview)",
    },
}
"""Options of `acp-tui run` that a race passes on to each turn."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's description and arguments."""
    parser.usage = _USAGE
    parser.description = "Give one prompt to several agents, and compare what they do."
    parser.epilog = _EPILOG
    parser.add_argument("prompt", nargs="?", help="the prompt; - reads it from stdin")
    parser.add_argument("-f", "--file", metavar="FILE", help="read the prompt from FILE")
    parser.add_argument(
        "--agent",
        metavar="NAME",
        action="append",
        default=[],
        help="an agent of settings.toml or of the registry (repeatable)",
    )
    parser.add_argument(
        "--judge", metavar="COMMAND", default="", help="run it where each agent was, such as a test"
    )
    parser.add_argument(
        "--cwd", metavar="DIR", type=Path, default=Path(), help="the folder (default: .)"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--as",
        dest="way",
        choices=("branch", "patch", "merge"),
        default="branch",
        help="with --adopt: make a branch, write a patch file, or change your files (default: branch)",
    )
    for name, (metavar, words) in _KEPT_RACE_OPTIONS.items():
        parser.add_argument(name, metavar=metavar, help=words)
    parser.add_argument("--list", action="store_true", help="list the races that were run")
    turn = parser.add_argument_group("each turn, as in acp-tui run")
    for name, how in TURN_OPTIONS.items():
        turn.add_argument(name, **how)
    turn.add_argument(
        "--set",
        metavar="OPTION=VALUE",
        action="append",
        default=[],
        help="choose a mode, model, or other option of the session (repeatable)",
    )
    turn.add_argument(
        "--sandbox", action="store_true", help="let an agent see nothing but its worktree"
    )


def execute(options: argparse.Namespace) -> int:
    """Run a race; or list races, or show, adopt or finish one."""
    from acp_tui.cli.options.named_agents import NotStartedError
    from acp_tui.git.objects import GitError
    from acp_tui.race.races import NoRaceError

    def work() -> int:
        try:
            return _do_work(options)
        except (GitError, NoRaceError, NotStartedError) as error:
            print_error(str(error), "race")
            return USAGE

    return finish_command("race", "the race", work)


def _turn_options(options: argparse.Namespace) -> Iterator[str]:
    """Yield the options of a turn as command-line arguments."""
    for name in TURN_OPTIONS:
        value = getattr(options, name.removeprefix("--").replace("-", "_"))
        if value is not None:
            # with `=`, as a value may begin with a dash
            yield f"{name}={_make_path_absolute(name, str(value))}"
    for choice in options.set:
        yield from ("--set", choice)
    if options.sandbox:
        yield "--sandbox"


def _make_path_absolute(name: str, value: str) -> str:
    """Return an option's value with its file path made absolute: the agents run in other folders."""
    if name == "--policy":
        return str(Path(value).absolute())
    if name == "--system-prompt" and value.startswith("@"):
        return f"@{Path(value[1:]).expanduser().absolute()}"
    return value


_KEPT_RACE_OPTIONS = {
    "--show": ("RACE", "show the results of a race"),
    "--diff": ("RACE/AGENT", "print what an agent did as a patch"),
    "--adopt": ("RACE/AGENT", "adopt what an agent did"),
    "--finish": (
        "RACE",
        "save the results of an interrupted race, and remove its worktrees",
    ),
}


def _do_work(options: argparse.Namespace) -> int:
    from acp_tui.cli.race_report import adopt_and_report, print_diff, print_next_steps
    from acp_tui.race.races import AdoptWay, Races

    races = Races(races_folder())
    if options.list:
        return _list_races(races)
    if options.show:
        race = races.find_race(options.show)
        code = _show_race(race, options)
        if options.format == "text":
            print_next_steps(race)
        return code
    if options.finish:
        return _finish_race(races.find_race(options.finish), races, options)
    if options.diff:
        print_diff(*_find_racer(options, "--diff", races))
        return 0
    if options.adopt:
        race, racer = _find_racer(options, "--adopt", races)
        adopt_and_report(race, racer, AdoptWay(options.way), races)
        return 0
    return _begin_race(options, races)


def _find_racer(options: argparse.Namespace, option: str, races: "Races") -> "tuple[Race, Racer]":
    words: str = options.adopt if option == "--adopt" else options.diff
    name, slash, label = words.partition("/")
    if not slash or not label:
        options.parser.error(f"{option} wants RACE/AGENT, such as last/claude, not {words!r}")
    race = races.find_race(name)
    return race, race.racer(label)


def _list_races(races: "Races") -> int:
    from acp_tui.cli.race_report import mark_result, order_racers
    from acp_tui.race.races import NoRaceError

    names = races.names()
    if not names:
        print_error('there are no races yet; start one: acp-tui race "PROMPT" --agent A --agent B')
    for name in names:
        try:
            race = races.read_race(name)
        except NoRaceError as error:
            out(f"{name}  {error}")
            continue
        marks = [f"{mark_result(one)} {one.label}" for one in order_racers(race)]
        prompt = race.prompt.strip().partition("\n")[0]
        out(f"{name}  {', '.join(marks)}  {race.root}  {prompt[:60]}")
    return 0


def _show_race(race: "Race", options: argparse.Namespace) -> int:
    """Show the results of a race."""
    from acp_tui.cli.race_report import list_notes, make_console, race_table

    if options.format == "json":
        out_data(json.dumps(race.as_json(), indent=1) + "\n")
    else:
        out(f"race {race.name} in {race.root}")
        make_console(sys.stdout).print(race_table(race))
        for line in list_notes(race):
            out(line)
    return 0 if any(one.is_done for one in race.racers) else 1


def _finish_race(race: "Race", races: "Races", options: argparse.Namespace) -> int:
    """Save and show the results of an interrupted race."""
    import anyio

    from acp_tui.cli.race_report import print_next_steps
    from acp_tui.race.repository import RaceRepository
    from acp_tui.race.runner import Runner

    if races.is_running(race.name):
        print_error(f"race {race.name} goes on: Ctrl+C where it runs cancels it", "race")
        return USAGE
    with races.running(race.name):
        runner = Runner(race, races, RaceRepository.around(Path(race.root)), (), lambda _: None)
        anyio.run(runner.finish)
    _warn_if_unsaved(race, runner)
    code = _show_race(race, options)
    if options.format == "text":
        print_next_steps(race)
    return code


def _begin_race(options: argparse.Namespace, races: "Races") -> int:
    from acp_tui.cli.race_report import offer_results, print_next_steps
    from acp_tui.cli.race_start import ask_permissions, named_entrants, prepare_race

    parser: argparse.ArgumentParser = options.parser
    prompt = turn_options.read_prompt(parser, options)
    agents = named_entrants(options)
    if len(agents) < 2:
        parser.error("a race is for two agents or more: name them by --agent, or one after --")
    if not options.cwd.is_dir():
        parser.error(f"--cwd: {str(options.cwd)!r} is not a directory")
    if options.permissions is None and turn_options.has_person():
        options.permissions = ask_permissions(is_sandboxed=options.sandbox)
        if options.permissions is None:
            print_error("no race was begun", "race")
            return INTERRUPTED
    race, repository, starts = prepare_race(
        options, races, prompt, agents, tuple(_turn_options(options))
    )
    runner = _run_race(race, races, repository, starts)
    code = _show_race(race, options)
    _warn_if_unsaved(race, runner)
    if options.format == "text" and runner.interrupted:
        print_next_steps(race)
    elif options.format == "text":
        offer_results(race, races)
    return INTERRUPTED if runner.interrupted else code


def _warn_if_unsaved(race: "Race", runner: "Runner") -> None:
    from acp_tui.race.repository import REFS

    if runner.unsaved:
        where = f"the commits are below {REFS}/{race.name}"
        print_error(f"what came of it can't be saved: {runner.unsaved}; {where}", "race")


def _load_theme() -> "ThemeFile | None":
    """Return the user's theme; None if none is set, or it is invalid."""
    from acp_tui.config.themes import load_theme, theme_in_settings
    from acp_tui.config.toml_files import ConfigError

    try:
        name = theme_in_settings(settings_file())
        return load_theme(name) if name else None
    except ConfigError:
        return None  # the race needs no colors


def _run_race(
    race: "Race", races: "Races", repository: "RaceRepository", starts: "list[RacerStart]"
) -> "Runner":
    """Run the race. Ctrl+C cancels the turns; a second Ctrl+C ends the agents."""
    import anyio

    from acp_tui.cli.race_view import LiveView
    from acp_tui.client.process.watchdog import watchdog
    from acp_tui.race.runner import Runner

    watchdog.start()
    view = LiveView(sys.stderr, race, time.monotonic, _load_theme())
    runner = Runner(race, races, repository, starts, view.changed)

    async def listen() -> None:
        heard = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
        with anyio.open_signal_receiver(*heard) as signals:
            async for _ in signals:
                runner.interrupt()

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listen)
            await runner.run()
            tasks.cancel_scope.cancel()

    with races.running(race.name), view:
        try:
            anyio.run(main)
        except ExceptionGroup as failed:  # it couldn't start, for one reason
            raise failed.exceptions[0] from None
    return runner
