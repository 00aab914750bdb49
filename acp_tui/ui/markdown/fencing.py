"""An agent's Markdown within an exported page: nothing in it reaches beyond its place."""

import re

from acp_tui.edits.steps import Steps
from acp_tui.ui.markdown.blocks import BlockReader
from acp_tui.ui.markdown.leaves import Leaf

LINES_AT_ONCE = 64
"""How many lines are read between two steps."""
FRAGMENT = 4096
"""How many characters of a line are read at one time."""
DEEPEST = 6
"""The deepest level of a heading in Markdown."""


def close_fence(text: str, level: int = 0) -> Steps[str]:
    """Return the text with an open fence closed, and its headings below those of `level`; in steps."""
    blocks = yield from read_blocks(text)
    fence = blocks.fence
    blocks.close()
    # A list or a quote ends where the next heading of ours begins, and its fence with it.
    reaches = fence is not None and not blocks.leaves[-1].path
    headings = [leaf for leaf in blocks.leaves if leaf.kind == "heading"] if level else []
    lowered = _lowered(text, headings, level)
    if fence is None or not reaches:
        return lowered
    return f"{lowered.rstrip()}\n{fence.char * fence.size}"


def read_blocks(text: str) -> Steps[BlockReader]:
    """Read a whole text into blocks, of which the last is not closed; in steps."""
    blocks = BlockReader()
    at = 0
    for number, line in enumerate(text.split("\n")):
        end = at + len(line)
        for start in range(at, max(end, at + 1), FRAGMENT):
            stop = min(start + FRAGMENT, end)
            blocks.read_line(text[start:stop], at, end, whole=stop == end)
        at = end + 1
        if number % LINES_AT_ONCE == 0:
            yield
    return blocks


def _lowered(text: str, headings: list[Leaf], level: int) -> str:
    pieces = []
    at = 0
    for leaf in headings:
        marks = "#" * min(DEEPEST, level + leaf.level)
        pieces += [text[at : leaf.start], _heading(text[leaf.start : leaf.end], leaf, marks)]
        at = leaf.end
    return "".join([*pieces, text[at:]])


def _heading(source: str, leaf: Leaf, marks: str) -> str:
    """Return a heading with other marks; one that was underlined stands on one line then."""
    if "\n" not in source:
        return re.sub("#{1,6}", marks, source, count=1)
    before = source[: source.index(leaf.text.split("\n")[0])]
    return f"{before}{marks} {' '.join(leaf.text.split())}"
