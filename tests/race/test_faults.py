"""What goes wrong with one agent, a judge or a file takes nothing of what others did, and is told."""

import io
import json
import os
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Event

import anyio
import pytest
from rich.console import Console

from acp_tui.cli.race_report import list_notes, make_console, next_steps, race_table
from acp_tui.cli.race_start import named_entrants, prepare_race
from acp_tui.config.paths import races_folder
from acp_tui.formatting import duration
from acp_tui.git.objects import GitError
from acp_tui.race.racer import JudgeResult, Racer, StoredFiles
from acp_tui.race.races import NoRaceError, Race, Races
from acp_tui.race.repository import CommitChanges, RaceRepository
from acp_tui.race.runner import RacerStart, Runner
from acp_tui.store.files_in_use import wait_for_lock
from tests.hosting import PATIENCE
from tests.race.command import AGENT, BOTH, env, race, told
from tests.race.repositories import git, project, state

__all__ = ["env", "project"]

COMMIT = "git add -A; git -c user.name=b -c user.email=b@b commit -qm b"


def test_all_results_are_kept_before_anybody_is_judged_whatever_the_agents_did(
    env: Mapping[str, str], project: Path
) -> None:
    prompt = f"""case "$WHO" in
        ann) cd ..; mv src lib;;
        bob) echo bob > who.txt; mkdir app; cd app; git init -q; echo work > work; {COMMIT};;
        *) rm -rf "${{PWD%/src}}";;
    esac"""
    third = ("--judge", "true", "--", sys.executable, str(AGENT))
    ran = race(env, project / "src", prompt, *BOTH, *third)
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    found = told(env, project)
    ann, bob = found.pop("ann"), found.pop("bob")
    (gone,) = found.values()  # called by how Python is here: python3, or python3-11
    rows = {words[1]: " ".join(words) for words in map(str.split, ran.stdout.splitlines()[2:5])}

    assert git(project, "show", f"{ann['commit']}:lib/tea.py") == "minutes = 4\n"
    assert rows["ann"].endswith("✗ failed")
    where = f"{ann['worktree']}/src"
    assert f"ann: the judge failed: Can't start '/bin/sh': the folder {where!r} does" in ran.stdout

    work = Path(bob["worktree"], "src", "app", "work")
    assert work.read_text() == "work\n"
    assert "+1 −0 * ✓ " in rows["bob"]
    lacks = "the result lacks the repository in 'src/app', as git keeps none inside another"
    lacks += f": all of it is left in {bob['worktree']}"
    assert f"* bob: {lacks}" in ran.stdout
    *_, lacking, _, _ = ran.stdout.splitlines()
    assert lacking.startswith("what a result lacks stays in the worktree")
    assert lacks in race(env, project, "--diff", "last/bob").stderr
    assert lacks in race(env, project, "--adopt", "last/bob").stdout

    assert gone["commit"] == ""
    assert f"its worktree is gone: {gone['worktree']} was removed or renamed" in ran.stdout
    refused = race(env, project, "--adopt", f"last/{gone['label']}")
    assert (refused.returncode, "its worktree is gone" in refused.stderr) == (2, True)
    assert not Path(ann["worktree"]).exists()


def test_a_worktree_that_git_does_not_know_anymore_is_left_with_the_words_to_remove_it(
    env: Mapping[str, str], project: Path
) -> None:
    prompt = 'if [ "$WHO" = ann ]; then echo "gitdir: /nowhere" > .git; fi'
    ran = race(env, project, prompt, *BOTH)
    assert "Traceback" not in ran.stderr
    ann = told(env, project)["ann"]
    assert f"its worktree {ann['worktree']} could not be removed" in ran.stdout
    assert f"Delete the folder, then run: git -C {project} worktree prune" in ran.stdout


