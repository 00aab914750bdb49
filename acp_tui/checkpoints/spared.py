"""What is not deleted by going back, though no checkpoint has it: it may have been there then."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.checkpoints.checkpoint import Checkpoint, Deed, FileChange
from acp_tui.checkpoints.git import Git

_RULES = b".gitignore"


def find_spared(
    git: Git, target: Checkpoint, changes: Sequence[FileChange]
) -> tuple[FileChange, ...]:
    """Return the files that were left out then, or that git ignored then: an agent may change what is
    ignored, and `.env` is deleted by no return. Raises GitError.
    """
    deleted = [one for one in changes if one.deed is Deed.DELETED]
    ignored = _ignored(git, target.tree, [one.path for one in deleted])
    return tuple(one for one in deleted if one.path in ignored or target.left_out.has(one.shown))


def _ignored(git: Git, tree: str, paths: Sequence[bytes]) -> set[bytes]:
    """Return what git ignores by the rules of a tree: they are laid out where nothing else is."""
    if not paths:
        return set()
    listed = git.run("ls-tree", "-r", "-z", tree).split(b"\0")[:-1]
    entries = [(facts.split(), path) for facts, _, path in (one.partition(b"\t") for one in listed)]
    rules = [
        (path, facts[2].decode())
        for facts, path in entries
        if path.rpartition(b"/")[2] == _RULES and facts[0] != b"120000"
    ]
    with TemporaryDirectory(prefix="acp-tui-rules-") as folder, git.blobs() as blobs:
        for path, id_ in rules:
            place = Path(folder, *map(_text, path.split(b"/")))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(blobs.read(id_))
        there = git.with_variables({"GIT_WORK_TREE": folder}, Path(folder))
        return there.ignored(paths)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
