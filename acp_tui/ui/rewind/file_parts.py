"""What becomes of files: a row for each of several, and their diffs."""

from collections.abc import Iterator, Mapping, Sequence

from acp_tui.rewind.checkpoint import FileDeed, LineCount, TreeChange
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.header import Around
from acp_tui.ui.diff.rows import CONTEXT
from acp_tui.ui.lines.lines import LineColumn
from acp_tui.ui.lines.paths import shown_path
from acp_tui.ui.lines.stack import StackPart
from acp_tui.ui.lines.text_lines import LineHead, StyledSpan, TextLines
from acp_tui.ui.lines.visible import visible
from acp_tui.ui.rewind.diffs import FILES, Changed

MOST_FILES = 2000
"""How many files are listed."""
PLANNED = {
    FileDeed.MADE: "is brought back",
    FileDeed.CHANGED: "is put back",
    FileDeed.DELETED: "is deleted",
}
"""What would be done, in words."""
UNKNOWN = 100
"""Rows that are set aside for a file of which nobody knows how many lines come and go."""
_STYLES = {FileDeed.MADE: "success", FileDeed.CHANGED: "warning", FileDeed.DELETED: "error"}
NAMED = 5
"""How many are named."""


def file_parts(changed: Changed, words: Mapping[FileDeed, str]) -> list[StackPart]:
    """Return what becomes of files, with `words` for what is done: those of a single one stand above its
    diff.
    """
    changes, diffs = changed
    if len(changes) == 1 and diffs:
        [change], [diff] = changes, diffs.values()
        told = change.deed is FileDeed.DELETED  # by the head of its diff
        around = Around(end="" if told else words.get(change.deed, ""))
        return [StackPart(DiffLines(diff, around=around))]
    rows = [StackPart(_row(one, words)) for one in changes[:MOST_FILES]]
    if len(changes) > MOST_FILES:
        rows.append(StackPart(TextLines(f"and {len(changes) - MOST_FILES:,} more", "muted")))
    shown = (diffs[one.path] for one in changes if one.path in diffs)
    return [*rows, *(StackPart(DiffLines(diff), gap=1) for diff in shown)]


def _row(change: TreeChange, words: Mapping[FileDeed, str]) -> LineColumn:
    name = shown_path(change.shown, None)
    told = words.get(change.deed)
    return LineHead(
        lambda: [StyledSpan(f"{change.deed.value} ", _STYLES[change.deed]), StyledSpan(name)],
        lambda: [*_lines(change), *([StyledSpan(f"  {told}", "muted")] if told else [])],
    )


def _lines(change: TreeChange) -> Iterator[StyledSpan]:
    if change.added is None or change.removed is None:
        yield StyledSpan(f"  {change.counted.value}", "muted")
    elif change.added or change.removed:
        yield StyledSpan(f"  +{change.added:,}", "success")
        yield StyledSpan(f" −{change.removed:,}", "error")
    elif change.deed is FileDeed.CHANGED and change.id != change.old_id:
        yield StyledSpan("  only line ends differ", "muted")
    elif change.deed is FileDeed.CHANGED:
        yield StyledSpan("  the permission to run", "muted")
    else:
        yield StyledSpan("  empty", "muted")


def height_of(changes: Sequence[TreeChange]) -> int:
    """Return how many rows the parts of some changes take at most, before their texts are read, if no
    line is wrapped.
    """
    heads = len(changes) if len(changes) > 1 else 0
    return heads + sum(_height(one) for one in changes[:FILES])


def _height(change: TreeChange) -> int:
    if change.counted is LineCount.NOT_IN_TIME:
        return UNKNOWN
    lines = (change.added or 0) + (change.removed or 0)
    return 2 + lines + (2 * CONTEXT if change.deed is FileDeed.CHANGED and lines else 0)


def sums(changes: Sequence[TreeChange]) -> tuple[str, str]:
    """Add up the lines that come and go, in words; in none if those of a file aren't counted."""
    if not changes or any(one.counted is LineCount.NOT_IN_TIME for one in changes):
        return "", ""
    added = sum(one.added or 0 for one in changes)
    removed = sum(one.removed or 0 for one in changes)
    return f"+{added:,}", f"−{removed:,}"


def named(names: Sequence[str]) -> str:
    """Name the first of them."""
    rest = len(names) - NAMED
    return ", ".join(map(visible, names[:NAMED])) + (f" and {rest} more" if rest > 0 else "")


def named_with_why(names: Sequence[tuple[str, str]]) -> str:
    """Name the first of them, each with why it isn't kept."""
    return named([f"{name} ({why})" for name, why in names])
