"""Compares the JSON of two frames line by line."""

from collections.abc import Callable
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from acp_tui.formatting import counted
from acp_tui.protocol.content import Diff
from acp_tui.ui.diff.diff_lines import DiffLines
from acp_tui.ui.inspector import bindings
from acp_tui.ui.lines.lines_view import LinesView
from acp_tui.ui.lines.stack import Stack, StackPart
from acp_tui.ui.toolkit.boxes import PAGE
from acp_tui.ui.toolkit.hints import WIDE, Hint, KeyHints
from acp_tui.ui.toolkit.screens import OverlayScreen

SAME = "both say the same"
ONLY_IDS = "only ids, times and folders differ"
KEYS: list[Hint] = [("n", "next difference"), ("N", "the one before")]
ALL: Hint = ("enter", "all lines")
CHANGED: Hint = ("enter", "only differences")
BACK: Hint = ("escape", "back")


class ComparedFrames(LinesView):
    """The lines of two frames; the first cell is for the mark."""

    def __init__(self, diff: DiffLines, settled: Callable[[], None]) -> None:
        super().__init__()
        self._diff = diff
        self._stack = Stack([StackPart(diff, indent=1)])
        self._settled = settled
        self.is_whole = False

    def on_mount(self) -> None:
        """Show the differences, with some lines around each."""
        self.show(self._stack)

    def _lay_out(self) -> None:
        self._diff.arrange(self.screen.size.width >= WIDE, self.is_whole)
        self._stack.touch(0)
        super()._lay_out()

    def laid_out(self) -> None:
        """Report that the number of differences is known."""
        self._settled()

    @property
    def differences(self) -> list[int]:
        """The first line of each difference."""
        return [first for first, _ in self._diff.change_rows()]

    @property
    def has_more(self) -> bool:
        """Whether unchanged lines are left out, or would be."""
        return self.is_whole or self._diff.has_folds

    def toggle_whole(self) -> None:
        """Show all lines, or only those around differences; remove the mark."""
        self.is_whole = not self.is_whole
        self.move_mark(None)
        self.update_lines()

    def step(self, by: int) -> None:
        """Mark the next difference (`by` 1) or the previous one (-1); wrap around at the ends."""
        rows = self.differences
        if not rows:
            return
        at = self.mark if self.mark is not None else (-1 if by > 0 else self._stack.height)
        beyond = [row for row in rows if (row - at) * by > 0] or rows
        self.move_mark(beyond[0 if by > 0 else -1])


class ComparisonScreen(OverlayScreen[None]):
    """Compares two frames, side by side if there is room, otherwise in one column."""

    DEFAULT_CLASSES = PAGE
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = bindings.COMPARISON  # type: ignore[assignment]

    def __init__(self, title: str, before: str, after: str, *, only_ids: bool) -> None:
        """Compare the texts `before` and `after`; with `only_ids`, they differ only in ids, times
        and folders.
        """
        super().__init__()
        diff = Diff(path="frame.json", old_text=f"{before}\n", new_text=f"{after}\n")
        self._title = title
        self._only_ids = only_ids
        self._count = Static(markup=False, id="count")
        self._view = ComparedFrames(DiffLines(diff, head=False), self._show_count)
        self._hints = KeyHints()

    def compose(self) -> ComposeResult:
        with Horizontal(id="head"):
            yield Static(Content.styled(self._title, "bold"), markup=False, id="frames")
            yield self._count
        yield self._view
        yield self._hints

    def _show_count(self) -> None:
        """Show the number of differences, and the keys that go to them."""
        differences = self._view.differences
        if not differences:
            words = SAME
        elif self._only_ids:
            words = ONLY_IDS
        else:
            words = counted(len(differences), "difference")
        self._count.update(words)
        whole = [CHANGED if self._view.is_whole else ALL] if self._view.has_more else []
        self._hints.show([*(KEYS if differences else []), *whole, BACK])

    def action_step(self, by: int) -> None:
        """Go to the next or previous difference."""
        self._view.step(by)

    def action_whole(self) -> None:
        """Show all lines, or only those around differences."""
        self._view.toggle_whole()

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines."""
        self._view.scroll_relative(y=lines, animate=False)

    def action_pages(self, pages: int) -> None:
        """Scroll by pages."""
        self.action_scroll(pages * max(1, self._view.size.height - 1))
