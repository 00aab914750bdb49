"""The git repository around a folder, as far as one must know it to keep files beside it."""

import os
from dataclasses import dataclass
from pathlib import Path

from acp_tui.checkpoints.git import Git, GitError

_TAKEN = "excludesfile|ignorecase|precomposeunicode|symlinks|filemode|sharedrepository"
"""The settings of a repository that say how its files are to be read."""


@dataclass(frozen=True, slots=True)
class Repository:
    """Where a repository's files and objects are, the kind of its ids, and how its files are read."""

    top: Path
    git_dir: Path
    common: Path
    ids: str
    options: tuple[str, ...]

    @property
    def objects(self) -> Path:
        """The folder of its objects."""
        return self.common / "objects"

    def git(self) -> Git:
        """Return what runs commands on the repository itself."""
        return Git(self.top, {"GIT_DIR": str(self.git_dir), "GIT_WORK_TREE": str(self.top)})


def find_repository(folder: Path) -> Repository | None:
    """Find the repository in whose working tree a folder is; None if there is none. Raises GitError."""
    git = Git(folder, {})
    try:
        told = git.line("rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
        ids = git.line("rev-parse", "--show-object-format")
    except GitError as error:
        if "not a git repository" in str(error) or "in a work tree" in str(error):
            return None
        raise
    try:
        top, git_dir, common = map(Path, told.split("\n"))
    except ValueError:
        raise GitError("the name of its folder has a line break") from None
    top = Path(os.path.realpath(top))
    if not Path(os.path.realpath(folder)).is_relative_to(top):
        raise GitError("the repository has its files elsewhere")
    common = common if common.is_absolute() else (folder / common).resolve()
    return Repository(top, git_dir, common, ids, _options(git))


def _options(git: Git) -> tuple[str, ...]:
    try:
        told = git.run("config", "--null", "--get-regexp", rf"^core\.({_TAKEN})$")
    except GitError:  # none of them is set
        return ()
    found = [one.partition("\n") for one in told.decode("utf-8", "surrogateescape").split("\0")]
    return tuple(
        part
        for name, is_set, value in found
        if name
        for part in ("-c", f"{name}={value}" if is_set else name)
    )
