"""What a race does with git: it keeps the files as they are, and leaves everything else alone."""

import shutil
from pathlib import Path

import pytest

from acp_tui.git.objects import GitError
from acp_tui.race.repository import REFS, CommitChanges, RaceRepository, Snapshot
from tests.race.repositories import git, own_repository, project, state

__all__ = ["project"]


def test_the_files_as_they_are_become_a_commit_and_nothing_else_changes(project: Path) -> None:
    before = state(project)
    repository = RaceRepository.around(project / "src")
    made = repository.snapshot("as it is", repository.head())
    assert git(project, "show", f"{made.commit}:src/tea.py") == "minutes = 4\n"
    assert git(project, "show", f"{made.commit}:notes.txt") == "buy tea\n"
    assert "build" not in git(project, "ls-tree", "-r", "--name-only", made.commit)
    assert made.ignored == 1
    assert git(project, "rev-parse", f"{made.commit}^") == git(project, "rev-parse", "HEAD")
    assert state(project) == before


def test_what_has_not_changed_is_no_new_commit(project: Path) -> None:
    repository = RaceRepository.around(project)
    made = repository.snapshot("as it is", repository.head())
    assert repository.snapshot("again", made.commit) == made


def test_before_the_first_commit_there_is_no_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")  # nobody has a name here
    git(tmp_path, "init", "--quiet")
    (tmp_path / "tea").write_text("tea\n")
    repository = RaceRepository.around(tmp_path)
    assert repository.head() is None
    made = repository.snapshot("as it is", None)
    assert git(tmp_path, "show", f"{made.commit}:tea") == "tea\n"


def test_a_worktree_has_the_same_files_and_what_happens_there_is_found(
    project: Path, tmp_path: Path
) -> None:
    repository = RaceRepository.around(project)
    base = repository.snapshot("as it is", repository.head()).commit
    other = repository.add_worktree(tmp_path / "other", base)
    assert (other.root / "src" / "tea.py").read_text() == "minutes = 4\n"
    (other.root / "src" / "tea.py").write_text("minutes = 5\nsugar = 0\n")
    (other.root / "notes.txt").unlink()
    git(other.root, "commit", "--quiet", "--all", "-m", "the agent's own")
    (other.root / "new\nname\xff").write_text("new\n")
    (other.root / "pixels").write_bytes(bytes(range(256)))
    (other.root / "build").mkdir()
    (other.root / "build" / "o").write_text("o")
    made = other.snapshot("what came of it", base)
    assert repository.changes(base, made.commit) == CommitChanges(4, 3, 2)
    assert made.ignored == 1
    repository.create_ref("r/a", made.commit)
    repository.remove_worktree(other.root)
    assert not other.root.exists()
    assert git(project, "rev-parse", f"{REFS}/r/a").strip() == made.commit
    repository.apply(repository.patch(base, made.commit))
    assert (project / "src" / "tea.py").read_text() == "minutes = 5\nsugar = 0\n"
    assert (project / "pixels").read_bytes() == bytes(range(256))
    assert not (project / "notes.txt").exists()


def test_a_patch_that_does_not_fit_changes_nothing(project: Path, tmp_path: Path) -> None:
    repository = RaceRepository.around(project)
    base = repository.snapshot("as it is", repository.head()).commit
    other = repository.add_worktree(tmp_path / "other", base)
    (other.root / "src" / "tea.py").write_text("minutes = 5\n")
    (other.root / "notes.txt").write_text("buy more tea\n")
    commit = other.snapshot("what came of it", base).commit
    (project / "src" / "tea.py").write_text("minutes = 9\n")
    with pytest.raises(GitError, match=r"src/tea\.py"):
        repository.apply(repository.patch(base, commit))
    assert (project / "notes.txt").read_text() == "buy tea\n"


