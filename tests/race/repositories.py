"""Git repositories for tests: small, real, and with settings that must not be obeyed."""

import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

IDENTITY = ("-c", "user.name=A Person", "-c", "user.email=a@person", "-c", "maintenance.auto=false")


def git(folder: Path, *arguments: str) -> str:
    """Run git as a person does; return what it prints."""
    ran = subprocess.run(
        ["git", *IDENTITY, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return ran.stdout


@cache
def first_commit() -> dict[str, bytes | None]:
    """The files and folders (None) of a repository with one commit, as git makes it."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        git(folder, "init", "--quiet", "--initial-branch=main", "--template=")
        (folder / "src").mkdir()
        (folder / "src" / "tea.py").write_text("minutes = 3\n")
        (folder / ".gitignore").write_text("build/\n")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "-m", "Tea")
        return {
            str(one.relative_to(folder)): one.read_bytes() if one.is_file() else None
            for one in sorted(folder.rglob("*"))
        }


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, a change that is not saved, a new file and an ignored one."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    folder = tmp_path / "project"
    folder.mkdir()
    for name, content in first_commit().items():
        if content is None:
            (folder / name).mkdir()
        else:
            (folder / name).write_bytes(content)
    (folder / "src" / "tea.py").write_text("minutes = 4\n")
    (folder / "notes.txt").write_text("buy tea\n")
    (folder / "build").mkdir()
    (folder / "build" / "tea.o").write_text("o")
    return folder


def own_repository(folder: Path) -> None:
    """Make a repository with a commit, as tools for new projects do."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "own.py").write_text("own = True\n")
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "Own")


def state(folder: Path) -> list[str]:
    """All that must not change unasked: status, branches, stash, index, and worktrees."""
    asked = (
        ("status", "--porcelain", "--ignored"),
        ("branch", "--all", "--format=%(refname) %(objectname)"),
        ("stash", "list"),
        ("ls-files", "--stage"),
        ("worktree", "list", "--porcelain"),
        ("reflog",),
    )
    return [git(folder, *one) for one in asked]
