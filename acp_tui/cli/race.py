"""`acp-tui race`: one prompt for several agents, side by side."""

import argparse
import itertools
import json
import re
import shlex
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from acp_tui.cli.options import turn_options
from acp_tui.cli.options.agent_options import from_anywhere
from acp_tui.cli.options.launch_options import settings_of_person
from acp_tui.cli.options.named_agents import check_name
from acp_tui.cli.options.values import parse_count, parse_percent, parse_seconds
from acp_tui.cli.output import USAGE, complain, finish_command, out, out_data
from acp_tui.config.paths import races_folder, recordings_folder
from acp_tui.formatting import counted

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


TURN: dict[str, dict[str, Any]] = {
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
        "help": "start no turn above this share of a plan's limit",
    },
    "--auth": {"metavar": "METHOD", "help": "sign in with this method if an agent requires it"},
    "--timeout": {
        "metavar": "SECONDS",
        "type": parse_seconds,
        "help": "how long an agent may take to start",
    },
    "--protocol": {"choices": ("1", "2", "auto"), "help": "speak this version of ACP"},
}
"""Options of `acp-tui run` that each turn gets."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments."""
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
    for name, how in TURN.items():
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
    """Run a race, or show or adopt what came of one."""
    from acp_tui.cli.options.named_agents import NotStartedError
    from acp_tui.git.errors import GitError
    from acp_tui.race.races import NoRaceError

    def work() -> int:
        try:
            return _do_work(options)
        except (GitError, NoRaceError, NotStartedError) as error:
            complain(str(error), "race")
            return USAGE

    return finish_command("race", "the race", work)


class Entrant(NamedTuple):
    """An agent as a person wrote it, its name or its program, and what starts it."""

    agent: str
    program: str
    arguments: tuple[str, ...]


def named_entrants(options: argparse.Namespace) -> list[Entrant]:
    """Return the agents that are named, and the one of the command after `--`. Raises NotStartedError: no
    agent has a name that is given.
    """
    known = settings_of_person().agents
    for name in options.agent:
        check_name(name, known)
    found = [Entrant(name, name, ("--agent", name)) for name in options.agent]
    if options.agent_command:
        command = tuple(from_anywhere(options.agent_command))
        program = options.agent_command[0]
        found.append(Entrant(shlex.join(options.agent_command), program, ("--", *command)))
    return found


def prepare_race(
    options: argparse.Namespace, races: "Races", prompt: str, agents: Sequence[Entrant]
) -> "tuple[Race, RaceRepository, list[RacerStart]]":
    """Commit the files as they are, and make what each agent begins with."""
    from acp_tui.config.private_files import write_new
    from acp_tui.race.racer import Racer
    from acp_tui.race.races import Race
    from acp_tui.race.repository import RaceRepository, describe_inner_repositories
    from acp_tui.race.runner import RacerStart
    from acp_tui.store.recordings import new_file

    here = options.cwd.resolve()
    repository = RaceRepository.around(here)
    now, head = datetime.now().astimezone(), repository.head()
    base = repository.snapshot("The files as they were when a race began", head)
    # other races of this repository may have their folders elsewhere
    name = races.new_name(now, lambda name: repository.claim(f"{name}/base", base.commit))
    if base.ignored:
        ignored = counted(base.ignored, "file or folder", "files and folders")
        complain(f"the agents don't get the {ignored} here that git ignores", "race")
    if base.lacking:
        complain(f"the agents don't get {describe_inner_repositories(base.lacking)}", "race")
    asked = races.folder_of(name) / "prompt.txt"
    write_new(asked, prompt.encode("utf-8", "replace"))
    race = Race(name, prompt, str(repository.root), base.commit, head, f"{now:%Y-%m-%dT%H:%M:%S}")
    race.judge = options.judge
    starts = []
    for agent, program, way in agents:
        racer = Racer(_make_label(program, [one.label for one in race.racers]), agent)
        racer.recording = str(new_file(recordings_folder(), f"race-{racer.label}", now))
        racer.worktree = str(races.folder_of(name) / racer.label)
        race.racers.append(racer)
        words = ("-f", str(asked), "--record", racer.recording, *_turn_options(options), *way)
        starts.append(RacerStart(racer, words, here.relative_to(repository.root.resolve())))
    return race, repository, starts


