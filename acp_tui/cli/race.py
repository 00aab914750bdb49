"""`acp-tui race`: one prompt for several agents, side by side."""

import argparse
import itertools
import json
import re
import shlex
import signal
import sys
import time
from collections.abc import Iterator, Sequence, Set
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp_tui.cli import turn_options
from acp_tui.cli.agent_options import from_anywhere
from acp_tui.cli.option_values import count, seconds
from acp_tui.cli.output import USAGE, complain, finish, out, out_data
from acp_tui.config.paths import races_folder, recordings_folder
from acp_tui.formatting import counted

if TYPE_CHECKING:
    from acp_tui.race.kept import Race, Races
    from acp_tui.race.racer import Racer
    from acp_tui.race.repository import Repository
    from acp_tui.race.running import Runner, Start

INTERRUPTED = 130

_USAGE = """\
acp-tui race [OPTIONS] PROMPT --agent NAME --agent NAME ... [-- COMMAND [ARG...]]
       acp-tui race --list
       acp-tui race --show RACE
       acp-tui race --diff RACE/AGENT
       acp-tui race --adopt RACE/AGENT [--as merge|branch|patch]"""
_EPILOG = """\
Each agent gets the files as they are now, committed or not, except what git ignores, in a worktree of its
own. What it did is kept as a commit under refs/acp-tui/races, and the worktree is removed. RACE is a name
that --list shows, the beginning of one, or "last".

exit codes: 0 an agent's turn ended, and the judge passed it; 1 none did; 2 usage; 130 interrupted

  acp-tui race "fix the failing test" --agent claude --agent gemini --permissions allow --judge "make test"
  acp-tui race --adopt last/claude --as branch"""
