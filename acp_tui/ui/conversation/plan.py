"""The plan, pinned over the prompt while it is not done."""

from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget

from acp_tui.protocol.updates import PlanEntry
from acp_tui.text import clean_line

ROWS = 8
"""How many entries an open plan shows at a time."""
CELLS = 10
"""How long the bar of progress is."""

_MARKS = {
    "completed": ("✔", "$success", "$text-muted"),
    "in_progress": ("▸", "bold $primary", "bold $foreground"),
    "pending": ("○", "$text-muted", "$foreground"),
}


class PlanPanel(Widget):
    """One row with progress and the current entry; opened, the entries around it."""

    def __init__(self) -> None:
        super().__init__()
        self._plan: Sequence[PlanEntry] = ()
        self._open = False
        self.display = False

    def show(self, plan: Sequence[PlanEntry]) -> None:
        """Show this plan if anything in it is left to do."""
        self._plan = plan
        self.display = any(entry.status != "completed" for entry in plan)
        self.refresh(layout=True)

    def toggle(self) -> None:
        """Open or fold."""
        self._open = not self._open
        self.refresh(layout=True)

    def render(self) -> Content:
        width = max(1, self.content_size.width)
        rows = [self._head(), *(self._entries() if self._open else ())]
        return Content("\n").join(row.truncate(width, ellipsis=True) for row in rows)

    def _head(self) -> Content:
        done = sum(entry.status == "completed" for entry in self._plan)
        filled = CELLS * done // len(self._plan) if self._plan else 0
        current = self._plan[self._current()] if self._plan else None
        return Content.assemble(
            ("Plan ", "bold"),
            ("━" * filled, "$success"),
            ("─" * (CELLS - filled), "$text-muted"),
            (f" {done}/{len(self._plan)}", "bold"),
            ("" if self._open or current is None else f"  ▸ {clean_line(current.content)}", ""),
        )

    def _current(self) -> int:
        for status in ("in_progress", "pending"):
            for index, entry in enumerate(self._plan):
                if entry.status == status:
                    return index
        return 0

    def _entries(self) -> list[Content]:
        first = max(0, min(self._current() - 2, len(self._plan) - ROWS))
        last = first + ROWS
        rows = [_row(entry) for entry in self._plan[first:last]]
        if len(self._plan) > last:
            rows[-1] = Content.styled(f"  … {len(self._plan) - last + 1} more", "$text-muted")
        return rows


def _row(entry: PlanEntry) -> Content:
    mark, mark_style, style = _MARKS[entry.status]
    priority = " (high)" if entry.priority == "high" and entry.status != "completed" else ""
    return Content.assemble(
        (f"  {mark} ", mark_style), (clean_line(entry.content), style), (priority, "$warning")
    )
