"""The content of a tool call in a few lines, for a person to judge by."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import unified_diff
from itertools import groupby, takewhile

from acp_tui.headless.rows import MARK
from acp_tui.protocol.content import ContentItem, Diff, FileChange, TextContent
from acp_tui.review.line_ends import BOM, ends_hidden, ends_note, is_dos
from acp_tui.session.file_changes import words
from acp_tui.session.renames import Item, Renamed
from acp_tui.session.subject import one_line
from acp_tui.text import count_blanks, is_blank

MOST_LINES = 40
"""How many lines of one piece of content are shown."""
CONTEXT = 3
"""How many unchanged lines stand around what changed."""
MOST_EMPTY = 4
"""How many empty lines are shown one below the other."""
LONGEST_LINE = 500
"""How many characters of one line are shown."""
_MOST_COMPARED = 2000
"""Lines of a text above which it is not compared: that takes the square of them."""


def describe_content(item: Item) -> list[str]:
    """Describe a piece of content in lines of a question."""
    match item:
        case Renamed(source=source, diff=diff):
            before, after = diff.old_text, diff.new_text
            return [
                marked(f"{one_line(source)} → {one_line(diff.path)} (renamed)"),
                *(diff_lines(before, after) if before != after else ()),
            ]
        case Diff(path=path, old_text=old, new_text=new):
            return [marked(one_line(path)), *diff_lines(old, new)]
        case FileChange(patch=patch):
            return [marked(words(item)), *cut(count_blanks(patch or "").splitlines())]
        case ContentItem(content=TextContent(text=text)):
            return cut(count_blanks(text).splitlines())
        case ContentItem(content=content):
            return [marked(f"[{content.type}]")]
    return []


def diff_lines(old: str | None, new: str) -> list[str]:
    """Make a unified diff of a file; `old` is None for a new one."""
    note = ends_note(old, new)
    any_ends = ends_hidden(old, new) or (is_dos(old or "") and is_dos(new))
    before, after = _lines(old or "", any_ends), _lines(new, any_ends)
    lines = (_visible(line) for line in _without_empty(_differences(before, after)))
    shown = [*([f"  {note}"] if note else []), *cut(list(lines))]
    if old and new and old.endswith("\n") != new.endswith("\n"):
        change = "removed" if old.endswith("\n") else "added"
        shown.append(f"  the last newline is {change}")
    return shown or ["  (nothing changes)"]


def _lines(text: str, any_ends: bool) -> list[str]:
    """Return lines to compare; their carriage returns are dropped if `any_ends` are as good as others."""
    lines = text.removesuffix("\n").split("\n") if text else []
    if any_ends:
        lines = [line.removesuffix("\r") for line in lines]
        lines[:1] = [line.removeprefix(BOM) for line in lines[:1]]
    return lines


def _visible(line: str) -> str:
    """Count long runs of blanks first: then the carriage returns that are left fill no screen."""
    return count_blanks(line).replace("\r", "␍")


def _without_empty(lines: Iterable[str]) -> Iterator[str]:
    """Lines with a sign each, of which many empty ones are counted."""
    for (sign, empty), run in groupby(lines, lambda line: (line[:1], is_blank(line[1:]))):
        found = list(run)
        many = empty and len(found) > MOST_EMPTY
        yield from [f"{sign}⋯ {len(found):,} empty lines"] if many else found


def _differences(before: list[str], after: list[str]) -> Iterator[str]:
    first = _same(zip(before, after, strict=False))
    rest = min(len(before), len(after)) - first
    last = min(_same(zip(reversed(before), reversed(after), strict=False)), rest)
    start, end = max(0, first - CONTEXT), max(0, last - CONTEXT)
    before, after = before[start : len(before) - end], after[start : len(after) - end]
    if max(len(before), len(after)) > _MOST_COMPARED:
        yield f"{len(before):,} lines become {len(after):,}; the new ones:"
        yield from (f"+{line}" for line in after)
        return
    for line in list(unified_diff(before, after, n=CONTEXT, lineterm=""))[2:]:
        yield "@@" if line.startswith("@@ ") else line


def _same(pairs: Iterable[tuple[str, str]]) -> int:
    """How many pairs are equal before the first that is not."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def cut(lines: Sequence[str]) -> list[str]:
    """Mark the first of these lines, and count the others."""
    return bounded([marked(line) for line in lines[:MOST_LINES]], len(lines))


def marked(line: str) -> str:
    """Mark a line of a question that is the agent's from its first word on."""
    return f"  {MARK}{line}"


def bounded(lines: list[str], count: int) -> list[str]:
    """Cut lines that are too long, and say how many of `count` are missing."""
    short = [
        line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}… ({len(line):,} characters)"
        for line in lines
    ]
    more = count - len(lines)
    return [*short, f"  … {more:,} more lines"] if more > 0 else short
