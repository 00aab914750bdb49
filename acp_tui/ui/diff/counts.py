"""How many lines a diff adds and removes."""

from collections.abc import Sequence

from acp_tui.edits.line_diff import compare, estimated
from acp_tui.edits.line_ends import ends_note
from acp_tui.edits.renames import Renamed, with_renames
from acp_tui.edits.steps import finish_steps
from acp_tui.protocol.content import Diff, ShownContent
from acp_tui.state.changed_files import ChangedFile
from acp_tui.ui.diff.header import is_binary
from acp_tui.ui.diff.side import sides_of
from acp_tui.ui.lines.text_lines import StyledSpan

EXACT = 2000
"""Up to how many lines `stats` compares them; above that it counts which are new and gone."""
LONGEST_COUNTED = 200_000
"""Characters of a file's diffs up to which `file_stats` counts their lines."""


def stats(diff: Diff) -> tuple[int, int]:
    """Return how many lines a diff adds and removes; of a large one, without lines that only moved."""
    old, new = sides_of(diff)
    if len(old.lines) + len(new.lines) > EXACT:
        return estimated(old.keys, new.keys)
    blocks = finish_steps(compare(old.keys, new.keys))
    return blocks.added, blocks.removed


def file_stats(file: ChangedFile) -> tuple[int, int] | None:
    """Return how many lines were added to a file and removed; None if that isn't known."""
    if not file.diffs or sum(len(one.new_text) for one in file.diffs) > LONGEST_COUNTED:
        return None
    counts = [stats(one) for one in file.diffs]
    return sum(added for added, _ in counts), sum(removed for _, removed in counts)


class DiffCounts:
    """Counts the lines of text diffs, and again only when they are others."""

    def __init__(self) -> None:
        self._diffs: list[Diff] = []
        self._added = 0
        self._removed = 0
        self._ends = ""

    def spans(self, content: Sequence[ShownContent]) -> list[StyledSpan]:
        """Return the counts, or what else differs; nothing without a diff."""
        diffs = [item for item in content if isinstance(item, Diff) and not is_binary(item)]
        if not diffs:
            return []
        if diffs != self._diffs:
            counts = [
                stats(item.diff if isinstance(item, Renamed) else item)
                for item in with_renames(diffs)
                if isinstance(item, Diff | Renamed)
            ]
            self._diffs = diffs
            self._added = sum(added for added, _ in counts)
            self._removed = sum(removed for _, removed in counts)
            self._ends = next(
                filter(None, (ends_note(one.old_text, one.new_text) for one in diffs)), ""
            )
        if self._ends and not self._added and not self._removed:
            return [StyledSpan(f"{self._ends}  ", "warning")]
        return [
            StyledSpan(f"+{self._added}", "success"),
            StyledSpan(f" −{self._removed}  ", "error"),
        ]
