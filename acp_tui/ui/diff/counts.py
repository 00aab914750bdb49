"""How many lines a diff adds and removes."""

from acp_tui.edits.line_diff import compare, estimated
from acp_tui.edits.steps import finish_steps
from acp_tui.protocol.content import Diff
from acp_tui.ui.diff.side import sides_of

EXACT = 2000
"""Up to how many lines `stats` compares them; above that it counts which are new and gone."""


def stats(diff: Diff) -> tuple[int, int]:
    """Return how many lines a diff adds and removes; of a large one, without lines that only moved."""
    old, new = sides_of(diff)
    if len(old.lines) + len(new.lines) > EXACT:
        return estimated(old.keys, new.keys)
    blocks = finish_steps(compare(old.keys, new.keys))
    return blocks.added, blocks.removed
