import os
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from acp_tui.rewind.checkpoint import CheckpointKind, Reason, RewindOutcome
from acp_tui.rewind.store import Checkpoints

TURN = Reason(CheckpointKind.TURN, "Mend it", "session", 0)
RETURN = Reason(CheckpointKind.RETURN, "Mend it")


@pytest.fixture(autouse=True)
def nothing_of_who_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's own settings of git matter here."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "home").mkdir()


@cache
def new_repository() -> dict[str, bytes | None]:
    """What git makes for a new repository of somebody with a name: files, and folders (None)."""
    with TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", "-b", "main", "--template="], cwd=folder, check=True)
        with Path(folder, ".git/config").open("a") as settings:
            settings.write("[user]\nname = a\nemail = a@example.org\n[maintenance]\nauto = false\n")
        found = sorted([*Path(folder).rglob("*"), Path(folder, ".git/info")])
        return {
            str(one.relative_to(folder)): one.read_bytes() if one.is_file() else None
            for one in found
        }


class Scene:
    """A repository, and what is kept of it."""

    def __init__(self, top: Path, state: Path) -> None:
        self.top, self.state = top, state
        for name, content in new_repository().items():
            if content is None:
                (top / name).mkdir(parents=True)
            else:
                (top / name).write_bytes(content)

    def git(self, *args: str) -> str:
        done = subprocess.run(["git", *args], cwd=self.top, capture_output=True, check=True)
        return done.stdout.decode("utf-8", "surrogateescape")

    def write(self, name: str, text: str | bytes = "a\n") -> Path:
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "all")

    def diverge(self, name: str) -> None:
        """Write a file on two branches: "theirs" on `other`, "ours" on `main`, which is checked out."""
        self.git("checkout", "-q", "-b", "other")
        self.write(name, "theirs\n")
        self.commit()
        self.git("checkout", "-q", "main")
        self.write(name, "ours\n")
        self.commit()

    @property
    def store(self) -> Checkpoints:
        found = Checkpoints.of(self.top, self.state, anywhere=True)
        assert found is not None
        return found

    def back(self) -> RewindOutcome:
        """Go back to the newest checkpoint."""
        store = self.store
        return store.restore(store.plan(store.list()[0]), RETURN)

    def files(self) -> dict[str, bytes | str]:
        """All that is there but git's own: contents, and where links lead."""
        return {
            str(path.relative_to(self.top)): str(path.readlink())
            if path.is_symlink()
            else path.read_bytes()
            for path in sorted(self.top.rglob("*"))
            if ".git" not in path.relative_to(self.top).parts
            and (path.is_symlink() or path.is_file())
        }


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "project", tmp_path / "state")


@pytest.fixture
def scenes(tmp_path: Path) -> Callable[[str], Scene]:
    return lambda name: Scene(tmp_path / name, tmp_path / "state")


@pytest.fixture
def mask() -> Iterator[None]:
    """Files are made for their owner and group."""
    before = os.umask(0o027)
    yield
    os.umask(before)