def test_a_result_of_nothing_but_a_repository_is_not_said_to_be_nothing(
    env: Mapping[str, str], project: Path
) -> None:
    git(project, "init", "--quiet", "lib")
    ran = race(env, project, "[ $WHO = bob ] || git init -q app", *BOTH)
    assert "the agents don't get the repository in 'lib'" in ran.stderr
    refused = race(env, project, "--adopt", "last/ann")
    assert "the result lacks the repository in 'app'" in refused.stderr
    assert "ann changed nothing" not in refused.stderr


def test_a_race_that_cannot_begin_says_why(env: Mapping[str, str], project: Path) -> None:
    (project / ".git" / "worktrees").write_text("in the way")
    ran = race(env, project, "true", *BOTH)
    assert ran.returncode == 2
    assert ran.stderr.splitlines()[-1].startswith("acp-tui race: ")
    assert "Traceback" not in ran.stderr


def test_the_race_goes_on_when_nobody_reads_what_is_told_of_it(
    env: Mapping[str, str], project: Path, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    ours, theirs = os.pipe()

    def leave() -> None:
        with os.fdopen(ours) as told:
            assert "starting" in [told.readline() for _ in range(2)][1]
        go.touch()

    with ThreadPoolExecutor() as threads, os.fdopen(theirs, "w", 1) as stderr:
        leaving = threads.submit(leave)
        prompt = f"until [ -e {go} ]; do sleep .1; done; echo $WHO > who.txt"
        ran = race(env, project, prompt, *BOTH, stderr=stderr)
        leaving.result()
    assert ran.returncode == 0
    assert "1 " in ran.stdout
    for label, racer in told(env, project).items():
        assert git(project, "show", f"{racer['commit']}:who.txt") == f"{label}\n"


def prepared(
    env: Mapping[str, str], project: Path, prompt: str, names: Sequence[str]
) -> tuple[Race, Races, RaceRepository, list[RacerStart]]:
    """Prepare a race of agents of the settings, as the command does."""
    options = Namespace(cwd=project, judge="", agent=names, agent_command=())
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        races = Races(races_folder())
        agents = named_entrants(options)
        one, repository, starts = prepare_race(
            options, races, prompt, agents, ("--permissions=allow",)
        )
    return one, races, repository, starts


def test_odd_names_of_agents_have_labels_of_their_own(
    env: Mapping[str, str], project: Path
) -> None:
    names = ("it's", "", "Base", "x" * 30 + "/ÄB..lock", "ab-lock", "AB-lock")
    settings = Path(env["XDG_CONFIG_HOME"], "acp-tui", "settings.toml")
    for name in names:
        with settings.open("a") as file:
            file.write(f'[agents."{name}"]\ncommand = ["no-such-agent"]\n')
    one, _, repository, starts = prepared(env, project, "true", names)
    labels = ["it-s", "agent", "Base-2", "B-lock", "ab-lock", "AB-lock-2"]
    assert [racer.label for racer in one.racers] == labels
    assert [start.arguments[-2:] for start in starts] == [("--agent", name) for name in names]
    assert all(repository.claim(f"{one.name}/{label}", one.base) for label in labels)


def test_a_folder_whose_name_is_no_text_has_results_that_can_be_adopted(
    env: Mapping[str, str], project: Path
) -> None:
    odd = project.rename(project.with_name("a\nb \udcff'"))
    merged = race(env, odd, "echo $WHO > who.txt", *BOTH)
    assert merged.returncode == 0, merged.stderr
    merged = race(env, odd, "--adopt", "last/ann", "--as", "merge")
    assert (odd / "who.txt").read_text() == "ann\n", merged.stderr


def test_two_races_at_once_keep_apart(
    env: Mapping[str, str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(project)
    two = [prepared(env, project, "echo $PPID > who.txt", ("ann", "bob")) for _ in range(2)]
    monkeypatch.setenv("XDG_CONFIG_HOME", env["XDG_CONFIG_HOME"])

    async def run_both() -> None:
        async with anyio.create_task_group() as tasks:
            for one, races, repository, starts in two:
                tasks.start_soon(Runner(one, races, repository, starts, lambda _: None).run)

    anyio.run(run_both)
    assert all(racer.is_done for one, *_ in two for racer in one.racers), two
    assert len({one.name for one, *_ in two}) == 2
    refs = git(project, "for-each-ref", "--format=%(refname)", "refs/acp-tui/races").split()
    assert len(refs) == 6
    assert len({git(project, "show", f"{ref}:who.txt") for ref in refs if "/base" not in ref}) == 4
    assert state(project) == before


def test_a_worktree_is_added_and_removed_once_another_race_has_done_so(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = git(project, "rev-parse", "HEAD").strip()
    mine, worktree = RaceRepository.around(project), tmp_path / "ann"
    waiting, was_free = Event(), list[bool]()

    def wait(descriptor: int, timeout: float) -> bool:
        was_free.append(wait_for_lock(descriptor, 0))
        waiting.set()
        return wait_for_lock(descriptor, timeout)

    monkeypatch.setattr("acp_tui.race.repository.wait_for_lock", wait)
    with ThreadPoolExecutor(1) as threads:
        for work in (
            partial(mine.add_worktree, worktree, commit),
            partial(mine.remove_worktree, worktree),
        ):
            before, others = worktree.exists(), os.open(project / ".git", os.O_RDONLY)
            assert wait_for_lock(others, PATIENCE)
            waiting.clear()
            working = threads.submit(work)
            try:
                assert waiting.wait(PATIENCE)
                assert worktree.exists() is before
            finally:
                os.close(others)
            working.result()
            assert worktree.exists() is not before
    assert was_free == [False, False]


@pytest.mark.slow  # with many of them what the test above tries with one
def test_worktrees_are_added_and_removed_by_several_at_once(project: Path, tmp_path: Path) -> None:
    commit = git(project, "rev-parse", "HEAD").strip()

    def come_and_go(name: str) -> None:
        repository = RaceRepository.around(project)
        for nth in range(20):
            for agent in ("ann", "bob"):
                repository.add_worktree(tmp_path / name / f"{nth}" / agent, commit)
            for agent in ("ann", "bob"):
                repository.remove_worktree(tmp_path / name / f"{nth}" / agent)

    with ThreadPoolExecutor(3) as threads:
        assert [*threads.map(come_and_go, "abc")] == [None] * 3
    assert len(git(project, "worktree", "list").splitlines()) == 1


def test_races_begun_in_one_second_have_names_of_their_own_wherever_they_are_kept(
    project: Path, tmp_path: Path
) -> None:
    repository, now = RaceRepository.around(project), datetime.now().astimezone()
    commit = git(project, "rev-parse", "HEAD").strip()

    def name(folder: str) -> str:
        races = Races(tmp_path / folder)
        return races.new_name(now, lambda one: repository.claim(f"{one}/base", commit))

    with ThreadPoolExecutor(4) as threads:
        names = [*threads.map(name, ("a", "b", "a", "b"))]
    stem = f"{now:%Y%m%d-%H%M%S}"
    assert sorted(names) == [stem, *(f"{stem}-{nth}" for nth in (2, 3, 4))]
    made = [one.name for folder in ("a", "b") for one in (tmp_path / folder).iterdir()]
    assert sorted(made) == sorted(names)


def test_a_name_that_git_refuses_leaves_no_folder(project: Path, tmp_path: Path) -> None:
    repository = RaceRepository.around(project)
    with pytest.raises(GitError, match="not a valid"):
        Races(tmp_path / "races").new_name(
            datetime.now().astimezone(), lambda one: repository.claim(one, "no commit")
        )
    assert [*(tmp_path / "races").iterdir()] == []


def kept_race(races: Races, name: str) -> Race:
    """Make an interrupted race."""
    races.folder_of(name).mkdir(parents=True)
    one = Race(name, "tea", "/", "c" * 40, None, "2026-01-01", racers=[Racer("ann", "ann")])
    one.racers[0].worktree = "/races/ann"
    races.save(one)
    return one


@pytest.mark.parametrize(
    "broken",
    [
        "{",
        "[]",
        "[" * 200_000,
        '{"name": "2"}',
        None,
        {"name": "1"},
        {"root": 5},
        {"racers": [{"label": None}]},
        {"racers": None},
    ],
)
def test_a_broken_file_hides_no_race_and_no_other_is_taken_for_it(
    tmp_path: Path, broken: str | dict[str, object] | None
) -> None:
    races = Races(tmp_path)
    kept_race(races, "1")
    body = kept_race(races, "2").as_json()
    path = races.folder_of("2") / "race.json"
    if isinstance(broken, dict):
        path.write_text(json.dumps({**body, **broken}))
    elif broken is not None:
        path.write_text(broken)
    else:
        path.unlink()
        path.mkdir()
    for name in ("last", "2"):
        with pytest.raises(NoRaceError, match=r"race\.json (is broken|can't be read)"):
            races.find_race(name)
    assert races.find_race("1").as_json() == {**body, "name": "1"}


def test_a_race_that_was_broken_off_is_not_said_to_have_failed(
    env: Mapping[str, str], project: Path, tmp_path: Path
) -> None:
    races = Races(tmp_path / "state" / "acp-tui" / "races")
    kept_race(races, "1")
    kept_race(races, "2")
    (races.folder_of("1") / "race.json").write_text("{")
    listed = race(env, project, "--list").stdout.splitlines()
    assert listed[0].startswith("2  ? ann  /")
    assert listed[1].startswith("1  ")
    assert "race.json is broken: " in listed[1]
    shown = race(env, project, "--show", "last").stdout
    assert "ann: the race is running, or was interrupted: /races/ann has its files" in shown
    assert "✗" not in shown
    refused = race(env, project, "--adopt", "last/ann").stderr
    assert "ann: the race is running, or was interrupted" in refused


def test_who_interrupts_before_the_agents_start_starts_none(project: Path, tmp_path: Path) -> None:
    repository = RaceRepository.around(project)
    base = repository.snapshot("as it is", repository.head()).commit
    races = Races(tmp_path / "races")
    one = kept_race(races, "1")
    one.root, one.base = str(project), base
    one.racers[0].worktree = str(races.folder_of("1") / "ann")
    starts = [RacerStart(one.racers[0], ("--", "touch", str(tmp_path / "started")), Path())]
    runner = Runner(one, races, repository, starts, lambda _: None)
    runner.interrupt()
    anyio.run(runner.run)
    (racer,) = one.racers
    assert (racer.turn.exit_code, racer.turn.why) == (130, "interrupted")
    assert racer.files.commit == base
    assert not (tmp_path / "started").exists()


def test_numbers_that_cannot_be_are_not_told() -> None:
    racer = Racer("ann", "ann")
    usage = {"sessionUpdate": "usage_update", "used": 10**400}
    for amount in (10**400, float("nan"), float("inf"), -1):
        cost = {"amount": amount, "currency": "EUR"}
        racer.turn.follow({"event": "update", "update": {**usage, "cost": cost}})
    racer.turn.follow({"event": "summary", "usage": {"totalTokens": -1}})
    assert (racer.turn.tokens, racer.turn.cost) == (None, "")
    cost = {"amount": 1, "currency": "E\nUR"}
    racer.turn.follow({"event": "update", "update": {**usage, "used": 7, "cost": cost}})
    assert (racer.turn.tokens, racer.turn.cost) == (7, "1.00 E UR")


def ended(label: str, seconds: float, *, commit: str = "base") -> Racer:
    racer = Racer(label, label, recording=f"/r/{label}.jsonl", files=StoredFiles(commit))
    racer.turn.exit_code = 0
    racer.turn.seconds, racer.turn.tokens, racer.turn.cost = seconds, 1_001, "0.10 USD"
    return racer


def shown(*racers: Racer) -> str:
    """What a race of these shows at its end."""
    one = Race("1", "tea", "/", "base", None, "2026-01-01", racers=[*racers])
    to = io.StringIO()
    make_console(to).print(race_table(one))
    return "\n".join([to.getvalue(), *list_notes(one), *next_steps(one)])


def test_the_least_is_marked_where_it_is_seen_to_be_less() -> None:
    one, other = ended("ann", 10.0), ended("bob", 10.01)
    other.turn.tokens = 1_002
    assert "◀" not in shown(one, other)
    other.turn.seconds = 11.0
    assert f"{duration(10.0)} ◀" in shown(one, other)
    assert "◀ the least among those that ended well" in shown(one, other)


def test_in_80_columns_all_of_a_table_is_there() -> None:
    one, other = ended("claude-agent-acp-of-tests", 95.0), ended("ann", 10.0)
    for racer in (one, other):
        racer.turn.calls, racer.turn.failed, racer.files.changes = 12, 1, CommitChanges(13, 160, 45)
        racer.judged = JudgeResult(1, 12.0)
    race = Race("1", "tea", "/", "base", None, "2026-01-01", judge="make", racers=[one, other])
    to = io.StringIO()
    Console(file=to, width=80).print(race_table(race))
    titles, row, *rest = to.getvalue().splitlines()
    assert titles.split()[::8] == ["agent", "judge"]
    known = "✓ yes 10s 12 (1 failed) 1.0k 0.10 USD 13 +160 −45 ✗ exit 1, 12s"
    assert row.split() == ["1", "ann", *known.split()]
    assert "".join(one.split()[1 if at == 0 else 0] for at, one in enumerate(rest)) == one.label


def test_tools_that_failed_are_counted_and_kept(tmp_path: Path) -> None:
    racer = ended("ann", 1.0)
    for call, status in (("1", "failed"), ("2", "failed"), ("3", "completed"), ("2", "completed")):
        update = {"sessionUpdate": "tool_call_update", "toolCallId": call, "status": status}
        racer.turn.follow({"event": "update", "update": update})
        racer.turn.follow({"event": "update", "update": {**update, "status": None}})
    assert "3 (1 failed)" in shown(racer)
    races = Races(tmp_path)
    races.folder_of("1").mkdir()
    races.save(Race("1", "tea", "/", "base", None, "2026-01-01", racers=[racer]))
    assert races.read_race("1").racers[0].turn.failed == 1
    path = races.folder_of("1") / "race.json"
    body = json.loads(path.read_text())
    del body["racers"][0]["failed"]  # as in races of before
    path.write_text(json.dumps(body))
    assert races.read_race("1").racers[0].turn.calls == 3


def test_a_turn_whose_tool_calls_all_failed_is_not_said_to_have_ended_well() -> None:
    one, other = ended("ann", 1.0), ended("bob", 2.0)
    one.turn.calls = one.turn.failed = 2
    told = shown(one, other).splitlines()
    assert told[1].split()[:4] == ["1", "bob", "✓", "yes"]
    assert told[2].split()[:4] == ["2", "ann", "!", "yes"]
    assert "! ann: its turn has ended, but 2 of 2 tool calls failed" in told
    assert "◀" not in "".join(told)
    one.turn.failed = 1
    told = shown(one, other).splitlines()
    assert told[1].split()[:4] == ["1", "ann", "✓", "yes"]
    assert not any(line.startswith("!") for line in told)


def test_where_nobody_changed_a_file_that_is_said_with_what_to_do_next() -> None:
    one, other = ended("ann", 1.0), ended("bob", 2.0)
    words = "nobody changed a file; to see what was done: acp-tui replay ann"
    assert shown(one, other).endswith(words)
    other.files.left = "a repository"
    assert "nobody" not in shown(one, other)
    assert "nobody" not in shown(one, ended("bob", 2.0, commit=""))
    assert shown(one, ended("bob", 2.0, commit="b")).splitlines()[-1].startswith("take it over: ")
