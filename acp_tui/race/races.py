"""Stores races and their results, in files and git commits, and adopts results."""

import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar, cast

from acp_tui.config.private_files import make_folder, write_new, write_whole
from acp_tui.git.objects import GitError
from acp_tui.race.racer import JudgeResult, Racer, RacerTurn, StoredFiles
from acp_tui.race.repository import CommitChanges, RaceRepository
from acp_tui.store.files_in_use import in_use, mark_in_use

_FILE = "race.json"
_RUNNING = "running"
"""The file that is locked while the race runs."""
_DATE = "%Y%m%d-%H%M%S"
_PARTS = ("racers", "turn", "files")
"""Fields with nested objects, which are written, read and checked separately."""
_ADDED = ("failed",)
"""Fields that the files of earlier versions lack."""


class NoRaceError(Exception):
    """No race, or more than one, has the name; or its file is invalid. The message says which."""


@dataclass(slots=True)
class Race:
    """A prompt, the repository where it was run, and the agents in order."""

    name: str
    prompt: str
    root: str
    """The repository's folder."""
    base: str
    """The commit that all agents started from: the files at that time, committed or not."""
    head: str | None
    """The commit that was checked out at that time; None if there was none."""
    began: str
    judge: str = ""
    racers: list[Racer] = field(default_factory=list)

    def racer(self, label: str) -> Racer:
        """Return the agent with this label. Raises NoRaceError."""
        for one in self.racers:
            if one.label == label:
                return one
        labels = ", ".join(one.label for one in self.racers)
        raise NoRaceError(f"race {self.name} had no {label!r}, but: {labels}")

    def as_json(self) -> dict[str, Any]:
        """Return the race as JSON, for its file or for other programs."""
        return {**_plain_fields(self), "racers": [_racer_json(one) for one in self.racers]}


class Races:
    """The folder of all races."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def folder_of(self, race: str) -> Path:
        """Return the folder of a race: its file, its worktrees, its patches and the judges' output."""
        return self._folder / race

    def new_name(self, now: datetime, claim: Callable[[str], bool]) -> str:
        """Return a free name that `claim` accepts, and create the race's folder.

        Raises OSError, and what `claim` raises; then no folder is left.
        """
        make_folder(self._folder)
        name = stem = f"{now:{_DATE}}"
        nth = 1
        while not self._make_folder(name, claim):
            nth += 1
            name = f"{stem}-{nth}"
        return name

    def _make_folder(self, name: str, claim: Callable[[str], bool]) -> bool:
        """Create a race's folder; return False if it exists, or if `claim` rejects the name."""
        folder = self.folder_of(name)
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            return False
        claimed = False
        try:
            claimed = claim(name)
        finally:
            if not claimed:
                folder.rmdir()
        return claimed

    @contextmanager
    def running(self, race: str) -> Iterator[None]:
        """Mark a race as running until the block ends. Raises OSError."""
        with (self.folder_of(race) / _RUNNING).open("wb") as file:
            mark_in_use(file.fileno())
            yield

    def is_running(self, race: str) -> bool:
        """Return whether a race is still running, in any process."""
        return in_use(self.folder_of(race) / _RUNNING)

    def save(self, race: Race) -> None:
        """Write a race to its file. Raises OSError."""
        write_whole(self.folder_of(race.name) / _FILE, json.dumps(race.as_json(), indent=1))

    def names(self) -> list[str]:
        """Return the names of all races, latest first."""
        return sorted((path.parent.name for path in self._folder.glob(f"*/{_FILE}")), reverse=True)

    def read_race(self, name: str) -> Race:
        """Read a race from its file. Raises NoRaceError if the file is missing or invalid."""
        path = self.folder_of(name) / _FILE
        try:
            body = json.loads(path.read_text("utf-8"))
            racers = [_read_racer(one) for one in body["racers"]]
            race = _check_fields(Race(**{**body, "racers": racers}))
            if race.name != name:
                raise ValueError(f"it is of race {race.name}")
        except OSError as error:
            raise NoRaceError(f"{path} can't be read: {error.strerror}") from error
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise NoRaceError(f"{path} is broken: {error}") from error
        return race

    def find_race(self, name: str) -> Race:
        """Read a race by its name, or the beginning of it; "last" is the latest.

        Raises NoRaceError if there is none, or more than one, or its file is invalid.
        """
        there = self.names()
        found = there[:1] if name == "last" else [one for one in there if one == name]
        found = found or [one for one in there if one.startswith(name)]
        if len(found) == 1:
            return self.read_race(found[0])
        names = ", ".join((found or there)[:5]) or "none so far"
        why = f"several races begin with {name!r}" if found else f"there is no race {name!r}"
        raise NoRaceError(f"{why}: {names}")


