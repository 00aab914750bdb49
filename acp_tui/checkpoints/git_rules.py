"""What git would ignore by the rules that a tree has."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from acp_tui.checkpoints.git import Git

_RULES = b".gitignore"


def ignored_by_tree(git: Git, tree: str, paths: Sequence[bytes]) -> set[bytes]:
    """Return what git ignores by the rules of a tree. It reads them from an index that says that they
    aren't on disk: so nothing has to be written there under names that an agent can choose.
    Raises GitError.
    """
    if not paths:
        return set()
    listed = git.run("ls-tree", "-r", "-z", tree).split(b"\0")[:-1]
    rules = [one for one in listed if _is_rules(one)]
    names = [one.partition(b"\t")[2] for one in rules]
    with TemporaryDirectory(prefix="acp-tui-rules-") as folder:
        empty = Path(folder, "empty")
        empty.mkdir()
        there = git.with_variables(
            {"GIT_WORK_TREE": str(empty), "GIT_INDEX_FILE": str(Path(folder, "index"))}, empty
        )
        there.run("update-index", "-z", "--index-info", given=_with_nul(rules))
        there.run("update-index", "-z", "--skip-worktree", "--stdin", given=_with_nul(names))
        return there.ignored(paths, by_index=True)


def _is_rules(entry: bytes) -> bool:
    """Whether an entry of a tree is a file of rules; git follows no link to one."""
    facts, _, path = entry.partition(b"\t")
    return path.rpartition(b"/")[2] == _RULES and not facts.startswith(b"120000")


def _with_nul(parts: Sequence[bytes]) -> bytes:
    return b"".join(part + b"\0" for part in parts)
