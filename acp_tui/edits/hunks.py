"""Hunks: ranges of lines that replace others. Finds and reverts them, and formats unified diffs."""

import io
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acp_tui.edits.line_diff import compare_lines
from acp_tui.edits.steps import Steps
from acp_tui.protocol.content import Diff

CONTEXT = 3
"""Unchanged lines before and after a change in a patch."""


class LineHunk(NamedTuple):
    """Ranges of replaced and of replacing lines, counted from 0, the end exclusive."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class NotThereError(Exception):
    """A text doesn't contain what a hunk changes; the message says why not."""


def find_hunks(old: Sequence[str], new: Sequence[str]) -> Steps[list[LineHunk]]:
    """Find the hunks between two texts, in steps."""
    blocks = yield from compare_lines(old, new)
    return [LineHunk(*one[1:]) for one in blocks if not one.same]


def revert_hunk(old: str, new: str, hunk: LineHunk) -> str:
    """Return the new text with one hunk reverted."""
    before, after = split_lines(old), split_lines(new)
    kept = before[hunk.old_start : hunk.old_end]
    return "".join([*after[: hunk.new_start], *kept, *after[hunk.new_end :]])


def revert_hunk_in(file: str, old: str, new: str, hunk: LineHunk) -> str:
    """Return a file's text with one hunk reverted; `old` and `new` may be a part of the file.

    Raises NotThereError unless the file contains `new` exactly once.
    """
    undone = revert_hunk(old, new, hunk)
    if file == new:
        return undone
    count = file.count(new) if new else 0
    if count != 1:
        words = "stands in it more than once" if count else "isn't in it anymore"
        raise NotThereError(f"what is shown {words}")
    return file.replace(new, undone)


def format_patch(
    path: str,
    old: str | None,
    new: str | None,
    hunks: Sequence[LineHunk],
    *,
    from_top: bool = True,
    runs: bool = False,
    skipped: tuple[int, int] = (0, 0),
) -> str:
    """Format a patch of these hunks for `git apply`; a side that is None is a missing file.

    The path is relative to the top of the repository or, unless `from_top`, to the folder that the
    patch is applied in. A new file is executable if `runs`; only a patch from the top can express
    that. If the texts are a part of the file, `skipped` is the number of lines before it on each
    side.
    """
    names = [_name(f"a/{path}"), _name(f"b/{path}")]
    head = []
    if from_top:  # with this line git reads paths from the top, whichever folder it runs in
        head.append(f"diff --git {names[0]} {names[1]}\n")
        if old is None:
            head.append(f"new file mode {'100755' if runs else '100644'}\n")
        if new is None:
            head.append("deleted file mode 100644\n")
    if not hunks:
        return "" if len(head) == 1 else "".join(head)  # git rejects a header line alone
    before, after = split_lines(old or ""), split_lines(new or "")
    # Without the tab, git ends a name at its first blank.
    ends = ["\t" if " " in name else "" for name in names]
    head.append(f"--- {names[0]}{ends[0]}\n" if old is not None else "--- /dev/null\n")
    head.append(f"+++ {names[1]}{ends[1]}\n" if new is not None else "+++ /dev/null\n")
    return "".join([*head, *format_hunks(before, after, hunks, skipped)])


def format_hunks(
    before: list[str],
    after: list[str],
    hunks: Sequence[LineHunk],
    skipped: tuple[int, int] = (0, 0),
) -> Iterator[str]:
    """Yield hunks with context as parts of a unified diff, merged if their contexts overlap."""
    moved = 0
    for group in _groups(hunks):
        first, last = group[0], group[-1]
        lead = min(CONTEXT, first.old_start)
        tail = min(CONTEXT, len(before) - last.old_end)
        begin, end = first.old_start - lead, last.old_end + tail
        size = end - begin + sum(_grown(one) for one in group)
        old, new = begin + skipped[0], begin + moved + skipped[1]
        head = f"@@ -{_range(old, end - begin)} +{_range(new, size)} @@\n"
        yield "".join([head, *_marked(group, begin, end, before, after)])
        moved += sum(_grown(one) for one in group)


def has_surroundings(old: str, hunks: Sequence[LineHunk]) -> bool:
    """Return whether there are unchanged lines before and after the hunks.

    Without them, git would apply the patch of a file's part only at the start or end of the file.
    """
    return bool(hunks) and hunks[0].old_start > 0 and hunks[-1].old_end < len(split_lines(old))


def split_lines(text: str) -> list[str]:
    """Split a text into lines with their endings; only a newline ends a line."""
    return list(io.StringIO(text, newline="\n"))


def _groups(hunks: Sequence[LineHunk]) -> list[list[LineHunk]]:
    """Group hunks whose contexts overlap."""
    groups: list[list[LineHunk]] = []
    for hunk in hunks:
        if not groups or hunk.old_start - groups[-1][-1].old_end > 2 * CONTEXT:
            groups.append([])
        groups[-1].append(hunk)
    return groups


def _marked(
    group: list[LineHunk], begin: int, end: int, before: list[str], after: list[str]
) -> Iterator[str]:
    at = begin
    for hunk in group:
        yield from (_line(" ", line) for line in before[at : hunk.old_start])
        yield from (_line("-", line) for line in before[hunk.old_start : hunk.old_end])
        yield from (_line("+", line) for line in after[hunk.new_start : hunk.new_end])
        at = hunk.old_end
    yield from (_line(" ", line) for line in before[at:end])


def _line(sign: str, line: str) -> str:
    return (
        f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"
    )


def _grown(hunk: LineHunk) -> int:
    return (hunk.new_end - hunk.new_start) - (hunk.old_end - hunk.old_start)


def _range(begin: int, size: int) -> str:
    """Format a line range, counted from 1; an empty range names the line before it."""
    first = begin + 1 if size else begin
    return f"{first}" if size == 1 else f"{first},{size}"


def _name(path: str) -> str:
    """Format a path as git does: quoted if it has special characters."""
    if not re.search(r'[\x00-\x1f\x7f"\\]', path):
        return path
    octal = re.sub(r"[\x00-\x1f\x7f]", lambda one: f"\\{ord(one[0]):03o}", _escaped(path))
    return f'"{octal}"'


def _escaped(path: str) -> str:
    return path.replace("\\", "\\\\").replace('"', '\\"')


def format_unified_diff(diff: Diff) -> Steps[str]:
    """Format a diff as a unified diff, in steps; only its header if nothing changed."""
    old, new = split_lines(diff.old_text or ""), split_lines(diff.new_text)
    hunks = yield from find_hunks(old, new)
    path = diff.path.replace("\n", " ")
    out = [
        f"--- {path if diff.old_text is not None else '/dev/null'}\n",
        f"+++ {path if new else '/dev/null'}\n",
    ]
    for hunk in format_hunks(old, new, hunks):
        out.append(hunk)
        yield
    return "".join(out)
