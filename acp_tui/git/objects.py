"""Reads git objects by their ids, and rejects an object that doesn't match its id.

Git itself doesn't verify ids, and an agent can write to the object store. An id in a checkpoint is
trusted, since the checkpoint is signed: only the content that was stored then has this id. That
holds for SHA-1, too: an agent would need a second preimage, which nobody can make; of a prepared
pair with one id, git stores neither.
"""

import hashlib
import selectors
from collections.abc import Iterator
from typing import IO, NamedTuple


class CheckpointError(Exception):
    """A checkpoint operation failed; the message says why."""


class TooMuchError(CheckpointError):
    """There are too many new files, or too large ones, to store at once."""


class NotStorableError(CheckpointError):
    """The folder's files must not be stored; the message says why."""


class GitError(CheckpointError):
    """Git failed or can't be run; the message says why."""


LARGEST_OBJECT = 256_000_000
"""Largest object that is read, in bytes: a larger one isn't ours."""
LARGEST_COMMIT = 16_000_000
"""Largest commit of a checkpoint, in bytes: it names at most some thousand files and some rules."""
OBJECT_TIMEOUT = 20.0
"""Seconds in which git must find an object: it would wait forever for a pipe in its place."""
_PIECE = 1 << 20
_HASHES = {40: "sha1", 64: "sha256"}
"""Hash functions by the number of digits of an id."""
_FOLDER = "40000"


class Entry(NamedTuple):
    """An entry of a tree: its mode, and the id of its content."""

    mode: str
    id: str


_NOTHING = Entry("", "")


class Objects:
    """Reads objects one at a time from a `git cat-file --batch` process."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self._stdin = stdin
        self._stdout = stdout

    def read_object(self, id: str) -> bytes:
        """Return a blob's content. Raises CheckpointError, also if it isn't what was stored."""
        return self._read_object(id, b"blob")

    def commit(self, id: str) -> tuple[str, str]:
        """Return a commit's tree id and message. Raises CheckpointError."""
        text = self._read_object(id, b"commit", LARGEST_COMMIT).decode("utf-8", "surrogateescape")
        head, _, message = text.partition("\n\n")
        return head.partition("\n")[0].removeprefix("tree "), message

    def files(self, tree: str) -> dict[bytes, Entry]:
        """Return all files of a tree by path. Raises CheckpointError."""
        return {path: now for path, _, now in self.differing("", tree)}

    def find_file(self, tree: str, path: bytes) -> str:
        """Return a file's id in a tree, or "" if it isn't there. Raises CheckpointError."""
        *folders, name = path.split(b"/")
        for folder in folders:
            tree = _tree(self._entries(tree).get(folder, _NOTHING))
        return _file(self._entries(tree).get(name, _NOTHING)).id

    def differing(self, before: str, after: str) -> Iterator[tuple[bytes, Entry, Entry]]:
        """Yield the files that differ between two trees, in any order, with both entries.

        A missing file has an empty entry, and an empty tree has the id "". Raises CheckpointError.
        """
        left = [(b"", before, after)]
        while left:
            folder, was_tree, is_tree = left.pop()
            old, new = self._entries(was_tree), self._entries(is_tree)
            for name in {*old, *new}:
                was, now = old.get(name, _NOTHING), new.get(name, _NOTHING)
                if was == now:
                    continue
                path = _checked_path(folder + name)
                if _FOLDER in (was.mode, now.mode):
                    left.append((path + b"/", _tree(was), _tree(now)))
                if _file(was) != _file(now):
                    yield path, _file(was), _file(now)

    def _entries(self, tree: str) -> dict[bytes, Entry]:
        """Return the entries of one tree by name; none for the id ""."""
        found = dict[bytes, Entry]()
        content = self._read_object(tree, b"tree") if tree else b""
        width, at = len(tree) // 2, 0
        while at < len(content):
            end = content.index(b"\0", at)
            mode, _, name = content[at:end].partition(b" ")
            at = end + 1 + width
            found[name] = Entry(mode.decode(), content[end + 1 : at].hex())
        return found

    def _read_object(self, id: str, kind: bytes, most: int = LARGEST_OBJECT) -> bytes:
        try:
            self._stdin.write(f"{id}\n".encode())
            self._stdin.flush()
            self._wait_for_answer(id)
            head = self._stdout.readline().split()
            if len(head) != 3:
                raise CheckpointError(f"git has lost what was kept: {id}")
            size = int(head[2])
            if size > most:
                self._pass_over(size + 1)
                raise _swapped(id)
            content = self._stdout.read(size + 1)[:-1]
        except OSError as error:
            raise CheckpointError(error.strerror or str(error)) from None
        told = hashlib.new(_HASHES[len(id)], usedforsecurity=False)
        told.update(b"%b %d\0" % (kind, len(content)))
        told.update(content)
        if told.hexdigest() != id:
            raise _swapped(id)
        return content

    def _wait_for_answer(self, id: str) -> None:
        """Wait until git answers; the previous answer must have been read completely. Raises
        CheckpointError.
        """
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdout, selectors.EVENT_READ)
            if not selector.select(OBJECT_TIMEOUT):
                words = f"git waited {OBJECT_TIMEOUT:.0f} s for object {id}"
                raise CheckpointError(
                    f"{words}: something in .git isn't a file, but a pipe perhaps"
                )

    def _pass_over(self, size: int) -> None:
        while size > 0 and (piece := self._stdout.read(min(size, _PIECE))):
            size -= len(piece)


def _checked_path(path: bytes) -> bytes:
    """Return a path in a tree if it is valid for a stored file. Raises CheckpointError.

    Anyone who can write to the object store can change a tree.
    """
    names = path.split(b"/")
    if b"\0" in path or any(one in (b"", b".", b"..") or one.lower() == b".git" for one in names):
        shown = path.decode("utf-8", "surrogateescape")
        raise CheckpointError(f"a name in it is not that of a kept file: {shown!r}")
    return path


def _tree(entry: Entry) -> str:
    return entry.id if entry.mode == _FOLDER else ""


def _file(entry: Entry) -> Entry:
    return _NOTHING if entry.mode == _FOLDER else entry


def _swapped(id: str) -> CheckpointError:
    words = f"what lies in .git isn't what was kept: object {id} was overwritten"
    return CheckpointError(f"{words} (git fsck finds such; another clone or a backup may have it)")