def test_no_hook_and_no_settings_of_another_repository_run_anything(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        path = project / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {hook} >> {ran}\n")
        path.chmod(0o755)
    git(project, "config", "core.fsmonitor", f"echo fsmonitor >> {ran}; false")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    repository = RaceRepository.around(project)
    base = repository.snapshot("as it is", repository.head()).commit
    other = repository.add_worktree(tmp_path / "other", base)
    # An agent leads its worktree to a repository of its own, whose settings run a command.
    (other.root / ".git").unlink()
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    git(other.root, "init", "--quiet")
    git(other.root, "config", "filter.evil.clean", f"echo filter >> {ran}; cat")
    (other.root / ".gitattributes").write_text("* filter=evil\n")
    (other.root / "notes.txt").write_text("changed\n")
    made = other.snapshot("what came of it", base)
    assert git(project, "show", f"{made.commit}:notes.txt") == "changed\n"
    assert not ran.exists()


def test_a_repository_inside_is_no_part_of_a_commit_and_is_told(
    project: Path, tmp_path: Path
) -> None:
    (project / "lib").mkdir()
    git(project / "lib", "init", "--quiet")  # the person has one, too: not yet a commit in it
    repository = RaceRepository.around(project)
    base = repository.snapshot("as it is", repository.head())
    assert base.lacking == ("lib",)
    other = repository.add_worktree(tmp_path / "other", base.commit).root
    (other / "notes.txt").unlink()
    for name in ("app", "src", "notes.txt", "deep/new\nname"):
        own_repository(other / name)
    (other / "app" / "more").mkdir()
    git(other / "app" / "more", "init", "--quiet")
    own_repository(other / "build")  # it is ignored, as all of that folder is
    made = RaceRepository(other, project / ".git").snapshot("what came of it", base.commit)
    assert made.lacking == ("app", "app/more", "deep/new\nname", "notes.txt", "src")
    assert made.ignored == 1
    names = git(project, "ls-tree", "-r", "-z", "--name-only", made.commit).split("\0")
    assert names[:-1] == [".gitignore", "src/own.py", "src/tea.py"]


def test_git_looks_into_no_submodule_and_keeps_it_as_it_was(project: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    own_repository(project / "sub")
    own_repository(project / "gone")
    own_repository(project / "behind" / "sub")
    git(project, "-c", "advice.addEmbeddedRepo=false", "add", "sub", "gone", "behind/sub")
    git(project, "commit", "--quiet", "-m", "Submodules")
    git(project / "sub", "config", "filter.evil.clean", f"touch {ran}; cat")
    (project / "sub" / ".gitattributes").write_text("* filter=evil\n")
    (project / "sub" / "own.py").touch()  # git has to compare it
    repository = RaceRepository.around(project)
    base = repository.snapshot("as it is", repository.head())
    assert base.lacking == ("behind/sub", "gone", "sub")
    submodule = git(project, "ls-tree", base.commit, "sub")
    assert submodule.startswith("160000 commit ")
    other = repository.add_worktree(tmp_path / "other", base.commit)
    assert other.snapshot("nothing", base.commit) == Snapshot(base.commit, 0, ())
    # In its worktree an agent fills a submodule's folder, with its commit and settings of its own.
    (other.root / "sub").rmdir()
    shutil.copytree(project / "sub", other.root / "sub")
    (other.root / "sub" / "own.py").touch()
    (other.root / "sub" / "new.py").write_text("the agent's\n")
    (other.root / "gone").rmdir()
    (other.root / "behind" / "sub").rmdir()
    (other.root / "behind").rmdir()
    (other.root / "behind").symlink_to(project / "behind")
    made = other.snapshot("what came of it", base.commit)
    assert made.lacking == ("sub",)
    assert git(project, "ls-tree", made.commit, "sub") == submodule
    told = git(project, "diff", "--name-status", "--no-renames", base.commit, made.commit)
    assert told.split() == ["A", "behind", "D", "behind/sub", "D", "gone"]
    repository.patch(base.commit, made.commit)
    assert not ran.exists()
    git(other.root, "add", "--all")
    assert ran.exists(), "git itself runs it"


def test_a_commit_that_an_agent_replaces_is_compared_as_it_was(
    project: Path, tmp_path: Path
) -> None:
    repository = RaceRepository.around(project)
    base = repository.snapshot("as it is", repository.head()).commit
    other = repository.add_worktree(tmp_path / "other", base)
    (other.root / "src" / "tea.py").write_text("minutes = 5\n")
    made = other.snapshot("what came of it", base).commit
    git(other.root, "replace", made, base)
    assert git(project, "diff", base, made) == "", "git itself is led astray"
    assert b"minutes = 5" in repository.patch(base, made)
    assert repository.changes(base, made).files == 1


def test_what_is_kept_is_never_replaced(project: Path) -> None:
    repository = RaceRepository.around(project)
    base = repository.snapshot("as it is", repository.head()).commit
    repository.create_ref("r/a", base)
    with pytest.raises(GitError, match="r/a"):
        repository.create_ref("r/a", git(project, "rev-parse", "HEAD").strip())
    assert git(project, "rev-parse", f"{REFS}/r/a").strip() == base


def test_a_branch_that_is_there_is_not_moved(project: Path) -> None:
    repository = RaceRepository.around(project)
    commit = repository.snapshot("as it is", repository.head()).commit
    with pytest.raises(GitError, match="already exists"):
        repository.new_branch("main", commit)
    with pytest.raises(GitError, match="not a valid branch name"):
        repository.new_branch("a..b", commit)


def test_outside_of_git_it_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(GitError, match="a race needs a git repository"):
        RaceRepository.around(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="git isn't installed"):
        RaceRepository.around(tmp_path)
