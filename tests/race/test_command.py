"""`acp-tui race`, from the command line to the last file."""

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.e2e.terminal import terminal
from tests.hosting import wait_until
from tests.race.command import BOTH, env, race, race_asking, told
from tests.race.repositories import git, project, state

__all__ = ["env", "project"]


def test_each_works_in_its_own_files_is_judged_and_can_be_adopted(
    env: Mapping[str, str], project: Path, tmp_path: Path
) -> None:
    before = state(project)
    prompt = "echo $WHO > who.txt; cat tea.py > seen; mkdir ../build; touch ../build/o"
    ran = race(env, project / "src", prompt, *BOTH, "--judge", "grep ann who.txt")
    assert ran.returncode == 0, ran.stderr
    ann, bob = (line.split() for line in ran.stdout.splitlines()[2:4])
    assert (ann[:2], bob[:2]) == (["1", "ann"], ["2", "bob"])
    assert ann[-2] == "✓"
    assert bob[-3:-1] == ["exit", "1,"]
    assert ran.stdout.count("--adopt") == 1
    assert ran.stdout.splitlines()[-1].startswith("take it over: acp-tui race --adopt")
    assert "ann: 1 file or folder that git ignores, which are not kept" in ran.stdout
    assert "don't get the 1 file or folder here that git ignores" in ran.stderr
    assert state(project) == before

    [told] = json.loads(f"[{race(env, project, '--show', 'last', '--format', 'json').stdout}]")
    first = told["racers"][0]
    assert (first["label"], first["exit_code"], first["changes"]["files"]) == ("ann", 0, 2)
    assert Path(first["recording"]).is_file()
    assert git(project, "show", f"{first['commit']}:src/seen") == "minutes = 4\n"
    [made] = (tmp_path / "state" / "acp-tui" / "races").iterdir()
    assert not [one for one in made.iterdir() if one.is_dir()]
    assert (made / "ann.judge.log").read_text() == "ann\n"

    patch = race(env, project, "--diff", "last/bob").stdout
    assert "+bob" in patch
    assert "who.txt" in patch
    merged = race(env, project, "--adopt", f"{made.name}/ann", "--as", "merge")
    assert merged.returncode == 0, merged.stderr
    assert (project / "src" / "who.txt").read_text() == "ann\n"
    again = race(env, project, "--adopt", "last/bob", "--as", "merge")
    assert again.returncode == 2
    assert "who.txt: already exists" in again.stderr
    assert (project / "src" / "who.txt").read_text() == "ann\n"
    back = merged.stdout.partition("git apply --reverse ")[2].strip()
    git(project, "apply", "--reverse", back)
    assert state(project)[0] == before[0]

    branch = race(env, project, "--adopt", "last/bob")
    assert branch.stdout.startswith(f"bob: made branch race/{made.name}-bob; the commit before")
    assert git(project, "show", f"race/{made.name}-bob:src/who.txt") == "bob\n"
    race(env, project, "--adopt", "last/bob", "--as", "patch")
    assert (project / f"race-{made.name}-bob.patch").read_text() == patch
    listed = race(env, project, "--list").stdout
    assert listed.startswith(f"{made.name}  ✓ ann, ✗ bob")


def test_who_cannot_start_is_told_and_the_others_go_on(
    env: Mapping[str, str], project: Path
) -> None:
    ran = race(env, project, "true", "--agent", "ann", "--", "./no-such-agent")
    assert ran.returncode == 0
    lines = ran.stdout.splitlines()
    assert lines[2].split()[:3] == ["1", "ann", "✓"]
    assert lines[3].split()[:3] == ["2", "no-such-agent", "✗"]
    assert "no such file" in ran.stderr
    assert any(line.startswith("no-such-agent: ") for line in lines[4:])
    assert lines[-1].startswith("nobody changed a file")


def test_instructions_that_begin_with_a_dash_reach_the_agents(
    env: Mapping[str, str], project: Path
) -> None:
    ran = race(env, project, "true", *BOTH, "--system-prompt=--brief")
    assert ran.returncode == 1  # these agents take none
    assert "takes no system prompt" in told(env, project)["ann"]["why"]


def test_a_name_that_no_agent_has_is_told_before_anything_starts(
    env: Mapping[str, str], project: Path
) -> None:
    before = state(project)
    ran = race(env, project, "touch x", "--agent", "anne", "--agent", "bob")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "no agent is called 'anne'" in ran.stderr
    assert "did you mean: ann" in ran.stderr
    assert state(project) == before
    assert race(env, project, "--list").stdout == ""


