"""Shows the differences between two trees: a row for each of several files, and their diffs, whose
texts are read outside the event loop.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from acp_tui.git.objects import CheckpointError, Objects
from acp_tui.protocol.content import Diff
from acp_tui.rewind.checkpoint import ChangeType, LineCount, TreeChange
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.diff.header import HeaderParts
from acp_tui.ui.diff.rows import CONTEXT
from acp_tui.ui.lines.lines import LineColumn
from acp_tui.ui.lines.stack import StackPart
from acp_tui.ui.lines.text_lines import LineHead, StyledSpan, TextLines
from acp_tui.ui.lines.visible import shown_path, visible_line

if TYPE_CHECKING:
    from acp_tui.rewind.store import Checkpoints

FILES = 50
"""Most files whose texts are read."""
LARGEST = 500_000
"""Most bytes of a file whose text is shown."""
MOST_DIFF_BYTES = 2_000_000
"""Most bytes of all texts; no more are read after that."""
_CHECKED_BYTES = 8000
"""Bytes at the beginning of a file that are searched for a NUL, as git does to recognize binary
files.
"""
MOST_FILES = 2000
"""Most files that are listed."""
PLANNED = {
    ChangeType.CREATED: "is brought back",
    ChangeType.CHANGED: "is put back",
    ChangeType.DELETED: "is deleted",
}
"""What a rewind would do to a file, in words."""
UNKNOWN = 100
"""Rows assumed for a file whose lines weren't counted in time."""
_STYLES = {
    ChangeType.CREATED: "success",
    ChangeType.CHANGED: "warning",
    ChangeType.DELETED: "error",
}
NAMED = 5
"""Most files that are named in a list."""


class Changed(NamedTuple):
    """Files that differ, and the diffs of those whose text is shown."""

    changes: Sequence[TreeChange] = ()
    diffs: Mapping[bytes, Diff] = {}


def read_diffs(store: "Checkpoints", changes: Sequence[TreeChange]) -> Changed:
    """Read the old and new texts of files that differ between two trees.

    A file whose stored content is damaged is marked as such. Raises CheckpointError.
    """
    if not changes:
        return Changed()
    diffs = {}
    damaged = dict[bytes, TreeChange]()
    left = MOST_DIFF_BYTES
    with store.contents() as contents:
        for change in _texts(changes):
            try:
                texts = _read_contents(contents, change)
            except CheckpointError:
                damaged[change.path] = replace(
                    change, added=None, removed=None, counted=LineCount.DAMAGED
                )
                continue
            left -= sum(map(len, texts))
            if left < 0:
                break
            is_short = 0 < max(map(len, texts)) <= LARGEST  # an empty file has no diff
            if is_short and all(map(_is_text, texts)):
                is_new = change.change_type is ChangeType.CREATED
                old, new = (one.decode("utf-8", "replace") for one in texts)
                diffs[change.path] = Diff(
                    path=change.shown, old_text=None if is_new else old, new_text=new
                )
    return Changed([damaged.get(one.path, one) for one in changes], diffs)


def _texts(changes: Sequence[TreeChange]) -> Iterator[TreeChange]:
    """Return the changes of content; in the others only the permissions differ."""
    return (
        one
        for one in changes[:FILES]
        if one.counted is not LineCount.NO_TEXT and one.id != one.old_id
    )


def _read_contents(contents: Objects, change: TreeChange) -> tuple[bytes, bytes]:
    return (
        b"" if change.change_type is ChangeType.CREATED else contents.read_object(change.old_id),
        b"" if change.change_type is ChangeType.DELETED else contents.read_object(change.id),
    )


def _is_text(content: bytes) -> bool:
    """Return whether git would treat a content as text."""
    return b"\0" not in content[:_CHECKED_BYTES]


def file_parts(changed: Changed, words: Mapping[ChangeType, str]) -> list[StackPart]:
    """Return a row for each file, with `words` for what is done to it, and the diffs below; a
    single file only has its diff.
    """
    changes, diffs = changed
    if len(changes) == 1 and diffs:
        [change], [diff] = changes, diffs.values()
        is_shown = change.change_type is ChangeType.DELETED  # by the header of its diff
        around = HeaderParts(end="" if is_shown else words.get(change.change_type, ""))
        return [StackPart(DiffLines(diff, around=around))]
    rows = [StackPart(_row(one, words)) for one in changes[:MOST_FILES]]
    if len(changes) > MOST_FILES:
        rows.append(StackPart(TextLines(f"and {len(changes) - MOST_FILES:,} more", "muted")))
    shown = (diffs[one.path] for one in changes if one.path in diffs)
    return [*rows, *(StackPart(DiffLines(diff), gap=1) for diff in shown)]


def _row(change: TreeChange, words: Mapping[ChangeType, str]) -> LineColumn:
    name = shown_path(change.shown, None)
    word = words.get(change.change_type)
    return LineHead(
        lambda: [
            StyledSpan(f"{change.change_type.value} ", _STYLES[change.change_type]),
            StyledSpan(name),
        ],
        lambda: [*_lines(change), *([StyledSpan(f"  {word}", "muted")] if word else [])],
    )


def _lines(change: TreeChange) -> Iterator[StyledSpan]:
    if change.added is None or change.removed is None:
        yield StyledSpan(f"  {change.counted.value}", "muted")
    elif change.added or change.removed:
        yield StyledSpan(f"  +{change.added:,}", "success")
        yield StyledSpan(f" −{change.removed:,}", "error")
    elif change.change_type is ChangeType.CHANGED and change.id != change.old_id:
        yield StyledSpan("  only line ends differ", "muted")
    elif change.change_type is ChangeType.CHANGED:
        yield StyledSpan("  the permission to run", "muted")
    else:
        yield StyledSpan("  empty", "muted")


def height_of(changes: Sequence[TreeChange]) -> int:
    """Return the number of rows that some changes need at most, before their texts are read,
    assuming that no line wraps.
    """
    heads = len(changes) if len(changes) > 1 else 0
    return heads + sum(_height(one) for one in changes[:FILES])


def _height(change: TreeChange) -> int:
    if change.counted is LineCount.NOT_IN_TIME:
        return UNKNOWN
    lines = (change.added or 0) + (change.removed or 0)
    return 2 + lines + (2 * CONTEXT if change.change_type is ChangeType.CHANGED and lines else 0)


def format_sums(changes: Sequence[TreeChange]) -> tuple[str, str]:
    """Return the sums of added and removed lines as text; "" if a file's lines weren't counted."""
    if not changes or any(one.counted is LineCount.NOT_IN_TIME for one in changes):
        return "", ""
    added = sum(one.added or 0 for one in changes)
    removed = sum(one.removed or 0 for one in changes)
    return f"+{added:,}", f"−{removed:,}"


def format_names(names: Sequence[str]) -> str:
    """Return the first names, and the number of the others."""
    rest = len(names) - NAMED
    return ", ".join(map(visible_line, names[:NAMED])) + (f" and {rest} more" if rest > 0 else "")


def named_with_why(names: Sequence[tuple[str, str]]) -> str:
    """Return the first names, each with why the file isn't saved, and the number of the others."""
    return format_names([f"{name} ({why})" for name, why in names])
