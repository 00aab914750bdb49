"""The header of a diff: the path, what happens to the file, and how many lines are added and
removed.
"""

from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from acp_tui.edits.line_diff import (
    DiffBlocks,
    compare_lines,
    describe_line_end_changes,
    estimate_counts,
)
from acp_tui.edits.shown_changes import Renamed, join_renames
from acp_tui.edits.steps import finish_steps
from acp_tui.protocol.content import Diff, ShownContent
from acp_tui.state.changed_files import ChangedFile
from acp_tui.text import clean_line
from acp_tui.ui.diff.side import sides_of
from acp_tui.ui.lines.cells import width_of
from acp_tui.ui.lines.text_lines import StyledSpan, crop_spans
from acp_tui.ui.lines.visible import shown_path
from acp_tui.ui.toolkit.shortened import path_end

BINARY_LOOK = 8000
"""Characters at the beginning that are searched for a NUL, which no text has."""
EXACT = 2000
"""Most lines that `count_changes` compares in order; in longer texts, it counts the lines that only
one of them has.
"""
LONGEST_COUNTED = 200_000
"""Most characters of a file's diffs that `count_file_changes` compares: it is called for each row
of a list.
"""


class HeaderParts(NamedTuple):
    """The texts around the path of a header: the action before it, a line number and text after it,
    and the word for a file left without text.
    """

    act: str = ""
    line: int | None = None
    end: str = ""
    deleted_word: str = "deleted"


NO_PARTS = HeaderParts()
NO_TEXT_LEFT = "no text left"
"""The word in a question about a file that is left without text: the agent may delete it or only
empty it.
"""


def format_file_header(
    diff: Diff,
    source: str | None,
    cwd: str | None,
    blocks: DiffBlocks | None,
    width: int,
    binary: bool,
    *,
    part: bool = False,
    around: HeaderParts = NO_PARTS,
) -> list[StyledSpan]:
    """Return the path, and how the file changes; `blocks` are None until they are known.

    A `binary` file isn't shown. A diff of only a `part` doesn't create or delete the file.
    """
    last = [StyledSpan(f"  {around.end}", "muted")] if around.end else []
    end = crop_spans(
        [*_state(diff, source, blocks, binary, part, around.deleted_word), *last],
        max(0, width * 2 // 3),
    )
    free = width - sum(width_of(span.text) for span in end)
    act = [StyledSpan(f"{around.act} ", "strong")] if around.act else []
    line = "" if around.line is None else f":{around.line}"
    path = clean_line(_path(diff, source, cwd)) + line
    return [
        *act,
        StyledSpan(path_end(path, free - sum(width_of(one.text) for one in act)), "strong"),
        *end,
    ]


def _path(diff: Diff, source: str | None, cwd: str | None) -> str:
    """Return the file's path; for a renamed file both paths, with a common folder only once."""
    if source is None:
        return shown_path(diff.path, cwd)
    before, after = PurePath(source), PurePath(diff.path)
    now = after.name if before.parent == after.parent else shown_path(str(after), cwd)
    return f"{shown_path(str(before), cwd)} → {now}"


def _state(
    diff: Diff,
    source: str | None,
    blocks: DiffBlocks | None,
    binary: bool,
    part: bool,
    deleted_word: str,
) -> list[StyledSpan]:
    old, new = diff.old_text, diff.new_text
    spans = []
    if source is not None:
        spans.append(StyledSpan("  renamed", "success"))
    elif not old and not part:
        spans.append(StyledSpan("  new file", "success"))
    elif not new and not part:
        spans.append(StyledSpan(f"  {deleted_word}", "error"))
    if binary:
        return [*spans, StyledSpan(f"  {format_binary_note(diff)}", "warning")]
    if blocks is None:
        return [*spans, StyledSpan("  comparing…", "muted")]
    added, removed = blocks.added, blocks.removed
    note = describe_line_end_changes(old, new)
    if note:  # before the counts, which are cut off first
        spans.append(StyledSpan(f"  {note}", "warning"))
    if not added and not removed and (source is not None or note):
        return spans
    if not added and not removed:
        return [*spans, StyledSpan("  empty" if not new and not part else "  no changes", "muted")]
    return [*spans, StyledSpan(f"  +{added:,}", "success"), StyledSpan(f" −{removed:,}", "error")]


def is_binary(diff: Diff) -> bool:
    """Return whether a side of a diff is binary."""
    return _has_binary(diff.old_text or "") or _has_binary(diff.new_text)


def format_binary_note(diff: Diff) -> str:
    """Describe a binary diff, whose lines are not shown."""
    return f"binary, not shown: {len(diff.old_text or ''):,} → {len(diff.new_text):,} characters"


def _has_binary(text: str) -> bool:
    head = text[:BINARY_LOOK]
    return "\0" in head or head.count("\ufffd") > len(head) // 10


def count_changes(diff: Diff) -> tuple[int, int]:
    """Return how many lines a diff adds and removes; for a large one, lines that only moved don't
    count.
    """
    old, new = sides_of(diff)
    if len(old.lines) + len(new.lines) > EXACT:
        return estimate_counts(old.keys, new.keys)
    blocks = finish_steps(compare_lines(old.keys, new.keys))
    return blocks.added, blocks.removed


def count_file_changes(file: ChangedFile) -> tuple[int, int] | None:
    """Return how many lines were added to a file, and removed; None if that isn't known."""
    if not file.diffs or sum(len(one.new_text) for one in file.diffs) > LONGEST_COUNTED:
        return None
    counts = [count_changes(one) for one in file.diffs]
    return sum(added for added, _ in counts), sum(removed for _, removed in counts)


class DiffCounts:
    """Counts the lines of text diffs; counts again only if the diffs have changed."""

    def __init__(self) -> None:
        self._diffs: list[Diff] = []
        self._added = 0
        self._removed = 0
        self._ends = ""

    def spans(self, content: Sequence[ShownContent]) -> list[StyledSpan]:
        """Return the counts, or a note on line ends if only those differ; empty without a diff."""
        diffs = [item for item in content if isinstance(item, Diff) and not is_binary(item)]
        if not diffs:
            return []
        if diffs != self._diffs:
            counts = [
                count_changes(item.diff if isinstance(item, Renamed) else item)
                for item in join_renames(diffs)
                if isinstance(item, Diff | Renamed)
            ]
            self._diffs = diffs
            self._added = sum(added for added, _ in counts)
            self._removed = sum(removed for _, removed in counts)
            self._ends = next(
                filter(
                    None, (describe_line_end_changes(one.old_text, one.new_text) for one in diffs)
                ),
                "",
            )
        if self._ends and not self._added and not self._removed:
            return [StyledSpan(f"{self._ends}  ", "warning")]
        return [
            StyledSpan(f"+{self._added}", "success"),
            StyledSpan(f" −{self._removed}  ", "error"),
        ]
