"""What differs between two trees."""

from acp_tui.checkpoints.checkpoint import Deed, FileChange
from acp_tui.checkpoints.git import Git
from acp_tui.checkpoints.names import checked_path

_DEEDS = {"A": Deed.MADE, "D": Deed.DELETED}


def read_changes(git: Git, before: str, after: str) -> tuple[FileChange, ...]:
    """Return the files that differ, by path. Raises GitError, also for a name that leads elsewhere."""
    if before == after:
        return ()
    told = git.run(
        *("diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"),
        *("--raw", "--numstat", before, after),
    )
    facts: dict[bytes, tuple[str, str, str]] = {}
    lines: dict[bytes, tuple[int | None, int | None]] = {}
    fields = iter(told.split(b"\0")[:-1])
    for field in fields:
        if field.startswith(b":"):
            _, mode, _, id_, deed = field.decode().split()
            facts[checked_path(next(fields))] = mode, id_, deed
        else:
            added, removed, path = field.split(b"\t", 2)
            lines[path] = _count(added), _count(removed)
    return tuple(
        FileChange(path, _DEEDS.get(deed, Deed.CHANGED), mode, id_, *lines.get(path, (None, None)))
        for path, (mode, id_, deed) in facts.items()
    )


def _count(told: bytes) -> int | None:
    return int(told) if told.isdigit() else None
