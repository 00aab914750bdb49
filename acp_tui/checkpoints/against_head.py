"""What differs from the last commit: the texts on both sides, and hunks in the index.

All of it runs git: it is to be called off the event loop.
"""

import os
from pathlib import Path

from acp_tui.checkpoints.git import SUBMODULES, Git, GitError
from acp_tui.checkpoints.repository import find_repository
from acp_tui.lazy_named_tuple import NamedTuple

LARGEST = 1_000_000
"""Bytes of a file whose text is read."""
_APPLY = ("apply", "--cached", "--whitespace=nowarn")


class Version(NamedTuple):
    """One version of a file: its text, or why there is none to show."""

    text: str | None
    trouble: str = ""


class Head:
    """The repository that a folder lies in, at its last commit."""

    def __init__(self, folder: str) -> None:
        """Find the repository. Raises GitError."""
        repository = find_repository(Path(folder))
        if repository is None:
            raise GitError("it is no git repository")
        self.top = str(repository.top)
        self._git = repository.without_settings
        with self._git() as git:
            self._begin = _find_commit(git)

    def changed(self) -> dict[str, tuple[int, int] | None]:
        """Return the changed files by their paths, relative to the top, with the lines that were
        added and removed; None where these aren't told. Raises GitError.
        """
        options = ("--no-renames", "--no-ext-diff", "--no-textconv", "--numstat", "-z", SUBMODULES)
        with self._git() as git:
            told = git.run("diff", *options, self._begin, "--").split(b"\0")
            untracked = git.run("ls-files", "--others", "--exclude-standard", "-z")
        found: dict[str, tuple[int, int] | None] = {}
        for one in filter(None, told):
            added, removed, path = one.split(b"\t", 2)
            counts = (int(added), int(removed)) if added.isdigit() else None
            found[os.fsdecode(path)] = counts
        for path in filter(None, untracked.split(b"\0")):
            found.setdefault(os.fsdecode(path), None)
        return found

    def versions(self, path: str) -> tuple[Version, Version]:
        """Return the text of a file in the last commit, and on disk."""
        return self._committed(path), on_disk(Path(self.top, path))

    def _committed(self, path: str) -> Version:
        name = f"{self._begin}:{path}"
        with self._git() as git:
            try:
                size = int(git.line("cat-file", "-s", os.fsencode(name)))
            except GitError:
                return Version(None)
            if size > LARGEST:
                return Version(None, f"it is too large to be shown: {size:,} bytes")
            return _version(git.run("cat-file", "blob", os.fsencode(name)))

    def is_staged(self, patch: str) -> bool:
        """Return whether the index has a patch already."""
        try:
            with self._git() as git:
                git.run(*_APPLY, "--check", "-R", "-", given=_given(patch))
        except GitError:
            return False
        return True

    def stage(self, patch: str, *, take_out: bool = False) -> None:
        """Put a patch into the index, or take it out; files on disk stay. Raises GitError."""
        with self._git() as git:
            git.run(*_APPLY, *(["-R"] if take_out else []), "-", given=_given(patch))


def _find_commit(git: Git) -> str:
    """Return the last commit; before the first one the empty tree."""
    try:
        return git.line("rev-parse", "--verify", "-q", "HEAD^{commit}")
    except GitError:
        return git.line("hash-object", "-t", "tree", "--stdin")


def _given(patch: str) -> bytes:
    return patch.encode("utf-8", "surrogateescape")


def on_disk(file: Path) -> Version:
    """Return the text of a file as it is now."""
    try:
        if file.is_symlink():
            return Version(None, "it is a link")
        if not file.exists():
            return Version(None)
        if not file.is_file():
            return Version(None, "it is no file")
        if file.stat().st_size > LARGEST:
            return Version(None, f"it is too large to be shown: {file.stat().st_size:,} bytes")
        return _version(file.read_bytes())
    except OSError as error:
        return Version(None, error.strerror or str(error))


def _version(data: bytes) -> Version:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return Version(None, "it is no text")
    return Version(None, "it is no text") if "\0" in text else Version(text)
