"""Prepares a race: the agents, their permissions, and a worktree and a command line for each."""

import argparse
import itertools
import re
import shlex
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from acp_tui.cli.options.agent_options import make_paths_absolute
from acp_tui.cli.options.launch_options import user_settings
from acp_tui.cli.options.named_agents import check_name
from acp_tui.cli.output import print_error
from acp_tui.cli.race_report import ask_choice
from acp_tui.config.paths import recordings_folder
from acp_tui.config.private_files import write_new
from acp_tui.formatting import counted
from acp_tui.race.racer import Racer
from acp_tui.race.races import Race, Races
from acp_tui.race.repository import RaceRepository, describe_inner_repositories
from acp_tui.race.runner import RacerStart
from acp_tui.store.recordings import new_file


class Entrant(NamedTuple):
    """An agent of a race: its name or command as typed, its program, and the arguments of `acp-tui
    run` that select it.
    """

    agent: str
    program: str
    arguments: tuple[str, ...]


def named_entrants(options: argparse.Namespace) -> list[Entrant]:
    """Return the agents of `--agent`, and the one of the command after `--`. Raises NotStartedError
    for an unknown name.
    """
    known = user_settings().agents
    for name in options.agent:
        check_name(name, known)
    found = [Entrant(name, name, ("--agent", name)) for name in options.agent]
    if options.agent_command:
        command = tuple(make_paths_absolute(options.agent_command))
        program = options.agent_command[0]
        found.append(Entrant(shlex.join(options.agent_command), program, ("--", *command)))
    return found


def prepare_race(
    options: argparse.Namespace,
    races: Races,
    prompt: str,
    agents: Sequence[Entrant],
    turn: Sequence[str],
) -> tuple[Race, RaceRepository, list[RacerStart]]:
    """Commit the files as they are now; create the race, with a worktree path and a command line
    for each agent.

    `turn` are options of `acp-tui run` for each turn.
    """
    here = options.cwd.resolve()
    repository = RaceRepository.around(here)
    now, head = datetime.now().astimezone(), repository.head()
    base = repository.snapshot("The files as they were when a race began", head)
    # the name must be free in the repository, too: other races may have their folders elsewhere
    name = races.new_name(now, lambda name: repository.claim(f"{name}/base", base.commit))
    if base.ignored:
        ignored = counted(base.ignored, "file or folder", "files and folders")
        print_error(f"the agents don't get the {ignored} here that git ignores", "race")
    if base.lacking:
        print_error(f"the agents don't get {describe_inner_repositories(base.lacking)}", "race")
    prompt_file = races.folder_of(name) / "prompt.txt"
    write_new(prompt_file, prompt.encode("utf-8", "replace"))
    race = Race(name, prompt, str(repository.root), base.commit, head, f"{now:%Y-%m-%dT%H:%M:%S}")
    race.judge = options.judge
    starts = []
    for agent, program, way in agents:
        racer = Racer(_make_label(program, [one.label for one in race.racers]), agent)
        racer.recording = str(new_file(recordings_folder(), f"race-{racer.label}", now))
        racer.worktree = str(races.folder_of(name) / racer.label)
        race.racers.append(racer)
        words = ("-f", str(prompt_file), "--record", racer.recording, *turn, *way)
        starts.append(RacerStart(racer, words, here.relative_to(repository.root.resolve())))
    return race, repository, starts


def _make_label(program: str, taken: Sequence[str]) -> str:
    """Return a short name for an agent's folder and branch, unique even on a file system that
    ignores case.
    """
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(program).name)
    label = name.strip("-")[:24] or "agent"
    used = {"base", *map(str.casefold, taken)}
    alike = (f"{label}-{nth}" for nth in itertools.count(2))
    return next(one for one in itertools.chain([label], alike) if one.casefold() not in used)


def ask_permissions(*, is_sandboxed: bool) -> str | None:
    """Ask what the agents may do, as nobody is asked during the race. Return None if the user chose
    nothing.
    """
    reach = "" if is_sandboxed else "; without --sandbox, commands reach beyond the worktree"
    choices = [
        ("reject", "nothing that they ask for"),
        ("allow-reads", "read and search"),
        ("allow", f"everything{reach}"),
    ]
    sys.stderr.write("What may the agents do in their worktrees, where no rule decides?\n")
    chosen = ask_choice("permissions", choices, none="cancels")
    return None if chosen is None else choices[chosen][0]
