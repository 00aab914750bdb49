"""The files that git would have ignored by the rules at a checkpoint."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.git.git import Git
from acp_tui.git.objects import Entry
from acp_tui.rewind.checkpoint import Checkpoint

_RULES = b".gitignore"
_LINK = "120000"


def ignored_then(git: Git, target: Checkpoint, paths: Sequence[bytes]) -> set[bytes]:
    """Return the paths ignored by the rules in a checkpoint's tree, and by those stored with it.

    Git reads the rules from an index that marks them as not on disk, so nothing is written under
    names that an agent can choose; and from objects created for this, so none can have been
    swapped. Raises CheckpointError.
    """
    if not paths:
        return set()
    rules = {os.fsencode(path): os.fsencode(text) for path, text in target.left_out.rules}
    with git.objects() as objects:
        for path, entry in objects.files(target.tree).items():
            if _is_rules(path, entry):
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
        there.run("update-index", "-z", "--index-info", given=_noted(there, rules, Path(folder)))
        there.run("update-index", "-z", "--skip-worktree", "--stdin", given=_with_nul(rules))
        return there.ignored(paths, by_index=True)


def _noted(git: Git, rules: Mapping[bytes, bytes], folder: Path) -> bytes:
    """Give rules to git as objects; return their index entries. Raises GitError."""
    for number, text in enumerate(rules.values()):
        Path(folder, f"{number}").write_bytes(text)
    given = "".join(f"{Path(folder, f'{number}')}\n" for number in range(len(rules)))
    ids = git.line("hash-object", "-w", "--no-filters", "--stdin-paths", given=given.encode())
    rows = (
        b"100644 %b\t%b" % (id_.encode(), path)
        for path, id_ in zip(rules, ids.split(), strict=True)
    )
    return _with_nul(rows)


def _is_rules(path: bytes, entry: Entry) -> bool:
    """Return whether a file of a tree has rules; git doesn't follow a link to one."""
    return path.rpartition(b"/")[2] == _RULES and entry.mode != _LINK


def _with_nul(parts: Iterable[bytes]) -> bytes:
    return b"".join(part + b"\0" for part in parts)