def test_what_makes_no_sense_starts_nothing(env: Mapping[str, str], project: Path) -> None:
    before = state(project)
    cases = {
        ("true", "--agent", "ann"): "two agents or more",
        BOTH: "give one prompt",
        ("true", *BOTH, "--max-time", "x"): "--max-time",
        ("true", *BOTH, "--max-quota", "x"): "a percentage from 1 to 100",
        ("--adopt", "last"): "RACE/AGENT",
        ("--adopt", "last/ann"): "there is no race 'last': none so far",
        ("true", *BOTH, "--cwd", "nowhere"): "not a directory",
    }
    for arguments, words in cases.items():
        ran = race(env, project, *arguments)
        assert ran.returncode == 2, arguments
        assert words in ran.stderr
    assert state(project) == before


@pytest.mark.slow
def test_interrupted_it_keeps_what_was_done_and_leaves_nothing(
    env: Mapping[str, str], project: Path, tmp_path: Path
) -> None:
    words = [sys.executable, "-m", "acp_tui", "race"]
    prompt = f"echo $WHO > who.txt; touch {tmp_path}/begun-$WHO; sleep 60"
    with subprocess.Popen(
        [*words, prompt, *BOTH], cwd=project, env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        begun = [tmp_path / "begun-ann", tmp_path / "begun-bob"]
        wait_until(lambda: all(one.exists() for one in begun))
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in out
    assert git(project, "worktree", "list").count("\n") == 1
    [told] = json.loads(f"[{race(env, project, '--show', 'last', '--format', 'json').stdout}]")
    for one in told["racers"]:
        assert git(project, "show", f"{one['commit']}:who.txt") == f"{one['label']}\n"


def test_a_person_says_what_agents_may_do_watches_them_and_chooses(
    env: Mapping[str, str], project: Path, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    prompt = f"until [ -e {go} ]; do sleep .1; done; echo $WHO > who.txt"
    words = ("race", prompt, "--agent", "ann", "--agent", "bob", "--judge", "test -d src")
    folders = {name: env[name] for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    chosen = {**folders, "ACP_TUI_THEME": "day"}
    with terminal(*words, cwd=project, env=chosen, size=(80, 30)) as window:
        window.wait_for("permissions? (a number or a name; Enter cancels)")
        assert "without --sandbox, commands reach beyond the worktree" in window.text
        window.send("yes\r")
        window.wait_until(lambda: window.text.count("permissions?") == 2, "the question again")
        assert "'yes' is none of these: reject, allow-reads, allow" in window.text
        window.send("3\r")

        window.wait_until(
            lambda: window.text.startswith("prompt  until [ -e "), "the race's screen"
        )
        window.wait_until(lambda: "╯" in window.text.splitlines()[-1], "frames down to the end")
        rows = window.text.splitlines()
        assert rows[1].rstrip() == "judge   test -d src"
        assert rows[2].rstrip() == "Ctrl+C cancels all turns; pressed again, it ends them at once"
        assert rows[3].startswith("╭")
        assert "─ ann ─" in rows[3]
        assert "─ bob ─" in rows[3]
        assert window.screen.buffer[3][0].bg == "fafaf8"
        window.send("1\r3\r")  # to somebody else, or too early: it answers no question
        window.wait_until(lambda: window.unread, "keys that nobody reads")
        go.touch()

        window.wait_for("adopt? (a number")
        assert ": 1 file +1 −0" in window.text
        window.send("none\r")
        window.wait_until(lambda: window.text.count("adopt?") == 2, "the question again")
        assert "'none' is none of these: " in window.text
        window.send("d bob\r")
        window.wait_for("+bob")
        window.wait_until(lambda: window.text.count("adopt?") == 3, "the question again")
        window.send("ann\r1\r")  # the second answer comes before its question
        window.wait_for("Several lines at once don't answer")
        window.wait_until(lambda: window.text.count("adopt?") == 4, "the question again")
        window.send("ann\r")
        window.wait_for("how? (a number")
        assert "1  branch: make a branch of it" in window.text
        window.send("\r")
        window.wait_for("/ann --as branch|patch|merge")
        assert "nothing was adopted" in window.text
        assert window.text.count("--adopt") == 1
        assert window.wait_for_exit() == 0
    assert not (project / "who.txt").exists()
    assert git(project, "branch", "--format=%(refname:short)") == "main\n"


def test_no_race_begins_without_an_answer(env: Mapping[str, str], project: Path) -> None:
    before = state(project)
    words = ("echo $WHO > who.txt", "--agent", "ann", "--agent", "bob")
    ran, shown = race_asking(env, project, [("permissions? (", "")], *words)
    assert ran.returncode == 130
    assert "no race was begun" in shown
    assert state(project) == before


def test_a_result_is_adopted_by_its_name_and_the_word_for_how(
    env: Mapping[str, str], project: Path
) -> None:
    answers = [("adopt? (", "bob"), ("how? (", "merge")]
    ran, shown = race_asking(env, project, answers, "echo $WHO > who.txt", *BOTH)
    assert ran.returncode == 0, shown
    assert (project / "who.txt").read_text() == "bob\n"
