"""What a race begins with: the files as they are, and how each agent is started."""

import argparse
import itertools
import re
import shlex
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from acp_tui.cli.agent_options import from_anywhere
from acp_tui.cli.launch import settings_of_person
from acp_tui.cli.named_agents import check_name
from acp_tui.cli.option_values import count, seconds
from acp_tui.cli.output import complain
from acp_tui.config.paths import recordings_folder
from acp_tui.formatting import counted

if TYPE_CHECKING:
    from acp_tui.race.kept import Race, Races
    from acp_tui.race.repository import RaceRepository
    from acp_tui.race.running import RacerStart

TURN: dict[str, dict[str, Any]] = {
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


class Entrant(NamedTuple):
    """An agent as a person wrote it, its name or its program, and what starts it."""

    agent: str
    program: str
    arguments: tuple[str, ...]


def entrants(options: argparse.Namespace) -> list[Entrant]:
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


def prepare(
    options: argparse.Namespace, races: "Races", prompt: str, agents: Sequence[Entrant]
) -> "tuple[Race, RaceRepository, list[RacerStart]]":
    """Commit the files as they are, and make what each agent begins with."""
    from acp_tui.config.private_files import write_new
    from acp_tui.race.kept import Race
    from acp_tui.race.racer import Racer
    from acp_tui.race.repository import RaceRepository, describe_inner_repositories
    from acp_tui.race.running import RacerStart
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
        racer = Racer(_label(program, [one.label for one in race.racers]), agent)
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
            path = name == "--policy"  # the agents run in other folders
            yield from (name, str(Path(value).absolute()) if path else str(value))
    for choice in options.set:
        yield from ("--set", choice)
    if options.sandbox:
        yield "--sandbox"


def _label(program: str, taken: Sequence[str]) -> str:
    """Make a short name for an agent, for folders and for git; no two are alike, even to a disk that
    knows no case.
    """
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(program).name)
    label = name.strip("-")[:24] or "agent"
    used = {"base", *map(str.casefold, taken)}
    alike = (f"{label}-{nth}" for nth in itertools.count(2))
    return next(one for one in itertools.chain([label], alike) if one.casefold() not in used)
