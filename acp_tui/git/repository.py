"""The git repository around a folder, as far as one must know it to keep files beside it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.git.git import Git, GitError

_TAKEN = "excludesfile|ignorecase|precomposeunicode|symlinks|filemode|sharedrepository"
"""The settings of a repository that say how its files are to be read."""
_CONVERTED = f"{_TAKEN}|attributesfile|autocrlf|eol|safecrlf|checkstat|trustctime"
"""Those that also say how they are converted, and when one counts as unchanged."""
_EXACTLY = "ignorecase|precomposeunicode|symlinks|filemode|sharedrepository|autocrlf|eol|safecrlf"
"""Those that hide no change but in line ends, and in the permission to run."""
_ATTRIBUTES = "* -ident -working-tree-encoding\n"
"""They win over all others, which would convert a change to what was before."""
_SHARED = ("info", "refs", "packed-refs", "reftable")
"""What a repository has beside its objects and settings, for all of its worktrees."""


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

    def git(self, top: int | None = None) -> Git:
        """Return what runs commands on the repository itself; with a descriptor of its top, in there."""
        return Git(self.top, self._variables(top), folder=top)

    def _variables(self, top: int | None) -> dict[str, str]:
        return {
            "GIT_DIR": self._named(self.git_dir, top),
            "GIT_WORK_TREE": self._named(self.top, top),
        }

    def _named(self, path: Path, top: int | None) -> str:
        """Name a path: from the open top, where commands run then, if it lies in there."""
        is_inside = top is not None and path.is_relative_to(self.top)
        return str(path.relative_to(self.top) if is_inside else path)

    @contextmanager
    def without_settings(self, top: int | None = None, *, exactly: bool = False) -> Iterator[Git]:
        """Give what reads no settings of the repository, whatever they say by then: those could name
        filters, which a comparison with the files on disk runs. A person's own, such as Git LFS's,
        still run. What has been committed, staged and excluded is the repository's. Where it is to be
        seen `exactly` what has changed, nothing hides it that the repository says. Raises GitError.

        Settings can come with an archive, and an agent can change them between a look and its use.
        """
        read = _options(self.git(top), _EXACTLY if exactly else _CONVERTED)
        try:
            with TemporaryDirectory(prefix="acp-tui-git-") as folder:
                for name in _SHARED:
                    Path(folder, name).symlink_to(self.common / name)
                if exactly:
                    self._let_convert_nothing(Path(folder, "info"))
                Path(folder, "config").write_text(plain_config(self.ids), "utf-8")
                variables = {
                    **self._variables(top),
                    "GIT_COMMON_DIR": folder,
                    "GIT_OBJECT_DIRECTORY": self._named(self.objects, top),
                }
                yield Git(self.top, variables, read, top)
        except OSError as error:
            raise GitError(f"{error.strerror}: {error.filename!r}") from None

    def _let_convert_nothing(self, info: Path) -> None:
        """Put attributes of ours in the place of those that the repository has beside its files."""
        info.unlink()
        info.mkdir()
        (info / "attributes").write_text(_ATTRIBUTES, "utf-8")
        for name in ("exclude", "sparse-checkout"):
            (info / name).symlink_to(self.common / "info" / name)


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
    return Repository(top, git_dir, common, ids, _options(git, _TAKEN))


def plain_config(ids: str) -> str:
    """Return the settings of a repository that has none of its own."""
    extension = "[extensions]\n\tobjectformat = sha256\n" if ids == "sha256" else ""
    return (
        f"[core]\n\trepositoryformatversion = {int(ids == 'sha256')}\n\tbare = false\n{extension}"
    )


def _options(git: Git, names: str) -> tuple[str, ...]:
    """Return these settings, as options of git."""
    try:
        told = git.run("config", "--null", "--get-regexp", rf"^core\.({names})$")
    except GitError:  # none of them is set
        return ()
    found = [one.partition("\n") for one in told.decode("utf-8", "surrogateescape").split("\0")]
    return tuple(
        part
        for name, is_set, value in found
        if name
        for part in ("-c", f"{name}={value}" if is_set else name)
    )
