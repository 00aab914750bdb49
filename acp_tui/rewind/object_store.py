"""Stores files as git objects, in a folder's repository or in our own, and compares their trees."""

import hmac
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.config.private_files import make_folder, write_new
from acp_tui.formatting import counted
from acp_tui.git.git import Git, TooSlowError
from acp_tui.git.objects import CheckpointError, GitError, Objects
from acp_tui.git.repository import Repository
from acp_tui.rewind import limits
from acp_tui.rewind.checkpoint import ChangeType, Checkpoint, LeftOut, LineCount, Lines, TreeChange
from acp_tui.rewind.folder_index import OwnIndex, with_nul
from acp_tui.store.same_folder import SameFolder, open_file

COUNT_LINES = ("--numstat", "--ignore-cr-at-eol")
"""Options that count lines and ignore line endings, which our diffs don't show either. Git omits a
file with no other change.
"""
MOST_REFS = 20_000
"""Most refs that are listed: an agent could create any number of them."""
_GONE = "000000"
"""The mode of a file that doesn't exist."""
_FILE = "100"
"""The start of a regular file's mode."""
_RULES = b".gitignore"
_LINK = "120000"
"""The mode of a symbolic link."""
_REFS = "refs/acp-tui/"
_RACES = f"{_REFS}races/"
"""Refs with the results of `acp-tui race`, which are not checkpoints but ours, too."""
_REF = re.compile(r"(refs/acp-tui/[0-9a-f]{24}/(\d{17}))-([0-9a-f]{32})")
"""A checkpoint's ref: a hash of the folder, the time in microseconds, and a signature."""
_ANCHOR_TIMEOUT = 10.0
"""Seconds for git to write or delete refs in the repository: others may have made very many."""
_AUTHOR = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "acp-tui"), ("EMAIL", "acp-tui@localhost"))
}
_DEEPEST_REF = 8
"""Most folders in a ref's name; a deeper one is listed by its folder."""
_LONGEST_REF_LINE = 8192
"""Longest line of packed-refs that is read at once, in bytes."""
_MOST_PACKED = 64_000_000
"""Most bytes of packed refs that are read."""
_KEY_BYTES = 32
"""Number of bytes of the key, and of hexadecimal digits of a signature."""


