"""The screen that lists the differences between two turns or two frames."""

from collections.abc import Iterator
from typing import TypeVar

from anyio.lowlevel import checkpoint
from textual.content import Content

from acp_tui.debug.compare.comparison import Comparison, DifferenceKind
from acp_tui.debug.compare.report import comparison_text
from acp_tui.edits.steps import Steps
from acp_tui.ui.keys import DIFFERENCES
from acp_tui.ui.toolkit.screens import Page

T = TypeVar("T")
MOST_LINES = 1000
"""Most lines shown."""
_STYLES = {
    DifferenceKind.NEW: "$success",
    DifferenceKind.GONE: "$error",
    DifferenceKind.CHANGED: "$warning",
    DifferenceKind.SLOWER: "$accent",
}


class DifferencesScreen(Page):
    """The differences in the order of the turn; the last line counts them."""

    BINDINGS = DIFFERENCES
    PLACE = "differences"

    def __init__(self, found: Comparison, title: str) -> None:
        super().__init__(title, _draw_differences(found))


def _draw_differences(found: Comparison) -> Iterator[Content]:
    lines = list(comparison_text(found))
    yield from map(_draw_line, lines[1:MOST_LINES] if found.differences else lines)
    if len(lines) > MOST_LINES:
        yield Content.styled("and more: acp-tui diff shows all", "$text-muted")


def _draw_line(line: str) -> Content:
    """Color the word that names the kind of difference."""
    kind = line.strip().partition(" ")[0]
    for one, style in _STYLES.items():
        if kind == one and line.startswith("  ") and not line.startswith("   "):
            return Content.assemble("  ", (kind, style), line[2 + len(kind) :])
    return Content(line)


async def take_steps(steps: Steps[T]) -> T:
    """Run all steps to their result; let other tasks run between them."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        await checkpoint()
