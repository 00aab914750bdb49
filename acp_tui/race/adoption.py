"""Adopts the result of one agent of a race."""

import shlex
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from acp_tui.config.private_files import write_new
from acp_tui.git.errors import GitError
from acp_tui.race.kept import Race, Races
from acp_tui.race.racer import Racer
from acp_tui.race.repository import RaceRepository


class AdoptWay(StrEnum):
    """Ways to adopt a result, the least far-reaching first."""

    BRANCH = "branch"
    PATCH = "patch"
    MERGE = "merge"


WORDS = {
    AdoptWay.BRANCH: "make a branch of it; your files stay as they are",
    AdoptWay.PATCH: "write a patch file here",
    AdoptWay.MERGE: "change your files as it did; the index stays as it is",
}


def kept_commit(race: Race, racer: Racer) -> str:
    """Return the commit of an agent's files. Raises GitError, with the reason, if there is none."""
    if racer.commit:
        return racer.commit
    if racer.trouble:
        raise GitError(racer.trouble)
    raise GitError(
        f"{racer.label}: the race goes on, or was broken off; then this keeps what was done: "
        f"acp-tui race --finish {race.name}"
    )


def adopt(race: Race, racer: Racer, way: AdoptWay, races: Races, here: Path) -> str:
    """Adopt an agent's result; return a description of what was done.

    Raises GitError: git refuses, and nothing has changed. OSError: a file can't be written, and nothing
    has changed, either.
    """
    commit = kept_commit(race, racer)
    if commit == race.base:
        raise GitError(racer.left or f"{racer.label} changed nothing")
    repository = RaceRepository.around(Path(race.root))
    if way is AdoptWay.BRANCH:
        name = f"race/{race.name}-{racer.label}"
        repository.new_branch(name, commit)
        told = f"made branch {name}"
        if race.base != race.head:
            told += (
                "; the commit before its last has what you had not committed when the race began"
            )
    else:
        patch = repository.patch(race.base, commit)
        name = f"race-{race.name}-{racer.label}.patch"
        if way is AdoptWay.PATCH:
            path = here / name
            write_new(path, patch)
            told = f"wrote {path}"
        else:
            path = races.folder_of(race.name) / name
            path.unlink(missing_ok=True)
            write_new(path, patch)
            repository.apply(patch)
            told = f"merged into {race.root}; to take it back: git apply --reverse {shlex.quote(str(path))}"
    racer.adopted = told
    with suppress(OSError):  # it is done all the same, and said
        races.save(race)
    return f"{told}; {racer.left}" if racer.left else told
