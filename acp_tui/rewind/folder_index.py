"""A separate git index for a folder, which stores the files changed since the last checkpoint."""

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from acp_tui.formatting import counted, size
from acp_tui.git import gitignore
from acp_tui.git.git import GIT_TIMEOUT, BlockedError, Git, TooSlowError
from acp_tui.git.objects import GitError, TooMuchError
from acp_tui.git.repository import Repository, plain_config
from acp_tui.rewind import limits
from acp_tui.rewind.checkpoint import LeftOut
from acp_tui.store.same_folder import open_file

_RETRIES = 20
"""Most unreadable files that are left out one by one before storing fails."""
_ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding\n"
"""Git attributes that override the folder's own, so that files are stored as they are."""
_CANT_ADD = "Unable to process path "
"""Git's error before the name of a file that it can't add."""
_UNREADABLE = "it can't be read"


class OwnIndex:
    """Stores trees of `folder`, which is `top` or inside it; writes only to `place`."""

    def __init__(self, place: Path, folder: Path, repository: Repository | None) -> None:
        self._top = top = folder if repository is None else repository.top
        inside = os.fsencode(folder.relative_to(top))
        self._scope = [] if inside == b"." else [b"--", inside]
        self._own = os.fsencode(os.path.relpath(place.parent, top)) + b"/"
        """The folder with our own files, which are never part of a checkpoint."""
        self._repository = repository
        self._ids = "sha1" if repository is None else repository.ids
        self._place = place
        self._directory = place / "git"
        variables = {
            "GIT_DIR": str(self._directory),
            "GIT_WORK_TREE": str(top),
            "GIT_INDEX_FILE": str(place / "index"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        if repository is not None:
            variables["GIT_OBJECT_DIRECTORY"] = str(repository.objects)
        self.git = Git(top, variables, () if repository is None else repository.options)
        self._index_version: tuple[int, int] = (0, 0)
        self._tracked_ignored: list[bytes] = []

    def make(self) -> None:
        """Create the git directory, unless it exists. Raises OSError."""
        info = self._directory / "info"
        if (info / "attributes").exists():
            return
        for folder in (info, self._directory / "objects", self._directory / "refs"):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self._directory / "config").write_text(plain_config(self._ids), "utf-8")
        (self._directory / "HEAD").write_text("ref: refs/heads/none\n", "utf-8")
        (info / "attributes").write_text(_ATTRIBUTES, "utf-8")

    def store(self) -> tuple[str, LeftOut]:
        """Store the changed files; return the tree of all files, and the files left out. Raises
        GitError.
        """
        index = self._place / "index"
        index.with_suffix(".lock").unlink(missing_ok=True)  # left by a killed run
        try:
            return self._store_index()
        except (TooMuchError, TooSlowError):
            raise
        except GitError:
            if not index.exists():
                raise
            index.unlink()  # it is truncated, or refers to objects that git has deleted
            return self._store_index()

    def ignored(self) -> list[bytes]:
        """Return the names that git ignores. An ignored folder is one name, which ends with a
        slash.

        Raises GitError.
        """
        return self._list("-o", "-i", "--directory")

    def room(self) -> int:
        """Return the total size of all objects in bytes. Raises GitError."""
        told = self.git.line("count-objects", "-v").split("\n")
        facts = dict(one.split(": ", 1) for one in told)
        return 1024 * (int(facts["size"]) + int(facts["size-pack"]))

    def _store_index(self) -> tuple[str, LeftOut]:
        found = _StorableFiles(self._top, self._own)
        for name in dict.fromkeys([*self._list("-o", "-m"), *self._tracked_and_ignored()]):
            found.examine(name)
        if len(found.stored) > limits.MOST_NEW_FILES or found.bytes > limits.MOST_NEW_BYTES:
            self._refuse_too_much(found)
        if found.removed:
            given = with_nul(found.removed)
            self.git.run("update-index", "-z", "--force-remove", "--stdin", stdin=given)
        self._add_files(found)
        tree = self.git.line("write-tree")
        is_empty = tree == hashlib.new(self._ids, b"tree 0\0").hexdigest()
        if is_empty and self._repository is not None:
            any_file = b"/".join([*self._scope[1:], b"a-new-file-of-nobody"])
            if self._repository.git().ignored([any_file]):
                raise GitError("git ignores this whole folder")
        return tree, _left_out(found.left_out, self._unstored_rules())

    def _unstored_rules(self) -> dict[str, str]:
        """Return the `.gitignore` files that are ignored by themselves or each other, with their
        texts.

        Git doesn't search ignored folders for rules.
        """
        names = [name for name in self.ignored() if name.rpartition(b"/")[2] == b".gitignore"]
        found = {os.fsdecode(name): _read_rules(self._top / os.fsdecode(name)) for name in names}
        return {name: text for name, text in found.items() if text is not None}

    def _list(self, *which: str) -> list[bytes]:
        exclude = self._repository.common / "info" / "exclude" if self._repository else None
        own = [f"--exclude-from={exclude}"] if exclude is not None and exclude.exists() else []
        patience = GIT_TIMEOUT if self._repository is not None else limits.LISTING_TIMEOUT
        options = ["-z", *which, "--exclude-standard", *own]
        try:
            told = self.git.run("ls-files", *options, *self._scope, timeout=patience)
        except BlockedError:
            raise
        except TooSlowError as error:
            raise TooMuchError(f"too much: {error} to list its files") from None
        return told.split(b"\0")[:-1]

    def _tracked_and_ignored(self) -> list[bytes]:
        """Return the names in the user's index that are ignored; reads them again only when the
        index changes.
        """
        if self._repository is None:
            return []
        try:
            found = (self._repository.git_dir / "index").stat()
        except OSError:
            return []
        if self._index_version != (found.st_mtime_ns, found.st_size):
            git = self._repository.git()
            told = git.run("ls-files", "-z", "-c", "-i", "--exclude-standard", *self._scope)
            self._tracked_ignored = told.split(b"\0")[:-1]
            self._index_version = found.st_mtime_ns, found.st_size
        return self._tracked_ignored

    def _refuse_too_much(self, found: "_StorableFiles") -> None:
        """Raise TooMuchError if there are still too many files without those that the repository
        has anyway.
        """
        tracked = set[bytes]()
        if self._repository is not None:
            git = self._repository.git()
            tracked.update(git.run("ls-files", "-z", "-c", *self._scope).split(b"\0"))
            tracked -= _with_filters(git, [name for name in found.stored if name in tracked])
        new = [name for name in found.stored if name not in tracked]
        room = sum(found.sizes.get(name, 0) for name in new)
        if len(new) > limits.MOST_NEW_FILES or room > limits.MOST_NEW_BYTES:
            words = f"too much: {counted(len(new), 'file')} ({size(room)}) that"
            plain = self._repository is None
            more = "no .gitignore leaves out" if plain else "git doesn't have, nor ignores"
            raise TooMuchError(f"{words} {more}")

    def _add_files(self, found: "_StorableFiles") -> None:
        """Add files to the index. Leaves out unreadable ones one after another, since git only
        names the first.
        """
        for _ in range(_RETRIES):
            if not found.stored:
                return
            try:
                self.git.run(
                    *("update-index", "-z", "--add", "--remove", "--replace", "--stdin"),
                    stdin=with_nul(found.stored),
                )
            except GitError as error:
                at = str(error).rfind(_CANT_ADD)
                name = os.fsencode(str(error)[at + len(_CANT_ADD) :])
                if at < 0 or name not in found.stored:
                    raise
                found.stored.remove(name)
                found.leave_out(name, _UNREADABLE)
            else:
                return
        raise GitError("too many files can't be read")


class _StorableFiles:
    """Sorts files into those to store, those to leave out, and those to remove from the index."""

    def __init__(self, top: Path, own: bytes) -> None:
        self._top = os.fsencode(top)
        self._own = own
        self._links: dict[bytes, bool] = {b"": False}
        self.left_out: list[tuple[str, str]] = []
        self.stored: list[bytes] = []
        self.removed: list[bytes] = []
        self.sizes: dict[bytes, int] = {}
        self.bytes = 0

    def examine(self, name: bytes) -> None:
        """Decide whether a file is stored, left out, or removed from the index."""
        if name.startswith(self._own):
            return
        if name.endswith(b"/"):
            self.leave_out(name, "a repository of its own")
            return
        if self._is_behind_link(_folder_of(name)):
            self.removed.append(name)
            return
        path = self._top + b"/" + name
        try:
            facts = os.lstat(path)
        except OSError:
            self.stored.append(name)  # deleted: `update-index --remove` records that
            return
        why = _why_not(facts)
        if why is None and not stat.S_ISLNK(facts.st_mode) and not os.access(path, os.R_OK):
            why = _UNREADABLE
        if why is None:
            self.stored.append(name)
            self.sizes[name] = facts.st_size
            self.bytes += facts.st_size
            return
        self.removed.append(name)
        if why:
            self.leave_out(name, why)

    def leave_out(self, name: bytes, why: str) -> None:
        """Record that a file is not stored."""
        self.left_out.append((os.fsdecode(name), why))

    def _is_behind_link(self, folder: bytes) -> bool:
        """Return whether a folder, or a folder above it, is a link."""
        unknown = []
        # No recursion: folders may be nested deeper than Python's recursion limit.
        while folder not in self._links:
            unknown.append(folder)
            folder = _folder_of(folder)
        is_behind = self._links[folder]
        for one in reversed(unknown):
            if not is_behind:
                with suppress(OSError):
                    is_behind = stat.S_ISLNK(os.lstat(self._top + b"/" + one).st_mode)
            self._links[one] = is_behind
        return is_behind


def _why_not(facts: os.stat_result) -> str | None:
    """Return the reason why a file isn't stored; "" if it needs no report, None if it is stored."""
    if stat.S_ISLNK(facts.st_mode):
        return None
    if stat.S_ISDIR(facts.st_mode):
        return ""
    if not stat.S_ISREG(facts.st_mode):
        return "no plain file"
    if facts.st_size > limits.LARGEST_STORED_FILE:
        return f"{size(facts.st_size)}, over {size(limits.LARGEST_STORED_FILE)}"
    return None


def _left_out(names: Iterable[tuple[str, str]], rules: Mapping[str, str]) -> LeftOut:
    """Return the files left out, with the rules files that aren't stored. Raises TooMuchError."""
    found = tuple(sorted(names))
    if len(found) > limits.MOST_LEFT_OUT:
        raise TooMuchError(f"too much: {counted(len(found), 'file')} that can't be kept")
    if sum(len(path) + len(text) for path, text in rules.items()) > gitignore.LARGEST_RULES:
        words = f"over {size(gitignore.LARGEST_RULES)} of rules"
        raise TooMuchError(f"too much: {words} in .gitignore files that are ignored themselves")
    return LeftOut(found, tuple(sorted(rules.items())))


def _read_rules(path: Path) -> str | None:
    """Return the text of a `.gitignore`, so that a rewind deletes nothing that it ignored; None if
    git wouldn't read it.

    Git doesn't follow a link to one. Raises TooMuchError.
    """
    try:
        descriptor = open_file(path)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        content = file.read(gitignore.LARGEST_RULES + 1)
    if not gitignore.is_read(content):
        words = f"over {size(gitignore.LARGEST_RULES)} or {counted(gitignore.MOST_RULES, 'line')} of rules"
        raise TooMuchError(f"too much: {words} in {str(path)!r}")
    return gitignore.decode_rules(content)


def _with_filters(git: Git, names: list[bytes]) -> set[bytes]:
    """Return the names that git stores in another form, such as Git LFS's pointers."""
    told = git.run("check-attr", "-z", "--stdin", "filter", stdin=with_nul(names)).split(b"\0")
    return {
        name for name, value in zip(told[::3], told[2::3], strict=False) if value != b"unspecified"
    }


def _folder_of(name: bytes) -> bytes:
    return name.rpartition(b"/")[0]


def with_nul(names: Iterable[bytes]) -> bytes:
    """Return names for git's stdin, each followed by a NUL, as with `-z`."""
    return b"".join(name + b"\0" for name in names)
