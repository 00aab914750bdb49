"""Takes over what one agent of a race did."""

from enum import StrEnum
from pathlib import Path

from acp_tui.config.private_files import write_new
from acp_tui.race.kept import Race, Races
from acp_tui.race.racer import Racer
from acp_tui.race.git import GitError
from acp_tui.race.repository import Repository


class Way(StrEnum):
    """How a result is taken over."""

    MERGE = "merge"
    BRANCH = "branch"
    PATCH = "patch"


WORDS = {
    Way.MERGE: "change your files as it did; the index stays as it is",
    Way.BRANCH: "make a branch of it; your files stay as they are",
    Way.PATCH: "write a patch file here",
}


def adopt(race: Race, racer: Racer, way: Way, races: Races, here: Path) -> str:
    """Take over what an agent did; return what was done, in words.

    Raises GitError: git refuses, and nothing has changed. OSError: a file can't be written.
    """
    if not racer.commit:
        raise GitError(racer.trouble or f"{racer.label} left nothing that was kept")
    if racer.commit == race.base:
        raise GitError(f"{racer.label} changed nothing")
    repository = Repository.around(Path(race.root))
    if way is Way.BRANCH:
        name = f"race/{race.name}-{racer.label}"
        repository.new_branch(name, racer.commit)
        told = f"made branch {name}"
        if race.base != race.head:
            told += (
                "; the commit before its last has what you had not committed when the race began"
            )
    else:
        patch = repository.patch(race.base, racer.commit)
        name = f"race-{race.name}-{racer.label}.patch"
        if way is Way.PATCH:
            path = here / name
            write_new(path, patch)
            told = f"wrote {path}"
        else:
            path = races.folder_of(race.name) / name
            path.unlink(missing_ok=True)
            write_new(path, patch)
            repository.apply(patch)
            told = f"merged into {race.root}; to take it back: git apply --reverse {path}"
    racer.adopted = told
    races.save(race)
    return told