def _turn_options(options: argparse.Namespace) -> Iterator[str]:
    """Write the options of a turn again, as they were given."""
    for name in TURN:
        value = getattr(options, name.removeprefix("--").replace("-", "_"))
        if value is not None:
            yield f"{name}={_from_anywhere(name, str(value))}"  # a text may begin with a dash
    for choice in options.set:
        yield from ("--set", choice)
    if options.sandbox:
        yield "--sandbox"


def _from_anywhere(name: str, value: str) -> str:
    """Return an option's value with its file name made absolute: the agents run in other folders."""
    if name == "--policy":
        return str(Path(value).absolute())
    if name == "--system-prompt" and value.startswith("@"):
        return f"@{Path(value[1:]).expanduser().absolute()}"
    return value


def _make_label(program: str, taken: Sequence[str]) -> str:
    """Make a short name for an agent, for folders and for git; no two are alike, even to a disk that
    knows no case.
    """
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(program).name)
    label = name.strip("-")[:24] or "agent"
    used = {"base", *map(str.casefold, taken)}
    alike = (f"{label}-{nth}" for nth in itertools.count(2))
    return next(one for one in itertools.chain([label], alike) if one.casefold() not in used)


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
        complain('there are no races yet; start one: acp-tui race "PROMPT" --agent A --agent B')
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
    """Show what came of a race."""
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
    """Keep the results of an interrupted race, and show it."""
    import anyio

    from acp_tui.cli.race_report import print_next_steps
    from acp_tui.race.repository import RaceRepository
    from acp_tui.race.runner import Runner

    if races.is_running(race.name):
        complain(f"race {race.name} goes on: Ctrl+C where it runs cancels it", "race")
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

    parser: argparse.ArgumentParser = options.parser
    prompt = turn_options.read_prompt(parser, options)
    agents = named_entrants(options)
    if len(agents) < 2:
        parser.error("a race is for two agents or more: name them by --agent, or one after --")
    if not options.cwd.is_dir():
        parser.error(f"--cwd: {str(options.cwd)!r} is not a directory")
    if options.permissions is None and turn_options.has_person():
        options.permissions = _ask_for_permissions(is_sandboxed=options.sandbox)
        if options.permissions is None:
            complain("no race was begun", "race")
            return INTERRUPTED
    race, repository, starts = prepare_race(options, races, prompt, agents)
    runner = _run_race(race, races, repository, starts)
    code = _show_race(race, options)
    _warn_if_unsaved(race, runner)
    if options.format == "text" and runner.interrupted:
        print_next_steps(race)
    elif options.format == "text":
        offer_results(race, races)
    return INTERRUPTED if runner.interrupted else code


def _ask_for_permissions(*, is_sandboxed: bool) -> str | None:
    """Ask a person what the agents may do, as nobody is asked while they work; return None if none of it."""
    from acp_tui.cli.race_report import ask_choice

    reach = "" if is_sandboxed else "; without --sandbox, commands reach beyond the worktree"
    choices = [
        ("reject", "nothing that they ask for"),
        ("allow-reads", "read and search"),
        ("allow", f"everything{reach}"),
    ]
    sys.stderr.write("What may the agents do in their worktrees, where no rule decides?\n")
    chosen = ask_choice("permissions", choices, none="to begin no race")
    return None if chosen is None else choices[chosen][0]


def _warn_if_unsaved(race: "Race", runner: "Runner") -> None:
    from acp_tui.race.repository import REFS

    if runner.unsaved:
        where = f"the commits are below {REFS}/{race.name}"
        complain(f"what came of it can't be saved: {runner.unsaved}; {where}", "race")


def _load_theme() -> "ThemeFile | None":
    """Return the theme that was chosen, if any that can be used."""
    from acp_tui.config.paths import settings_file
    from acp_tui.config.themes import load_theme, theme_in_settings
    from acp_tui.config.toml_files import ConfigError

    try:
        name = theme_in_settings(settings_file())
        return load_theme(name) if name else None
    except ConfigError:
        return None  # the race goes on: colors are none of its work


def _run_race(
    race: "Race", races: "Races", repository: "RaceRepository", starts: "list[RacerStart]"
) -> "Runner":
    """Run the race; Ctrl+C cancels the turns, and ends them when it comes again."""
    import anyio

    from acp_tui.cli.race_report import LiveView
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
        except ExceptionGroup as failed:  # it could not begin, for one reason
            raise failed.exceptions[0] from None
    return runner
