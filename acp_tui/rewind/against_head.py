"""A folder's differences from the last commit: files and their texts; stages hunks and files.

Everything here runs git: call it off the event loop.
"""

import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import NamedTuple

from acp_tui.git.git import PLAIN_DIFF, SUBMODULES, Git, TooSlowError
from acp_tui.git.objects import GitError
from acp_tui.git.repository import find_repository
from acp_tui.rewind import whole_files
from acp_tui.rewind.object_store import COUNT_LINES
from acp_tui.store.same_folder import SameFolder, folder_id

LARGEST_TEXT_FILE = 1_000_000
"""Largest file whose text is read, in bytes."""
MOST_COUNTED = 500
"""Most untracked files whose lines are counted, and most added and deleted files that are checked
for renames.
"""
_APPLY = ("apply", "--cached", "--whitespace=nowarn")


_DIFFERS = ("does not apply", "already exists in index", "does not exist in index")
"""Git's errors for a patch that conflicts with the index."""


class IndexDiffersError(GitError):
    """A single change can't be staged or unstaged: the index has other lines there."""


class Version(NamedTuple):
    """One version of a file: its text, or why it can't be shown; neither if there is no file."""

    text: str | None
    trouble: str = ""


class HeadDifference(NamedTuple):
    """A file's change: A(dded), D(eleted) or M(odified), and its added and removed lines, if known.

    `kind` is the file's type, or how it changed, unless it is a regular file; `other` is the path
    that it was renamed from, or to. `is_marked` if the index tells git to ignore its changes.
    """

    letter: str
    lines: tuple[int, int] | None = None
    kind: str = ""
    other: str = ""
    is_marked: bool = False

    @property
    def note(self) -> str:
        """A description of everything that the changed lines don't show."""
        way = "to" if self.letter == "D" else "from"
        renamed = f"renamed {way} {self.other}" if self.other else ""
        marked = "git is set to ignore its changes" if self.is_marked else ""
        ends = "only line ends differ" if self.is_of_line_ends else ""
        return ", ".join(filter(None, [renamed, self.kind, ends, marked]))

    @property
    def is_of_line_ends(self) -> bool:
        """Whether only line endings differ."""
        return self.letter == "M" and self.lines == (0, 0) and not self.kind


_MARKED = re.compile(rb"(?<![^\0])([a-zS]) ([^\t\0]+)\t([^\0]+)")
"""Marked entries in the output of `git ls-files -v`: skip-worktree (S), and assume-unchanged (lower
case).
"""


@contextmanager
def git_without_marks(git: Git, top: Path, git_dir: Path) -> Iterator[tuple[Git, Collection[str]]]:
    """Yield git with a copy of the index without marks, and the marked files.

    An agent that can write to the repository can set such a mark, which would hide its changes.
    Files outside a sparse checkout stay marked unless they exist. Raises GitError.
    """
    marked = _marked(git, top, git_dir)
    if not marked:
        yield git, ()
        return
    try:
        with TemporaryDirectory(prefix="acp-tui-index-") as folder:
            index = Path(folder, "index")
            copyfile(git_dir / "index", index)
            other = git.with_variables({"GIT_INDEX_FILE": str(index)})
            given = b"".join(entry + b"\t" + path + b"\0" for path, entry in marked.items())
            # A new entry has neither marks nor cached file metadata, which could be faked.
            other.run("update-index", "-z", "--index-info", stdin=given)
            yield other, {os.fsdecode(path) for path in marked}
    except OSError as error:
        raise GitError(error.strerror or str(error)) from None


def _marked(git: Git, top: Path, git_dir: Path) -> dict[bytes, bytes]:
    """Return the index entries of marked files by path. Raises GitError."""
    found = {}
    is_sparse = (git_dir / "info" / "sparse-checkout").exists()
    for sign, facts, path in _MARKED.findall(git.run("ls-files", "-v", "-s", "-z")):
        is_left_out = is_sparse and sign in b"Ss"
        if not is_left_out or os.path.lexists(os.fsencode(top) + b"/" + path):
            found[path] = facts
    return found


