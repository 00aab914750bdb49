"""What becomes of files, in a row each: by sign and word."""

from collections.abc import Iterator, Mapping, Sequence

from acp_tui.checkpoints.checkpoint import Deed, FileChange
from acp_tui.text import clean_line, count_blanks, reveal_escapes

MOST = 2000
"""How many files are listed."""
_SIGNS = {Deed.MADE: "+", Deed.CHANGED: "~", Deed.DELETED: "−"}
DONE = {Deed.MADE: "made", Deed.CHANGED: "changed", Deed.DELETED: "deleted"}
"""What was done, in words."""
PLANNED = {Deed.MADE: "is brought back", Deed.CHANGED: "is put back", Deed.DELETED: "is deleted"}
"""What would be done, in words."""


def file_rows(changes: Sequence[FileChange], words: Mapping[Deed, str]) -> Iterator[str]:
    """List files, and how many there are beside those."""
    for change in changes[:MOST]:
        name = clean_line(reveal_escapes(count_blanks(change.shown)))
        yield f"{_SIGNS[change.deed]} {name}  {words[change.deed]}{_lines(change)}"
    if len(changes) > MOST:
        yield f"and {len(changes) - MOST:,} more"


def _lines(change: FileChange) -> str:
    if change.added is None or change.removed is None:
        return ", not a text"
    return f" +{change.added} −{change.removed}" if change.added or change.removed else ""


def sums(changes: Sequence[FileChange]) -> tuple[int, int]:
    """Add up the lines that come and go."""
    return sum(one.added or 0 for one in changes), sum(one.removed or 0 for one in changes)
