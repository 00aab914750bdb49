"""A race that is ended by force loses nothing: what was done is kept when a person says so."""

import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from acp_tui.race.racer import Racer
from acp_tui.race.races import Race, Races
from acp_tui.race.repository import RaceRepository
from acp_tui.race.runner import Runner
from tests.hosting import wait_until
from tests.race.command import BOTH, env, race, told
from tests.race.repositories import git, project, state

__all__ = ["env", "project"]


def killed(
    env: Mapping[str, str], project: Path, marks: list[Path], prompt: str, *more: str
) -> None:
    """Begin a race, and kill it once there is a file of each of these names; look at it before."""
    words = [sys.executable, "-m", "acp_tui", "race", prompt, *BOTH, *more]
    with subprocess.Popen(words, cwd=project, env=env, stderr=subprocess.DEVNULL) as process:
        wait_until(lambda: all(mark.exists() for mark in marks))
        early = race(env, project, "--finish", "last")
        process.send_signal(signal.SIGKILL)
    assert early.returncode == 2
    assert "goes on: Ctrl+C where it runs cancels it" in early.stderr


def worktrees(project: Path) -> int:
    return git(project, "worktree", "list").count("\n") - 1


@pytest.mark.slow
def test_killed_in_its_turns_it_is_kept_as_far_as_it_came(
    env: Mapping[str, str], project: Path, tmp_path: Path
) -> None:
    before = state(project)
    marks = [tmp_path / "begun-ann", tmp_path / "begun-bob"]
    killed(env, project, marks, f"echo $WHO > who.txt; touch {tmp_path}/begun-$WHO; sleep 60")
    assert worktrees(project) == 2
    shown = race(env, project, "--show", "last").stdout
    assert shown.splitlines()[-1].startswith("if it was interrupted, this saves the results: ")
    refused = race(env, project, "--adopt", "last/ann").stderr
    assert "acp-tui race --finish 2" in refused

    finished = race(env, project, "--finish", "last")
    assert finished.returncode == 1
    assert "ann: the race was interrupted" in finished.stdout
    assert finished.stdout.splitlines()[-1].startswith("take it over: ")
    assert worktrees(project) == 0
    assert state(project) == before
    merged = race(env, project, "--adopt", "last/bob", "--as", "merge")
    assert merged.returncode == 0, merged.stderr
    assert (project / "who.txt").read_text() == "bob\n"


@pytest.mark.slow
def test_killed_while_it_judges_the_turns_are_what_they_were(
    env: Mapping[str, str], project: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "judging"
    judge = ("--judge", f"touch {mark}; sleep 60")
    killed(env, project, [mark], "echo $WHO > who.txt", *judge)
    assert worktrees(project) == 2
    shown = race(env, project, "--show", "last").stdout
    assert "ann: the race is running, or was interrupted: " in shown
    assert "--finish" in shown

    finished = race(env, project, "--finish", "last").stdout
    assert worktrees(project) == 0
    assert "✓ yes" in finished
    assert "--finish" not in finished
    for label, one in told(env, project).items():
        assert git(project, "show", f"{one['commit']}:who.txt") == f"{label}\n"


def left(project: Path, tmp_path: Path) -> tuple[Race, Races, RaceRepository, Racer]:
    """Make an interrupted race, with a worktree in which a file differs."""
    repository, races = RaceRepository.around(project), Races(tmp_path / "races")
    base = repository.snapshot("as it is", repository.head()).commit
    one = Race("1", "tea", str(project), base, None, "2026-01-01")
    racer = Racer("ann", "ann", str(tmp_path / "ann.jsonl"), str(tmp_path / "races" / "1" / "ann"))
    one.racers.append(racer)
    races.save(one)
    repository.add_worktree(Path(racer.worktree), base)
    Path(racer.worktree, "new.txt").write_text("new\n")
    return one, races, repository, racer


def finish(one: Race, races: Races, repository: RaceRepository) -> None:
    anyio.run(Runner(one, races, repository, (), lambda _: None).finish)


def test_files_that_were_checked_out_for_no_turn_are_no_result(
    project: Path, tmp_path: Path
) -> None:
    one, races, repository, racer = left(project, tmp_path)
    finish(one, races, repository)
    assert (racer.files.commit, racer.turn.exit_code) == (one.base, 130)
    assert worktrees(project) == 0


def test_what_was_kept_before_it_was_written_down_stays(project: Path, tmp_path: Path) -> None:
    one, races, repository, racer = left(project, tmp_path)
    Path(racer.recording).touch()
    repository.create_ref("1/ann", one.base)
    finish(one, races, repository)
    assert git(project, "show", f"{racer.files.commit}:new.txt") == "new\n"
    refs = "refs/acp-tui/races/1/ann"
    assert git(project, "rev-parse", refs, f"{refs}.finished").split() == [
        one.base,
        racer.files.commit,
    ]
    assert races.read_race("1").racer("ann").files.commit == racer.files.commit
