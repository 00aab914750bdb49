"""Formats the content of a tool call as lines and pages, for a permission question without a UI."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from acp_tui.edits.edits import describe_file_change
from acp_tui.edits.hunks import find_hunks, format_hunks
from acp_tui.edits.line_diff import BOM, describe_line_end_changes, ignores_line_ends, is_dos
from acp_tui.edits.shown_changes import JoinedContent, Renamed
from acp_tui.edits.steps import finish_steps
from acp_tui.headless.rows import MARK, MOST_EMPTY
from acp_tui.protocol.content import ContentItem, Diff, FileChange, TextContent
from acp_tui.text import count_blanks, is_blank, one_line, whole_line

PAGE = 100
"""Rows of a question that are printed at a time."""
ROW = 70
"""Characters per terminal row, for estimates."""
_LONGEST_PIECE = 40 * ROW
"""Longest piece of a line that is printed without a page break, in characters."""


def describe_content(item: JoinedContent) -> list[str]:
    """Format a piece of content as lines of a question."""
    match item:
        case Renamed(source=source, diff=diff):
            before, after = diff.old_text, diff.new_text
            return [
                mark_line(f"{whole_line(source)} → {whole_line(diff.path)} (renamed)"),
                *(diff_lines(before, after) if before != after else ()),
            ]
        case Diff(path=path, old_text=old, new_text=new):
            return [mark_line(whole_line(path)), *diff_lines(old, new)]
        case FileChange(patch=patch):
            paths = [line for path in item.paths for line in whole_if_cut(path)]
            return [mark_line(describe_file_change(item)), *paths, *marked_lines(patch or "")]
        case ContentItem(content=TextContent(text=text)):
            return marked_lines(text)
        case ContentItem(content=content):
            return [mark_line(f"[{content.type}]")]
    return []


def diff_lines(old: str | None, new: str) -> list[str]:
    """Return a unified diff of a file, as lines of a question; `old` is None for a new file."""
    note = describe_line_end_changes(old, new)
    any_ends = ignores_line_ends(old, new) or (is_dos(old or "") and is_dos(new))
    before, after = _lines(old or "", any_ends), _lines(new, any_ends)
    shown = [f"  {note}"] if note else []
    # Count blanks first: the signs for thousands of carriage returns would fill the screen.
    shown += [
        mark_line(count_blanks(line).replace("\r", "␍"))
        for line in _without_empty(_differences(before, after))
    ]
    if old and new and old.endswith("\n") != new.endswith("\n"):
        change = "removed" if old.endswith("\n") else "added"
        shown.append(f"  the last newline is {change}")
    return shown or ["  (nothing changes)"]


def _lines(text: str, any_ends: bool) -> list[str]:
    """Split a text into lines for a diff, each with a newline; with `any_ends` without carriage
    returns and BOM.
    """
    lines = text.removesuffix("\n").split("\n") if text else []
    if any_ends:
        lines = [line.removesuffix("\r") for line in lines]
        lines[:1] = [line.removeprefix(BOM) for line in lines[:1]]
    return [f"{line}\n" for line in lines]


def _without_empty(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines that begin with a diff's sign; long runs of empty lines are only counted."""
    for (sign, empty), run in groupby(lines, lambda line: (line[:1], is_blank(line[1:]))):
        found = list(run)
        many = empty and len(found) > MOST_EMPTY
        yield from [f"{sign}⋯ {len(found):,} empty lines"] if many else found


def _differences(before: list[str], after: list[str]) -> Iterator[str]:
    """Yield the lines of a unified diff, without the line numbers of its hunks."""
    for hunk in format_hunks(before, after, finish_steps(find_hunks(before, after))):
        yield from (
            "@@" if line.startswith("@@ ") else line for line in hunk.removesuffix("\n").split("\n")
        )


def marked_lines(text: str) -> list[str]:
    """Return the lines of a text of the agent's, each marked as such."""
    return [mark_line(line) for line in count_blanks(text).splitlines()]


def whole_if_cut(text: str) -> list[str]:
    """Return the whole text in a marked line if `one_line` would cut it; otherwise nothing."""
    whole = whole_line(text)
    return [] if one_line(text) == whole else [mark_line(whole)]


def mark_line(line: str) -> str:
    """Mark a line of a question as the agent's."""
    return f"  {MARK}{line}"


def split_pages(lines: Iterable[str]) -> list[list[str]]:
    """Split the lines of a question into pages. Nothing is left out: a long line continues on the
    next page.
    """
    pages: list[list[str]] = [[]]
    room = PAGE
    for piece in (piece for line in lines for piece in _pieces(line)):
        if room < count_rows(piece):
            pages.append([])
            room = PAGE
        pages[-1].append(piece)
        room -= count_rows(piece)
    return pages


def count_rows(line: str) -> int:
    """Estimate how many terminal rows a line needs."""
    return 1 + len(line) // ROW


def _pieces(line: str) -> Iterator[str]:
    yield line[:_LONGEST_PIECE]
    for at in range(_LONGEST_PIECE, len(line), _LONGEST_PIECE):
        yield mark_line(f"…{line[at : at + _LONGEST_PIECE]}")
