"""The plan, pinned above the prompt until it is done."""

from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget

from acp_tui.protocol.updates import PlanEntry
from acp_tui.text import clean_line
from acp_tui.ui.toolkit.shortened import MARKED_STATUSES, step_words

ENTRIES = 8
"""Most entries that an open plan shows, if there is room."""
SHARE = 0.4
"""The fraction of the screen that the plan may take."""
LINES = 3
"""Most lines of an entry."""
OPEN = 3
"""Fewest rows of an open plan: its head, an entry, and the number of further ones."""
INDENT = 4
"""Cells before the text of an entry: its mark and the blanks around it."""

CELLS = 10
"""Cells of the progress bar."""

_STYLES = {
    "completed": ("☑", "$success", "$text-muted"),
    "in_progress": ("▶", "bold $primary", "bold $foreground"),
    "pending": ("☐", "$text-muted", "$foreground"),
    "cancelled": ("⊘", "$text-muted", "$text-muted"),
}
_FINISHED = ("completed", "cancelled")
"""Statuses of finished entries. The marks are the same as in the transcript."""


class PlanPanel(Widget):
    """One row with the progress and the current entry; when open, the entries around it."""

    def __init__(self) -> None:
        super().__init__()
        self._plan: Sequence[PlanEntry] = ()
        self._followed = False
        self._open = False
        self._is_reread = False
        """Whether a finished plan was opened again."""
        self._most: int | None = None
        self.display = False

    def show(self, plan: Sequence[PlanEntry], *, followed: bool) -> None:
        """Show a plan that isn't finished.

        `followed` is whether a turn is running that may continue it.
        """
        self._plan = plan
        self._followed = followed
        is_unfinished = any(entry.status not in _FINISHED for entry in plan)
        self._is_reread = self._is_reread and bool(plan) and not is_unfinished
        self.display = is_unfinished or self._is_reread
        self.set_class(not self._open, "-folded")
        self.refresh(layout=True)

    def toggle(self) -> None:
        """Open or fold the plan; a finished one is opened or hidden."""
        if self.display and not self._is_reread:
            self._open = not self._open
        elif self._plan:
            self._is_reread = self._open = self.display = not self._is_reread
        self.set_class(not self._open, "-folded")
        self.refresh(layout=True)

    def limit_rows(self, most: int | None) -> bool:
        """Limit the plan to `most` rows if something else needs the room. Return whether it has to
        be laid out again.
        """
        before, self._most = self._most, most
        if most == before or not (self.display and self._open):
            return False
        self.refresh(layout=True)
        return True

    @property
    def _shown(self) -> bool:
        """Whether the plan is open, and has room to be."""
        return self._open and (self._most is None or self._most >= OPEN)

    def render(self) -> Content:
        width = max(1, self.content_size.width)
        rows = [self._head(), *(self._entries(width) if self._shown else ())]
        if not self._followed:
            rows = [Content.styled(row.plain, "$text-muted") for row in rows]
        return Content("\n").join(row.truncate(width, ellipsis=True) for row in rows)

    def _head(self) -> Content:
        completed = sum(entry.status == "completed" for entry in self._plan)
        filled = CELLS * completed // len(self._plan) if self._plan else 0
        return Content.assemble(
            ("Plan ", "bold"),
            ("━" * filled, "$success"),
            ("─" * (CELLS - filled), "$text-muted"),
            (f" {completed}/{len(self._plan)}", "bold"),
            self._where(),
        )

    def _where(self) -> str:
        if self._is_reread:
            return "  all done"
        if not self._followed:
            return "  not finished"
        return "" if self._shown else f"  ▶ {_step_text(self._plan[self._current()])}"

    def _current(self) -> int:
        for status in ("in_progress", "pending"):
            for index, entry in enumerate(self._plan):
                if entry.status == status:
                    return index
        return 0

    def _entries(self, width: int) -> list[Content]:
        """Return the entries around the current one that fit, and the number of those after them.

        If there is little room, later entries take precedence over finished ones.
        """
        most = int(self.app.size.height * SHARE)
        room = max(1, min(most, self._most or most) - 1)
        current, count = self._current(), len(self._plan)
        first = max(0, min(current - 2, count - ENTRIES))
        entries = [_rows(entry, width) for entry in self._plan[first : first + ENTRIES]]
        while first < current and _height(entries) > room:
            before = current - first
            fits = _height(entries[: before + 1]) < room
            if fits and _height(entries[:before]) <= room // 3:
                break
            first += 1
            del entries[0]
        while len(entries) > 1 and _height(entries) + (first + len(entries) < count) > room:
            del entries[-1]
        rows = [row for entry in entries for row in entry]
        if left := count - first - len(entries):
            rows.append(Content.styled(f"  … {left} more", "$text-muted"))
        return rows


def _step_text(entry: PlanEntry) -> str:
    return clean_line(step_words(entry.content))


def _height(entries: Sequence[Sequence[Content]]) -> int:
    return sum(map(len, entries))


def _rows(entry: PlanEntry, width: int) -> list[Content]:
    """Return an entry, wrapped with a hanging indent."""
    mark, mark_style, style = _STYLES.get(entry.status, ("•", "$text-muted", "$foreground"))
    notes: list[str] = (
        [] if entry.priority == "medium" or entry.status in _FINISHED else [entry.priority]
    )
    notes += [] if entry.status in MARKED_STATUSES else [entry.status]
    suffix = f" ({clean_line(', '.join(notes))})" if notes else ""
    words = Content.assemble((_step_text(entry), style), (suffix, "$warning"))
    room = max(1, width - INDENT)
    lines = words.wrap(room)
    if len(lines) > LINES:
        lines[LINES - 1 :] = [(lines[LINES - 1] + "…").truncate(room, ellipsis=True)]
    heads = [(f"  {mark} ", mark_style), *[(" " * INDENT, "")] * (len(lines) - 1)]
    return [Content.assemble(head, line) for head, line in zip(heads, lines, strict=True)]