class Vault:
    """The stored files of one folder, as objects in its repository or in our own.

    Only one program may use it at a time.
    """

    def __init__(self, folder: Path, place: Path, repository: Repository | None) -> None:
        """Raises CheckpointError or OSError."""
        self._index = OwnIndex(place, folder, repository)
        self._own = self._index.git
        self._repository = repository
        self._key = f"{_REFS}{place.name}/"
        self._seal = Seal.of(place.parent)
        self.top = SameFolder(folder if repository is None else repository.top)
        self.remarks: list[str] = []
        """Problems with the store, collected until they are reported to the user."""

    def make(self) -> None:
        """Create our git directory."""
        self._index.make()

    def store(self) -> tuple[str, LeftOut]:
        """Store the changed files; return the tree of all files, and the files left out. Raises
        GitError.
        """
        return self._index.store()

    def ignored_files(self) -> list[Path]:
        """Return the files and folders that git ignores now. Raises GitError."""
        return [self.top.path / os.fsdecode(name) for name in self._index.ignored()]

    @property
    def controls(self) -> list[Path]:
        """The files that decide which programs git runs, and those that store the repository's
        branches.
        """
        return [] if self._repository is None else self._repository.controls

    def changes(self, before: str, after: str, until: float) -> tuple[TreeChange, ...]:
        """Return the differences between two trees. Raises CheckpointError."""
        return read_changes(self._own, before, after, until)

    def find_files(self, tree: str, paths: Iterable[bytes]) -> dict[bytes, str]:
        """Return the ids of those files that are in a tree, by path. Raises CheckpointError."""
        with self._own.objects() as objects:
            found = {path: objects.find_file(tree, path) for path in paths}
        return {path: id_ for path, id_ in found.items() if id_}

    def ignored(self, target: Checkpoint, paths: Sequence[bytes]) -> set[bytes]:
        """Return the paths that were ignored by the rules at a checkpoint. Raises GitError."""
        return ignored_then(self._own, target, paths)

    def check(self, ids: Sequence[str]) -> None:
        """Verify that the blobs with these ids exist. Raises GitError."""
        given = "".join(f"{id_}\n" for id_ in ids).encode()
        told = self._own.line("cat-file", "--batch-check=%(objecttype)", stdin=given)
        if any(kind != "blob" for kind in told.split("\n")[: len(ids)]):
            raise GitError("git has lost a part of what was kept")

    def contents(self) -> AbstractContextManager[Objects]:
        """Return a reader of objects by id."""
        return self._own.objects()

    def commit_tree(self, unnamed: Checkpoint) -> Checkpoint:
        """Commit a checkpoint's tree, and keep the commit by refs. Raises GitError."""
        facts = json.dumps(unnamed.facts())
        message = f"acp-tui: the files before {unnamed.reason.kind.value}\n\n{facts}\n"
        commit = self._own.with_variables(_AUTHOR).line(
            "commit-tree", unnamed.tree, stdin=message.encode()
        )
        name = f"{self._key}{int(unnamed.at * 1e6):017}"
        ref = f"{name}-{self._seal.sign(name)}"
        self._own.run("update-ref", ref, commit, "")
        self._anchor("update-ref", ref, commit, "")
        return replace(unnamed, ref=ref)

    def _anchor(self, *command: str, stdin: str = "") -> None:
        """Write or delete refs in the repository; a failure is only a remark.

        An agent can break the repository, which must not prevent a checkpoint: git deletes
        unreferenced objects only after weeks.
        """
        if self._repository is None:
            return
        try:
            self._repository.git().run(*command, stdin=stdin.encode(), timeout=_ANCHOR_TIMEOUT)
        except GitError as error:
            self.remarks.append(f"git can't change {_REFS} in this repository: {error}")

    def list(self) -> list[Checkpoint]:
        """Return all checkpoints of this folder whose commits still exist. Raises GitError."""
        found = []
        lost = 0
        with self._own.objects() as objects:
            for ref, commit in self._refs().items():
                try:
                    tree, message = objects.commit(commit)
                    facts = json.loads(message.partition("\n\n")[2])
                    found.append(Checkpoint.of(ref, tree, facts))
                except CheckpointError:
                    lost += 1
        if lost:
            self.remarks.append(f"{counted(lost, 'checkpoint')} can't be read: git has lost a part")
        return found

    def _refs(self) -> dict[str, str]:
        """Return the commits of this folder's checkpoints by ref, the oldest first. Raises
        GitError.
        """
        told = self._own.line("for-each-ref", "--format=%(refname) %(objectname)", self._key)
        return dict(line.split(" ", 1) for line in told.splitlines())

    def prune(self, preserved: Collection[str] = ()) -> None:
        """Delete checkpoints that are too old or too many, except those in `preserved`; git deletes
        the objects later.
        """
        oldest = int((time.time() - limits.CHECKPOINT_DAYS * 86400) * 1e6)
        own = list(self._refs())
        old = set(own[: -limits.MOST_CHECKPOINTS])
        for ref in own:
            name = _REF.fullmatch(ref)
            if name is None or int(name[2]) < oldest:
                old.add(ref)
        full = self._repository is None and self._index.room() > limits.STORE_BYTES
        if full:
            old |= set(own[: len(own) // 2])
        old -= set(preserved)
        if old:
            self._own.run(
                "update-ref", "--no-deref", "--stdin", stdin=_delete_commands(old).encode()
            )
        if self._repository is not None:
            self._prune_anchors(self._repository, {*own} - old, old, oldest)
        elif old or full:
            self._own.run("prune", "--expire=now" if full else "--expire=1.hour.ago")

    def _prune_anchors(
        self, repository: Repository, own: set[str], old: set[str], oldest: int
    ) -> None:
        """Delete this folder's obsolete refs from the repository, and other folders' old ones."""
        foreign = 0
        for ref in ref_names(repository.common, _REFS):
            if ref in own or ref in old or ref.startswith(_RACES):
                continue
            name = _REF.fullmatch(ref)
            if name is None or not self._seal.is_ours(name[3], name[1]):
                foreign += 1
            elif ref.startswith(self._key) or int(name[2]) < oldest:
                old.add(ref)
        if old:
            # A ref may be symbolic and point to a branch, for example: that must not be deleted.
            self._anchor("update-ref", "--no-deref", "--stdin", stdin=_delete_commands(old))
        if foreign:
            what = "ref" if foreign == 1 else "refs"
            self.remarks.append(f"ignored, as not made from here: {foreign:,} {what} below {_REFS}")


class Seal:
    """Signs names of refs with a key in the state folder, which is outside every repository."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def of(cls, state: Path) -> "Seal":
        """Read the key, or create it the first time. Raises CheckpointError."""
        path = state / "key"
        try:
            if not path.exists():
                _write_key(path)
            key = path.read_bytes()
        except OSError as error:
            raise CheckpointError(f"{error.strerror}: {error.filename!r}") from None
        if len(key) != _KEY_BYTES:
            raise CheckpointError(f"it isn't a key: {str(path)!r}")
        return cls(key)

    def sign(self, *parts: str) -> str:
        """Return the signature of these parts."""
        told = "\0".join(parts).encode("utf-8", "surrogateescape")
        return hmac.new(self._key, told, sha256).hexdigest()[:_KEY_BYTES]

    def is_ours(self, signature: str, *parts: str) -> bool:
        """Return whether these parts were signed with the key."""
        given = signature.encode("utf-8", "surrogateescape")
        return hmac.compare_digest(self.sign(*parts).encode(), given)


def _write_key(path: Path) -> None:
    """Create the key atomically, unless another program was faster. Raises OSError."""
    make_folder(path.parent)
    new = path.with_name(f"key.{secrets.token_hex(8)}.new")
    write_new(new, secrets.token_bytes(_KEY_BYTES))
    try:
        os.link(new, path)
    except FileExistsError:
        pass
    finally:
        new.unlink()


def _delete_commands(refs: Iterable[str]) -> str:
    return "".join(f"delete {ref}\n" for ref in sorted(refs))


def read_changes(git: Git, before: str, after: str, until: float) -> tuple[TreeChange, ...]:
    """Return the files that differ, sorted by path, with their lines if git counts them by `until`.

    The files come from the trees themselves, verified by their ids; only the line counts are git's.
    Raises CheckpointError, also for a name that leads elsewhere.
    """
    if before == after:
        return ()
    with git.objects() as objects:
        found = sorted(objects.differing(before, after))
    lines, others = _count_lines(git, before, after, until)
    return tuple(
        TreeChange(
            path,
            ChangeType.CREATED
            if not was.mode
            else ChangeType.CHANGED
            if now.mode
            else ChangeType.DELETED,
            now.mode or _GONE,
            now.id,
            *lines.get(path, _default_lines(was.mode, now.mode, others)),
            was.mode or _GONE,
            was.id,
        )
        for path, was, now in found
    )


def _count_lines(
    git: Git, before: str, after: str, until: float
) -> tuple[dict[bytes, Lines], Lines]:
    """Return the line counts by path, and the default for files without. Raises GitError."""
    how = ("diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv")
    lines = dict[bytes, Lines]()
    patience = until - time.monotonic()
    if patience > 0:
        with suppress(TooSlowError):
            for field in git.run(*how, *COUNT_LINES, before, after, timeout=patience).split(b"\0")[
                :-1
            ]:
                added, removed, path = field.split(b"\t", 2)
                lines[path] = (
                    (int(added), int(removed), LineCount.EXACTLY)
                    if added.isdigit() and removed.isdigit()
                    else (None, None, LineCount.NO_TEXT)
                )
            return lines, (None, None, LineCount.NO_TEXT)
    return lines, (None, None, LineCount.NOT_IN_TIME)


def _default_lines(was: str, now: str, others: Lines) -> Lines:
    """Return the line counts of a file that git omits: a text file that differs only in line
    endings has none.
    """
    is_text = others[2] is LineCount.NO_TEXT and was.startswith(_FILE) and now.startswith(_FILE)
    return (0, 0, LineCount.EXACTLY) if is_text else others


def ignored_then(git: Git, target: Checkpoint, paths: Sequence[bytes]) -> set[bytes]:
    """Return the paths that are ignored by the rules in a checkpoint's tree, and those stored with
    it.

    Git reads the rules from an index that marks them as not on disk, so nothing is written under
    names that an agent can choose. It reads them from objects that are created for this, so none
    can have been swapped. Raises CheckpointError.
    """
    if not paths:
        return set()
    rules = {os.fsencode(path): os.fsencode(text) for path, text in target.left_out.rules}
    with git.objects() as objects:
        for path, entry in objects.files(target.tree).items():
            if path.rpartition(b"/")[2] == _RULES and entry.mode != _LINK:  # git follows no link
                rules[path] = objects.read_object(entry.id)
    with TemporaryDirectory(prefix="acp-tui-rules-") as folder:
        empty, made = Path(folder, "empty"), Path(folder, "objects")
        empty.mkdir()
        made.mkdir()
        there = git.with_variables(
            {
                "GIT_WORK_TREE": str(empty),
                "GIT_INDEX_FILE": str(Path(folder, "index")),
                "GIT_OBJECT_DIRECTORY": str(made),
            },
            empty,
        )
        there.run(
            "update-index", "-z", "--index-info", stdin=_write_rules(there, rules, Path(folder))
        )
        there.run("update-index", "-z", "--skip-worktree", "--stdin", stdin=with_nul(rules))
        return there.ignored(paths, by_index=True)


def _write_rules(git: Git, rules: Mapping[bytes, bytes], folder: Path) -> bytes:
    """Write rules as git objects; return their index entries. Raises GitError."""
    for number, text in enumerate(rules.values()):
        Path(folder, f"{number}").write_bytes(text)
    given = "".join(f"{Path(folder, f'{number}')}\n" for number in range(len(rules)))
    ids = git.line("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=given.encode())
    rows = (
        b"100644 %b\t%b" % (id_.encode(), path)
        for path, id_ in zip(rules, ids.split(), strict=True)
    )
    return with_nul(rows)


def ref_names(common: Path, prefix: str) -> list[str]:
    """Return the names of refs below a prefix, which ends with a slash, without opening the refs.

    Git itself would read a loose ref, whatever it is: it blocks on a pipe, and reads an endless
    file. A repository with reftables has none.
    """
    loose = _loose(common / prefix, prefix)
    return [
        *islice(dict.fromkeys([*islice(loose, MOST_REFS), *_packed(common, prefix)]), MOST_REFS)
    ]


def _loose(folder: Path, prefix: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as found:
            for one in found:
                is_folder = one.is_dir(follow_symlinks=False)
                if is_folder and prefix.count("/") < _DEEPEST_REF:
                    yield from _loose(folder / one.name, f"{prefix}{one.name}/")
                elif not one.name.endswith(".lock"):
                    yield prefix + one.name
    except OSError:
        return


def _packed(common: Path, prefix: str) -> Iterator[str]:
    begin = f" {prefix}".encode()
    try:
        descriptor = open_file(common / "packed-refs")
    except OSError:
        return
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return
        while file.tell() < _MOST_PACKED and (line := file.readline(_LONGEST_REF_LINE)):
            at = line.find(begin)
            if at in (40, 64):
                yield line[at + 1 :].rstrip(b"\n").decode("utf-8", "surrogateescape")