class HeadCommit:
    """A folder's repository, compared with its last commit.

    If the repository's path, or the folder's, leads elsewhere later, nothing there is read or
    changed.
    """

    def __init__(self, folder: SameFolder) -> None:
        """Find the repository. Raises GitError."""
        try:
            with folder.open() as here:
                repository = find_repository(folder.path)
                if repository is None:
                    raise GitError("this folder is in no git repository")
                self.top = str(repository.top)
                self._repository = repository
                self._top = SameFolder(repository.top)
                self._others = (folder, SameFolder(repository.git_dir))
                inside = Path(os.path.realpath(folder.path)).relative_to(repository.top)
                above = os.stat("/".join([".", *[".."] * len(inside.parts)]), dir_fd=here)
        except (OSError, ValueError) as error:
            raise _moved(error) from None
        if folder_id(above) != self._top.id:
            raise GitError("it leads elsewhere now")
        with self._git() as git:
            self._begin = _find_commit(git)

    @contextmanager
    def _git(self, *, exactly: bool = False) -> Iterator[Git]:
        """Yield git in the folder that was found, if its path still leads there."""
        with ExitStack() as opened:
            try:
                for one in self._others:
                    opened.enter_context(one.open())
                top = opened.enter_context(self._top.open())
            except OSError as error:
                raise _moved(error) from None
            yield opened.enter_context(self._repository.without_settings(top, exactly=exactly))

    def changed(self) -> dict[str, HeadDifference]:
        """Return the changed files by path, relative to the top. Raises GitError."""
        options = (*PLAIN_DIFF, "--no-renames", "-z")
        with (
            self._git(exactly=True) as git,
            git_without_marks(git, Path(self.top), self._repository.git_dir) as (looking, marked),
        ):
            told = looking.run("diff", "--raw", *COUNT_LINES, *options, self._begin, "--")
            untracked = git.run("ls-files", "--others", "--exclude-standard", "-z")
        found: dict[str, HeadDifference] = {}
        letters: dict[bytes, str] = {}
        kinds: dict[bytes, str] = {}
        fields = filter(None, told.split(b"\0"))
        for one in fields:
            if one.startswith(b":"):  # modes, blob ids and status; then the path
                path, modes = next(fields), one[1:].split(b" ")
                letters[path] = modes[-1].decode()
                kinds[path] = whole_files.kind_of(modes[0].decode(), modes[1].decode())
                continue
            added, removed, path = one.split(b"\t", 2)
            letter = letters.get(path, "M")
            lines = (int(added), int(removed)) if added.isdigit() else None
            kind = kinds.get(path, "")
            name, letter = os.fsdecode(path), letter if letter in "AD" else "M"
            found[name] = HeadDifference(letter, lines, kind, is_marked=name in marked)
        for path, letter in letters.items():
            if letter == "M":
                no_lines = HeadDifference(
                    "M", (0, 0), kinds[path], is_marked=os.fsdecode(path) in marked
                )
                found.setdefault(os.fsdecode(path), no_lines)
        for at, path in enumerate(filter(None, untracked.split(b"\0"))):
            name = os.fsdecode(path)
            lines = self._lines_of(name) if at < MOST_COUNTED else None
            kind = whole_files.kind_of(
                whole_files.NONE, whole_files.mode_on_disk(Path(self.top, name))
            )
            found.setdefault(name, HeadDifference("A", lines, kind))
        for new, old in self._renamed(found).items():
            if new in found and old in found:
                found[new] = found[new]._replace(other=old)
                found[old] = found[old]._replace(other=new)
        return found

    def _renamed(self, found: dict[str, HeadDifference]) -> dict[str, str]:
        """Return the old path of each renamed file by its new path; none if there are too many
        files to compare.
        """
        new = [path for path, one in found.items() if one.letter == "A" and one.lines is not None]
        old = [path for path, one in found.items() if one.letter == "D" and one.lines is not None]
        if not new or not old or len(new) + len(old) > MOST_COUNTED:
            return {}
        with self._git() as git:
            there = [path for path in new if os.path.lexists(Path(self.top, path))]
            try:
                return whole_files.find_renamed(git, self._begin, [*there, *old])
            except GitError:  # renames are optional: the changes are known without them
                return {}

    def _lines_of(self, path: str) -> tuple[int, int] | None:
        """Count the lines of a new file."""
        text = on_disk(Path(self.top, path)).text
        return None if text is None else (text.count("\n") + (text[-1:] not in ("", "\n")), 0)

    def versions(self, path: str) -> tuple[Version, Version]:
        """Return a file's text in the last commit, and on disk."""
        return self._committed(path), on_disk(Path(self.top, path))

    def _committed(self, path: str) -> Version:
        name = f"{self._begin}:{path}"
        with self._git() as git:
            try:
                size = int(git.line("cat-file", "-s", os.fsencode(name)))
            except TooSlowError:
                raise
            except GitError:
                return Version(None)
            if size > LARGEST_TEXT_FILE:
                return Version(None, f"it is too large to be shown: {size:,} bytes")
            return version_of(git.run("cat-file", "blob", os.fsencode(name)))

    def patch_of(self, paths: Sequence[str], most: int) -> tuple[str, list[str]]:
        """Return the patch of these files, and the files left out: see `whole_files`. Raises
        GitError.
        """
        with self._git(exactly=True) as git:
            return whole_files.patch_of(git, Path(self.top), self._begin, paths, most)

    def is_staged(self, patch: str) -> bool:
        """Return whether a patch is already in the index."""
        try:
            with self._git() as git:
                git.run(*_APPLY, "--check", "-R", "-", stdin=_patch_bytes(patch))
        except GitError:
            return False
        return True

    def stage(self, patch: str, *, unstage: bool = False) -> None:
        """Stage a patch, or with `unstage` unstage it; files on disk are unchanged. Raises
        GitError.
        """
        with self._git() as git:
            try:
                git.run(*_APPLY, *(["-R"] if unstage else []), "-", stdin=_patch_bytes(patch))
            except GitError as error:
                if any(words in str(error) for words in _DIFFERS):
                    raise IndexDiffersError("git's index has something else there") from None
                raise

    def toggle_file(self, path: str, shown: Version | None = None) -> bool:
        """Stage a file as it is on disk, or unstage it; return whether it is staged now.

        If `shown` is given, do so only if the file still is as shown. Raises GitError.
        """
        with self._git() as git:
            if shown is not None and on_disk(Path(self.top, path)) != shown:
                raise GitError("the file isn't what is shown anymore")
            if why_not := whole_files.why_not_staged(git, path):
                raise GitError(why_not)
            if whole_files.is_staged(git, Path(self.top), path):
                whole_files.unstage_file(git, self._begin, path)
                return False
            whole_files.stage_file(git, Path(self.top), path)
            return True


