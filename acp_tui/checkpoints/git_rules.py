"""What git would ignore by the rules that there were at a checkpoint."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.checkpoints.checkpoint import Checkpoint
from acp_tui.checkpoints.git import Git

_RULES = b".gitignore"


def ignored_then(git: Git, target: Checkpoint, paths: Sequence[bytes]) -> set[bytes]:
    """Return what git ignores by the rules in a tree, and by those that weren't kept in it. It reads them
    from an index that says that they aren't on disk: so nothing has to be written there under names that
    an agent can choose. Raises GitError.
    """
    if not paths:
        return set()
    listed = git.run("ls-tree", "-r", "-z", target.tree).split(b"\0")[:-1]
    rules = [one for one in listed if _is_rules(one)]
    with TemporaryDirectory(prefix="acp-tui-rules-") as folder:
        empty = Path(folder, "empty")
        empty.mkdir()
        rules += _not_kept(git, dict(target.left_out.rules), Path(folder))
        names = [one.partition(b"\t")[2] for one in rules]
        there = git.with_variables(
            {"GIT_WORK_TREE": str(empty), "GIT_INDEX_FILE": str(Path(folder, "index"))}, empty
        )
        there.run("update-index", "-z", "--index-info", given=_with_nul(rules))
        there.run("update-index", "-z", "--skip-worktree", "--stdin", given=_with_nul(names))
        return there.ignored(paths, by_index=True)


def _not_kept(git: Git, rules: Mapping[str, str], folder: Path) -> Iterator[bytes]:
    """Give rules to git by way of a folder; return what an index says of them. Raises GitError."""
    for number, text in enumerate(rules.values()):
        Path(folder, f"{number}").write_bytes(os.fsencode(text))
    given = "".join(f"{Path(folder, f'{number}')}\n" for number in range(len(rules)))
    ids = git.line("hash-object", "-w", "--no-filters", "--stdin-paths", given=given.encode())
    for path, id_ in zip(rules, ids.split(), strict=True):
        yield b"100644 %b\t%b" % (id_.encode(), os.fsencode(path))


def _is_rules(entry: bytes) -> bool:
    """Whether an entry of a tree is a file of rules; git follows no link to one."""
    facts, _, path = entry.partition(b"\t")
    return path.rpartition(b"/")[2] == _RULES and not facts.startswith(b"120000")


def _with_nul(parts: Sequence[bytes]) -> bytes:
    return b"".join(part + b"\0" for part in parts)
