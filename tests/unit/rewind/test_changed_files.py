"""What git says of changed files, for a list: a quick look, and never an error."""

import os
import subprocess
from pathlib import Path

import pytest

from acp_tui.rewind.against_head import HeadCommit, HeadDifference, changed_since_head
from acp_tui.store.same_folder import SameFolder


def git(folder: Path, *args: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@e")
    subprocess.run(["git", *who, *args], cwd=folder, check=True, capture_output=True)


def test_changed_new_and_renamed_files_are_told_relative_to_the_folder(tmp_path: Path) -> None:
    inside = tmp_path / "in side"
    inside.mkdir()
    git(tmp_path, "init", "-q")
    for name in ("same", "other", "gone", "old"):
        (inside / name).write_text(f"{name}\n" * 9)
    (tmp_path / "outside").write_text("x")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "x")
    (inside / "other").write_text("changed")
    (inside / "gone").unlink()
    git(inside, "mv", "old", "renämed")
    (inside / "fresh").write_text("x")
    (tmp_path / "outside").write_text("y")
    told = {"other": "changed", "renämed": "renamed", "fresh": "new"}
    assert changed_since_head(str(inside)) == told
    assert changed_since_head(str(tmp_path))["outside"] == "changed"


def test_without_a_repository_nothing_is_told_and_no_setting_of_one_runs(tmp_path: Path) -> None:
    assert changed_since_head(str(tmp_path)) == {}
    assert changed_since_head(str(tmp_path / "missing")) == {}
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.fsmonitor", f"touch {tmp_path}/ran; true")
    (tmp_path / "a").write_text("x")
    assert changed_since_head(str(tmp_path)) == {"a": "new"}
    assert not (tmp_path / "ran").exists()


def test_no_filter_that_the_repository_or_a_submodule_names_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings come with an archive; a person's own filters are the person's."""
    ran, top = tmp_path / "ran", tmp_path / "top"
    own = tmp_path / "own.gitconfig"
    own.write_text('[filter "own"]\n\tclean = tr a-z A-Z\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    for one in (top / "sub", top):
        one.mkdir(parents=True, exist_ok=True)
        git(one, "init", "-q")
        (one / "a.py").write_text("a\n")
        (one / "b.own").write_text("b\n")
        (one / ".gitattributes").write_text("*.py filter=evil=1\n*.own filter=own\n")
        git(one, "add", ".")
        git(one, "commit", "-qm", "x")
        more = tmp_path / f"{one.name}.gitconfig"
        more.write_text(
            '[filter "evil=1"]\n'
            + "".join(f"\t{k} = touch {ran}; cat\n" for k in ("clean", "smudge", "process"))
            + "\trequired = true\n"
        )
        git(one, "config", "include.path", str(more))
        (one / "a.py").write_text("A\n")  # as long as before: only its content tells
        (one / "b.own").write_text("B\n")  # what the filter makes of both is the same
    assert changed_since_head(str(top)) == {"a.py": "changed"}
    head = HeadCommit(SameFolder(top))
    assert head.changed() == {"a.py": HeadDifference("M", (1, 1))}
    head.stage("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+A\n")
    assert head.changed() == {"a.py": HeadDifference("M", (1, 1))}
    assert changed_since_head(str(top / "sub")) == {"a.py": "changed"}
    assert not ran.exists()
    subprocess.run(["git", "status"], cwd=top, capture_output=True, check=False)
    assert ran.exists(), "git itself runs it"


def test_no_filter_is_run_that_is_named_just_before_the_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent can write settings at any time, under another name each time."""
    ran, top, programs = tmp_path / "ran", tmp_path / "top", tmp_path / "bin"
    programs.mkdir()
    top.mkdir()
    git(top, "init", "-q")
    git(top, "config", "core.autocrlf", "true")
    (top / "a").write_text("a\n")
    (top / "b").write_text("b\n")
    git(top, "add", ".")
    git(top, "commit", "-qm", "x")
    (top / ".git/plain").write_bytes((top / ".git/config").read_bytes())
    (programs / "git").write_text(
        f"#!/bin/sh\n"
        f'cd {top}/.git && cp plain config && echo "* filter=x$$" > info/attributes\n'
        f"printf '[filter \"x%s\"]\\n clean = touch {ran}; cat\\n' $$ >> config\n"
        f'cd "$OLDPWD" && PATH="${{PATH#*:}}" exec git "$@"\n'
    )
    (programs / "git").chmod(0o755)
    (top / "a").write_text("A\n")
    (top / "b").write_bytes(b"b\r\n")  # no change to who takes line ends so
    head = HeadCommit(SameFolder(top))
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    assert changed_since_head(str(top))["a"] == "changed"
    assert head.changed() == {"a": HeadDifference("M", (1, 1))}
    head.stage("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+A\n")
    assert not ran.exists()
    subprocess.run(["git", "diff"], cwd=top, capture_output=True, check=False)
    assert ran.exists(), "git itself runs it"


def test_a_worktree_with_excluded_files_is_compared_like_any_other(tmp_path: Path) -> None:
    top, tree = tmp_path / "top", tmp_path / "tree"
    top.mkdir()
    git(top, "init", "-q", "--object-format=sha256")
    (top / "a").write_text("a\n")
    git(top, "add", ".")
    git(top, "commit", "-qm", "x")
    git(top, "pack-refs", "--all")
    git(top, "worktree", "add", "-q", str(tree))
    (top / ".git/info/exclude").write_text("*.log\n")
    (tree / "a").write_text("A\n")
    (tree / "b.log").write_text("x")
    assert changed_since_head(str(tree)) == {"a": "changed"}
    assert HeadCommit(SameFolder(tree)).changed() == {"a": HeadDifference("M", (1, 1))}
