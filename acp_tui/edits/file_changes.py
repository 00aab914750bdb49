"""Describes changes of files other than of their text."""

from acp_tui.protocol.content import FileChange
from acp_tui.text import one_line

_ACTS = {
    "add": "new",
    "delete": "deleted",
    "modify": "changed",
    "move": "moved",
    "copy": "copied",
    "patch": "a patch that can't be read",
}


def words(change: FileChange) -> str:
    """Format what happens to a file, in one line: `/work/a → /work/b: moved (binary)`."""
    act = _ACTS.get(change.operation, one_line(change.operation))
    where = " → ".join(map(one_line, change.paths))
    details = ", ".join(map(one_line, change.details))
    told = f"{where}: {act}" if where else act
    return f"{told} ({details})" if details else told
