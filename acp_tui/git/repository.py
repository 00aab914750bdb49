"""Finds a folder's git repository, and runs git in it with or without its settings."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.git.blocking_files import blocking_file
from acp_tui.git.git import BlockedError, Git
from acp_tui.git.objects import GitError

_TAKEN = "excludesfile|ignorecase|precomposeunicode|symlinks|filemode|sharedrepository"
"""Settings of a repository that define how its files are read."""
_CONVERTED = f"{_TAKEN}|attributesfile|autocrlf|eol|safecrlf|checkstat|trustctime"
"""Those settings, and settings for conversion and for when a file counts as unchanged."""
_EXACTLY = "ignorecase|precomposeunicode|symlinks|filemode|sharedrepository|autocrlf|eol|safecrlf"
"""Settings that hide no change except in line endings and the executable bit."""
_ATTRIBUTES = "* -ident -working-tree-encoding\n"
"""Attributes that override all others, which could turn a changed file back into the old one."""
_NO_REFLOG = ("-c", "core.logAllRefUpdates=false")
"""Turns off reflogs: those of our own refs would stay in the repository when the refs are gone."""
_SHARED = ("info", "refs", "packed-refs", "reftable")
"""Parts of a repository that its worktrees share, other than objects and settings."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository: its folders, its object format, and the options that define how its files are
    read.
    """

    top: Path
    git_dir: Path
    common: Path
    ids: str
    options: tuple[str, ...]

    @property
    def objects(self) -> Path:
        """The folder of its objects."""
        return self.common / "objects"

    @property
    def controls(self) -> list[Path]:
        """The files that decide which programs git runs, and those that store its branches. Neither
        a fetch nor git's maintenance writes to any of them.
        """
        info = ("info/attributes", "info/exclude", "info/sparse-checkout", "info/grafts")
        shared = ("hooks", "config", *info, "refs/heads", "refs/stash")
        return [
            *(self.common / name for name in shared),
            *(self.git_dir / name for name in ("HEAD", "config.worktree")),
        ]

    def git(self, top: int | None = None) -> Git:
        """Return a runner of git for this repository. With `top`, an open descriptor of its folder,
        git runs there.
        """
        return Git(self.top, self._variables(top), _NO_REFLOG, top)

    def _variables(self, top: int | None) -> dict[str, str]:
        return {
            "GIT_DIR": self._named(self.git_dir, top),
            "GIT_WORK_TREE": self._named(self.top, top),
        }

    def _named(self, path: Path, top: int | None) -> str:
        """Return a path, relative to the open top if it is inside it."""
        is_inside = top is not None and path.is_relative_to(self.top)
        return str(path.relative_to(self.top) if is_inside else path)

    @contextmanager
    def without_settings(self, top: int | None = None, *, exactly: bool = False) -> Iterator[Git]:
        """Yield git without the repository's settings, which could name filters that run when files
        are compared.

        The user's own settings, such as Git LFS's, still apply, and so do the repository's commits,
        index and excludes. If `exactly`, nothing in the repository can hide a change. Settings can
        come with an archive, and an agent can change them at any time. Raises GitError.
        """
        read = _options(self.git(top), _EXACTLY if exactly else _CONVERTED)
        try:
            with TemporaryDirectory(prefix="acp-tui-git-") as folder:
                for name in _SHARED:
                    Path(folder, name).symlink_to(self.common / name)
                if exactly:
                    self._disable_conversion(Path(folder, "info"))
                Path(folder, "config").write_text(plain_config(self.ids), "utf-8")
                variables = {
                    **self._variables(top),
                    "GIT_COMMON_DIR": folder,
                    "GIT_OBJECT_DIRECTORY": self._named(self.objects, top),
                }
                yield Git(self.top, variables, read, top)
        except OSError as error:
            raise GitError(f"{error.strerror}: {error.filename!r}") from None

    def _disable_conversion(self, info: Path) -> None:
        """Replace the repository's private attributes by ours, which prevent conversion."""
        info.unlink()
        info.mkdir()
        (info / "attributes").write_text(_ATTRIBUTES, "utf-8")
        for name in ("exclude", "sparse-checkout"):
            (info / name).symlink_to(self.common / "info" / name)


def find_repository(folder: Path) -> Repository | None:
    """Return the repository whose working tree contains a folder, or None. Raises GitError."""
    if blocked := blocking_file(folder):
        raise BlockedError(blocked)
    git = Git(folder, {})
    try:
        asked = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir")
        told = git.line("rev-parse", *asked, "--show-object-format")
    except GitError as error:
        if "not a git repository" in str(error) or "in a work tree" in str(error):
            return None
        raise
    try:
        *folders, ids = told.split("\n")
        top, git_dir, common = map(Path, folders)
    except ValueError:
        raise GitError("the name of its folder has a line break") from None
    top = Path(os.path.realpath(top))
    if not Path(os.path.realpath(folder)).is_relative_to(top):
        raise GitError("the repository has its files elsewhere")
    common = common if common.is_absolute() else (folder / common).resolve()
    return Repository(top, git_dir, common, ids, _options(git, _TAKEN))


def plain_config(ids: str) -> str:
    """Return the configuration for a repository without settings."""
    extension = "[extensions]\n\tobjectformat = sha256\n" if ids == "sha256" else ""
    return (
        f"[core]\n\trepositoryformatversion = {int(ids == 'sha256')}\n\tbare = false\n{extension}"
    )


def _options(git: Git, names: str) -> tuple[str, ...]:
    """Return these settings as options of git."""
    asked = ("config", "--null", "--get-regexp", rf"^core\.({names})$")
    told = git.run(*asked, ok_codes=(0, 1))  # 1: none of them is set
    found = [one.partition("\n") for one in told.decode("utf-8", "surrogateescape").split("\0")]
    return tuple(
        part
        for name, is_set, value in found
        if name
        for part in ("-c", f"{name}={value}" if is_set else name)
    )