_TURN: dict[str, dict[str, Any]] = {
    "--permissions": {
        "choices": ("allow", "allow-reads", "reject"),
        "help": "what to do if no rule decides (default: reject)",
    },
    "--policy": {"metavar": "FILE", "help": "more rules, for this race"},
    "--max-time": {"metavar": "SECONDS", "type": seconds, "help": "cancel a turn after this time"},
    "--max-cost": {"metavar": "AMOUNT", "type": seconds, "help": "cancel a turn at this cost"},
    "--max-tokens": {"metavar": "N", "type": count, "help": "cancel a turn at this many tokens"},
    "--auth": {"metavar": "METHOD", "help": "sign in with this method if an agent requires it"},
    "--timeout": {
        "metavar": "SECONDS",
        "type": seconds,
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
        choices=("merge", "branch", "patch"),
        default="branch",
        help="with --adopt: change your files, make a branch, or write a patch file (default: branch)",
    )
    for name, metavar in (("--show", "RACE"), ("--diff", "RACE/AGENT"), ("--adopt", "RACE/AGENT")):
        parser.add_argument(name, metavar=metavar, help=_HELP[name])
    parser.add_argument("--list", action="store_true", help="list the races that were run")
    turn = parser.add_argument_group("each turn, as in acp-tui run")
    for name, how in _TURN.items():
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


_HELP = {
    "--show": "show what came of a race",
    "--diff": "print what an agent did as a patch",
    "--adopt": "adopt what an agent did",
}


def execute(options: argparse.Namespace) -> int:
    """Run a race, or show or adopt what came of one."""
    from acp_tui.race.kept import NoRaceError
    from acp_tui.race.git import GitError

    def work() -> int:
        try:
            return _work(options)
        except (GitError, NoRaceError) as error:
            complain(str(error), "race")
            return USAGE

    return finish("race", "the race", work)


def _work(options: argparse.Namespace) -> int:
    from acp_tui.race.kept import Races

    races = Races(races_folder())
    if options.list:
        return _list(races)
    if options.show:
        return _show(races.find(options.show), options)
    if options.diff:
        return _diff(*_named(options, "--diff", races))
    if options.adopt:
        race, racer = _named(options, "--adopt", races)
        return _adopt(race, racer, options.way, races)
    return _race(options, races)


def _named(options: argparse.Namespace, option: str, races: "Races") -> "tuple[Race, Racer]":
    words: str = options.adopt if option == "--adopt" else options.diff
    name, slash, label = words.partition("/")
    if not slash or not label:
        options.parser.error(f"{option} wants RACE/AGENT, such as last/claude, not {words!r}")
    race = races.find(name)
    return race, race.racer(label)


def _list(races: "Races") -> int:
    from acp_tui.cli.race_report import ordered

    found = races.all()
    if not found:
        complain('there are no races yet; start one: acp-tui race "PROMPT" --agent A --agent B')
    for race in found:
        marks = [f"{'✓' if one.is_done else '✗'} {one.label}" for one in ordered(race)]
        prompt = race.prompt.strip().partition("\n")[0]
        out(f"{race.name}  {', '.join(marks)}  {race.root}  {prompt[:60]}")
    return 0


def _show(race: "Race", options: argparse.Namespace) -> int:
    from acp_tui.cli.race_report import console, notes, table

    if options.format == "json":
        out_data(json.dumps(race.as_json(), indent=1) + "\n")
    else:
        out(f"race {race.name} in {race.root}")
        console(sys.stdout).print(table(race))
        for line in notes(race):
            out(line)
    return 0 if any(one.is_done for one in race.racers) else 1


def _diff(race: "Race", racer: "Racer") -> int:
    from acp_tui.race.git import GitError
    from acp_tui.race.repository import Repository

    if not racer.commit:
        raise GitError(racer.trouble or f"{racer.label} left nothing that was kept")
    patch = Repository.around(Path(race.root)).patch(race.base, racer.commit)
    if sys.stdout.isatty():
        out_data(patch.decode(errors="replace"))
    else:
        sys.stdout.buffer.write(patch)
    return 0


def _adopt(race: "Race", racer: "Racer", way: str, races: "Races") -> int:
    from acp_tui.race.adopting import Way, adopt

    out(f"{racer.label}: {adopt(race, racer, Way(way), races, Path.cwd())}")
    return 0


def _race(options: argparse.Namespace, races: "Races") -> int:
    parser: argparse.ArgumentParser = options.parser
    prompt = turn_options.prompt(parser, options)
    agents: list[tuple[str, tuple[str, ...]]] = [
        (name, ("--agent", name)) for name in options.agent
    ]
    if options.agent_command:
        command = from_anywhere(options.agent_command)
        agents.append((shlex.join(options.agent_command), ("--", *command)))
    if len(agents) < 2:
        parser.error("a race is for two agents or more: name them by --agent, or one after --")
    if not options.cwd.is_dir():
        parser.error(f"--cwd: {str(options.cwd)!r} is not a directory")
    race, repository, starts = _prepared(options, races, prompt, agents)
    runner = _run(race, races, repository, starts)
    code = _show(race, options)
    if runner.interrupted:
        return INTERRUPTED
    if options.format == "text":
        _offer(race, races)
    return code


def _prepared(
    options: argparse.Namespace,
    races: "Races",
    prompt: str,
    agents: Sequence[tuple[str, tuple[str, ...]]],
) -> "tuple[Race, Repository, list[Start]]":
    """Commit the files as they are, and make what each agent begins with."""
    from acp_tui.config.private_files import write_new
    from acp_tui.config.recordings import new_file
    from acp_tui.race.kept import Race
    from acp_tui.race.racer import Racer
    from acp_tui.race.repository import Repository
    from acp_tui.race.running import Start

    here = options.cwd.resolve()
    repository = Repository.around(here)
    now, head = datetime.now().astimezone(), repository.head()
    base = repository.snapshot("The files as they were when a race began", head)
    name = races.new_name(now)
    repository.keep(f"{name}/base", base.commit)
    if base.ignored:
        ignored = counted(base.ignored, "file or folder", "files and folders")
        complain(f"the agents don't get the {ignored} here that git ignores", "race")
    asked = races.folder_of(name) / "prompt.txt"
    write_new(asked, prompt.encode())
    race = Race(name, prompt, str(repository.root), base.commit, head, f"{now:%Y-%m-%dT%H:%M:%S}")
    race.judge = options.judge
    starts = []
    for agent, way in agents:
        racer = Racer(_label(agent, {one.label for one in race.racers}), agent)
        recording = new_file(recordings_folder(), f"race-{racer.label}", now)
        racer.recording = str(recording)
        race.racers.append(racer)
        words = ("-f", str(asked), "--record", racer.recording, *_turn_options(options), *way)
        starts.append(Start(racer, words, here.relative_to(repository.root.resolve())))
    return race, repository, starts


def _turn_options(options: argparse.Namespace) -> Iterator[str]:
    """Write the options of a turn again, as they were given."""
    for name in _TURN:
        value = getattr(options, name.removeprefix("--").replace("-", "_"))
        if value is not None:
            path = name == "--policy"  # the agents run in other folders
            yield from (name, str(Path(value).absolute()) if path else str(value))
    for choice in options.set:
        yield from ("--set", choice)
    if options.sandbox:
        yield "--sandbox"


def _label(agent: str, taken: Set[str]) -> str:
    """Make a short name for an agent, for folders and for git; no two are alike."""
    program = Path(shlex.split(agent)[0]).name
    label = re.sub(r"[^A-Za-z0-9_-]+", "-", program).strip("-")[:24] or "agent"
    alike = (f"{label}-{nth}" for nth in itertools.count(2))
    return next(one for one in itertools.chain([label], alike) if one not in {*taken, "base"})


def _run(race: "Race", races: "Races", repository: "Repository", starts: "list[Start]") -> "Runner":
    """Run the race; Ctrl+C cancels the turns, and ends them when it comes again."""
    import anyio

    from acp_tui.cli.race_report import LiveView
    from acp_tui.client.process.watchdog import watchdog
    from acp_tui.race.running import Runner

    watchdog.start()
    view = LiveView(sys.stderr, race.racers, time.monotonic)
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

    with view:
        anyio.run(main)
    return runner


def _offer(race: "Race", races: "Races") -> None:
    """Ask a person at a terminal which result to take over; tell others how to."""
    from acp_tui.cli.race_report import ordered
    from acp_tui.race.adopting import WORDS, Way
    from acp_tui.race.git import GitError

    done = [one for one in ordered(race) if one.commit not in ("", race.base)]
    if not done:
        return
    ways = list(Way)
    number = _answer("take over", [one.label for one in done]) if turn_options.person() else None
    chosen = None if number is None else _answer("how", [f"{way}: {WORDS[way]}" for way in ways])
    if number is None or chosen is None:
        out(
            f"nothing is lost: acp-tui race --adopt {race.name}/{done[0].label} --as merge|branch|patch"
        )
        return
    try:
        _adopt(race, done[number], ways[chosen], races)
    except GitError as error:
        complain(f"nothing was changed: {error}", "race")


def _answer(question: str, choices: Sequence[str]) -> int | None:
    """Let a person choose by a number; None for anything else."""
    for number, choice in enumerate(choices, 1):
        out(f"  {number}  {choice}")
    try:
        answer = input(f"{question}? (a number; Enter for none) ").strip()
    except (EOFError, KeyboardInterrupt):
        out("")
        return None
    return int(answer) - 1 if answer in map(str, range(1, len(choices) + 1)) else None
