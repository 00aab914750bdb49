"""A change of a file as a unified diff, for `patch` and `git apply`."""

import io
from collections.abc import Iterator, Sequence

from acp_tui.edits.line_diff import DiffBlock, compare
from acp_tui.edits.steps import Steps
from acp_tui.protocol.content import Diff

CONTEXT = 3
"""Unchanged lines around a change."""


def unified(diff: Diff) -> Steps[str]:
    """Return the diff, in steps; only its header if nothing changed."""
    old, new = _lines(diff.old_text or ""), _lines(diff.new_text)
    blocks = list((yield from compare(old, new)))
    path = diff.path.replace("\n", " ")
    out = [
        f"--- {path if diff.old_text is not None else '/dev/null'}\n",
        f"+++ {path if new else '/dev/null'}\n",
    ]
    for hunk in _hunks(blocks):
        out += _hunk(hunk, old, new)
        yield
    return "".join(out)


def _lines(text: str) -> list[str]:
    """Return lines with their endings; only a newline ends a line."""
    return list(io.StringIO(text, newline="\n"))


def _hunks(blocks: Sequence[DiffBlock]) -> Iterator[list[DiffBlock]]:
    """Yield hunks: changed blocks with context."""
    hunk: list[DiffBlock] = []
    for index, block in enumerate(blocks):
        size = block.old_end - block.old_start
        last = index == len(blocks) - 1
        if not block.same or (hunk and not last and size <= 2 * CONTEXT):
            hunk.append(block)
            continue
        if hunk:
            yield [*hunk, _part(block, 0, CONTEXT)]
        hunk = [] if last else [_part(block, size - CONTEXT, size)]
    if hunk:
        yield hunk


def _part(block: DiffBlock, start: int, end: int) -> DiffBlock:
    """Return a range of an unchanged block, within its bounds."""
    size = block.old_end - block.old_start
    start, end = max(0, start), min(end, size)
    old, new = block.old_start, block.new_start
    return DiffBlock(True, old + start, old + end, new + start, new + end)


def _hunk(blocks: Sequence[DiffBlock], old: list[str], new: list[str]) -> Iterator[str]:
    first, last = blocks[0], blocks[-1]
    yield (
        f"@@ -{_range(first.old_start, last.old_end)} +{_range(first.new_start, last.new_end)} @@\n"
    )
    for block in blocks:
        if block.same:
            yield from _signed(" ", new[block.new_start : block.new_end])
        else:
            yield from _signed("-", old[block.old_start : block.old_end])
            yield from _signed("+", new[block.new_start : block.new_end])


def _range(start: int, end: int) -> str:
    return f"{start + 1 if end > start else start},{end - start}"


def _signed(sign: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield sign + line
        if not line.endswith("\n"):
            yield "\n\\ No newline at end of file\n"