def _moved(error: OSError | ValueError) -> GitError:
    return GitError(getattr(error, "strerror", None) or str(error))


def _find_commit(git: Git) -> str:
    """Return the id of the last commit, or of the empty tree if there is none."""
    try:
        return git.line("rev-parse", "--verify", "-q", "HEAD^{commit}")
    except TooSlowError:  # there may be a commit, and without it every file would count as new
        raise
    except GitError:
        return git.line("hash-object", "-t", "tree", "--stdin")


def seems_in_repository(folder: str) -> bool:
    """Return whether a folder seems to be in a repository, without running git."""
    return any((one / ".git").exists() for one in (Path(folder), *Path(folder).parents))


def _patch_bytes(patch: str) -> bytes:
    return patch.encode("utf-8", "surrogateescape")


def on_disk(file: Path) -> Version:
    """Return the current text of a file."""
    try:
        if file.is_symlink():
            return Version(None, "it is a link")
        if not file.exists():
            return Version(None)
        if not file.is_file():
            return Version(None, "it is no file")
        if file.stat().st_size > LARGEST_TEXT_FILE:
            return Version(None, f"it is too large to be shown: {file.stat().st_size:,} bytes")
        return version_of(file.read_bytes())
    except OSError as error:
        return Version(None, error.strerror or str(error))


def version_of(data: bytes) -> Version:
    """Return content as text, or the note that it isn't text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return Version(None, "it is no text")
    return Version(None, "it is no text") if "\0" in text else Version(text)


LIST_TIMEOUT = 2.0
"""Seconds for each git command: the user is waiting for the list."""
_WORDS = {"?": "new", "A": "new", "D": "deleted", "R": "renamed", "C": "new", "U": "conflict"}


def changed_since_head(folder: str) -> dict[str, str]:
    """Return the changed files below a folder with their status: `changed`, `new`, `renamed`,
    `conflict`.

    Paths are relative to the folder. Without a repository, or if git fails, there are none.
    """
    status = ("status", "--porcelain=v1", "-z", "--untracked-files=all", SUBMODULES, "--", ".")
    try:
        repository = find_repository(Path(folder))
        if repository is None:
            return {}
        with repository.without_settings() as git:
            there = git.with_variables({}, Path(folder))
            prefix = there.run("rev-parse", "--show-prefix", timeout=LIST_TIMEOUT).removesuffix(
                b"\n"
            )
            told = there.run(*status, timeout=LIST_TIMEOUT)
    except GitError:
        return {}
    found = {}
    parts = iter(told.split(b"\0"))
    for part in parts:
        state, path = part[:2].decode(), part[3:]
        if "R" in state or "C" in state:
            next(parts, None)  # the old path
        if path and path.startswith(prefix) and "D" not in state:
            word = next((_WORDS[one] for one in state if one in _WORDS), "changed")
            found[path[len(prefix) :].decode("utf-8", "surrogateescape")] = word
    return found