def _plain_fields(part: "_RacePart") -> dict[str, Any]:
    names = (one.name for one in fields(part) if one.name not in _PARTS and one.name[0] != "_")
    return {name: getattr(part, name) for name in names}


def _racer_json(racer: Racer) -> dict[str, Any]:
    """Convert an agent to one flat JSON object."""
    facts = _plain_fields(racer) | _plain_fields(racer.turn) | _plain_fields(racer.files)
    changes, judged = racer.files.changes, racer.judged
    return facts | {
        "changes": changes and changes._asdict(),
        "judged": asdict(judged) if judged is not None else None,
    }


def _read_racer(body: dict[str, Any]) -> Racer:
    changes, judged = body["changes"], body["judged"]
    made, files = _read_fields(Racer, body), _read_fields(StoredFiles, body)
    files.changes = CommitChanges(**changes) if changes is not None else None
    made.turn, made.files = _check_fields(_read_fields(RacerTurn, body)), _check_fields(files)
    made.judged = _check_fields(JudgeResult(**judged)) if judged is not None else None
    return _check_fields(made)


_RacePart = TypeVar("_RacePart", Race, Racer, RacerTurn, StoredFiles, JudgeResult)


def _read_fields(kind: type[_RacePart], body: dict[str, Any]) -> _RacePart:
    """Create a Racer, or a part of one, from the fields in a file. Raises KeyError if one is
    missing.
    """
    names = (one.name for one in fields(kind) if one.name not in _PARTS and one.name[0] != "_")
    return kind(**{name: body[name] for name in names if name in body or name not in _ADDED})


def _check_fields(made: _RacePart) -> _RacePart:
    """Check the types of fields that were read from a file; return the object. Raises TypeError."""
    for name, value in _plain_fields(made).items():
        kind = cast("type", type(made).__dataclass_fields__[name].type)
        if not isinstance(value, kind):
            raise TypeError(f"its {name!r} is something else")
    return made


class AdoptWay(StrEnum):
    """Ways to adopt a result, ordered by how much they change."""

    BRANCH = "branch"
    PATCH = "patch"
    MERGE = "merge"


WAY_WORDS = {
    AdoptWay.BRANCH: "make a branch of it; your files stay as they are",
    AdoptWay.PATCH: "write a patch file here",
    AdoptWay.MERGE: "change your files as it did; the index stays as it is",
}


def stored_commit(race: Race, racer: Racer) -> str:
    """Return the commit of an agent's files. Raises GitError, with the reason, if there is none."""
    if racer.files.commit:
        return racer.files.commit
    if racer.files.trouble:
        raise GitError(racer.files.trouble)
    raise GitError(
        f"{racer.label}: the race is running, or was interrupted; then this saves the results: "
        f"acp-tui race --finish {race.name}"
    )


def adopt_result(race: Race, racer: Racer, way: AdoptWay, races: Races, here: Path) -> str:
    """Adopt an agent's result; return a description of what was done.

    Raises:
        GitError: git refuses; nothing was changed.
        OSError: a file can't be written; nothing was changed.
    """
    commit = stored_commit(race, racer)
    if commit == race.base:
        raise GitError(racer.files.left or f"{racer.label} changed nothing")
    repository = RaceRepository.around(Path(race.root))
    if way is AdoptWay.BRANCH:
        name = f"race/{race.name}-{racer.label}"
        repository.new_branch(name, commit)
        done = f"made branch {name}"
        if race.base != race.head:
            done += (
                "; the commit before its last has what you had not committed when the race began"
            )
    else:
        patch = repository.patch(race.base, commit)
        name = f"race-{race.name}-{racer.label}.patch"
        if way is AdoptWay.PATCH:
            path = here / name
            write_new(path, patch)
            done = f"wrote {path}"
        else:
            path = races.folder_of(race.name) / name
            path.unlink(missing_ok=True)
            write_new(path, patch)
            repository.apply(patch)
            done = f"merged into {race.root}; to take it back: git apply --reverse {shlex.quote(str(path))}"
    racer.files.adopted = done
    # failing to save doesn't matter, as the result is adopted, and that is reported
    with suppress(OSError):
        races.save(race)
    return f"{done}; {racer.files.left}" if racer.files.left else done
