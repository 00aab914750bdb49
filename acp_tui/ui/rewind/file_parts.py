"""What becomes of files: a row for each of several, and their diffs."""

from collections.abc import Iterator, Mapping, Sequence

from acp_tui.rewind.checkpoint import Counted, Deed, FileChange
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.header import Around
from acp_tui.ui.diff.rows import CONTEXT
from acp_tui.ui.lines.lines import Lines
from acp_tui.ui.lines.paths import shown_path
from acp_tui.ui.lines.stack import Part
from acp_tui.ui.lines.text_lines import Head, Span, TextLines
from acp_tui.ui.rewind.diffs import FILES, Changed

MOST = 2000
"""How many files are listed."""
PLANNED = {Deed.MADE: "is brought back", Deed.CHANGED: "is put back", Deed.DELETED: "is deleted"}
"""What would be done, in words."""
UNKNOWN = 100
"""Rows that are set aside for a file of which nobody knows how many lines come and go."""
_STYLES = {Deed.MADE: "success", Deed.CHANGED: "warning", Deed.DELETED: "error"}


def file_parts(changed: Changed, words: Mapping[Deed, str]) -> list[Part]:
    """Return what becomes of files, with `words` for what is done: those of a single one stand above its
    diff.
    """
    changes, diffs = changed
    if len(changes) == 1 and diffs:
        [change], [diff] = changes, diffs.values()
        told = change.deed is Deed.DELETED  # by the head of its diff
        around = Around(end="" if told else words.get(change.deed, ""))
        return [Part(DiffLines(diff, around=around))]
    rows = [Part(_row(one, words)) for one in changes[:MOST]]
    if len(changes) > MOST:
        rows.append(Part(TextLines(f"and {len(changes) - MOST:,} more", "muted")))
    shown = (diffs[one.path] for one in changes if one.path in diffs)
    return [*rows, *(Part(DiffLines(diff), gap=1) for diff in shown)]


def _row(change: FileChange, words: Mapping[Deed, str]) -> Lines:
    name = shown_path(change.shown, None)
    told = words.get(change.deed)
    return Head(
        lambda: [Span(f"{change.deed.value} ", _STYLES[change.deed]), Span(name)],
        lambda: [*_lines(change), *([Span(f"  {told}", "muted")] if told else [])],
    )


def _lines(change: FileChange) -> Iterator[Span]:
    if change.added is None or change.removed is None:
        yield Span(f"  {change.counted.value}", "muted")
    elif change.added or change.removed:
        yield Span(f"  +{change.added:,}", "success")
        yield Span(f" −{change.removed:,}", "error")
    elif change.deed is Deed.CHANGED and change.id != change.old_id:
        yield Span("  only line ends differ", "muted")
    elif change.deed is Deed.CHANGED:
        yield Span("  the permission to run", "muted")
    else:
        yield Span("  empty", "muted")


def height_of(changes: Sequence[FileChange]) -> int:
    """Return how many rows the parts of some changes take at most, before their texts are read, if no
    line is wrapped.
    """
    heads = len(changes) if len(changes) > 1 else 0
    return heads + sum(_height(one) for one in changes[:FILES])


def _height(change: FileChange) -> int:
    if change.counted is Counted.NOT_IN_TIME:
        return UNKNOWN
    lines = (change.added or 0) + (change.removed or 0)
    return 2 + lines + (2 * CONTEXT if change.deed is Deed.CHANGED and lines else 0)


def sums(changes: Sequence[FileChange]) -> tuple[str, str]:
    """Add up the lines that come and go, in words; in none if those of a file aren't counted."""
    if not changes or any(one.counted is Counted.NOT_IN_TIME for one in changes):
        return "", ""
    added = sum(one.added or 0 for one in changes)
    removed = sum(one.removed or 0 for one in changes)
    return f"+{added:,}", f"−{removed:,}"
