"""The agent's plan: one line with its progress, all entries when opened (ACP: Agent Plan)."""

from collections.abc import Sequence

from acp_tui.formatting import counted
from acp_tui.protocol.updates import PlanEntry
from acp_tui.state.entries import PlanSnapshot
from acp_tui.ui.lines.stack import StackPart
from acp_tui.ui.lines.text_lines import LineHead, StyledSpan, TextLines
from acp_tui.ui.toolkit.shortened import MARKED_STATUSES, step_words
from acp_tui.ui.transcript.entries.context import Context, Fold
from acp_tui.ui.transcript.entries.entry_view import EntryView

MARKS = {
    "completed": ("☑", "task.done"),
    "in_progress": ("▶", "accent"),
    "pending": ("☐", "text"),
    "cancelled": ("⊘", "muted"),
}


class PlanView(EntryView[PlanSnapshot]):
    """A plan within one turn, with its earlier versions."""

    def __init__(self, entry: PlanSnapshot, context: Context) -> None:
        super().__init__(entry, context)
        self._head = StackPart(LineHead(self._title))

    @property
    def kind(self) -> str:
        return "plans"

    def sync(self) -> bool:
        parts = [self._head]
        if self.fold is not Fold.FOLDED:
            parts += [StackPart(entry_line(entry), indent=2) for entry in self.entry.versions[-1]]
            parts += self._history()
        self.replace(parts)
        return True

    def _title(self) -> list[StyledSpan]:
        plan = self.entry.versions[-1]
        spans = [
            StyledSpan("≣ ", "accent"),
            StyledSpan(f"Plan {plan_progress(plan)}", "strong", {"toggle": True}),
        ]
        current = next((entry for entry in plan if entry.status == "in_progress"), None)
        if current is not None and self.fold is Fold.FOLDED:
            spans.append(
                StyledSpan(f"  ▶ {step_words(current.content)}", "muted", {"toggle": True})
            )
        return spans

    @property
    def has_more(self) -> bool:
        return len(self.entry.versions) > 1

    def _history(self) -> list[StackPart]:
        """Return the number of earlier versions in one line; in full, a line for each."""
        if self.has_more and self.fold is not Fold.FULL:
            count = counted(len(self.entry.versions) - 1, "earlier version")
            return [
                StackPart(
                    LineHead(lambda: [StyledSpan(f"▸ {count}", "muted", {"toggle": True})]), 2
                )
            ]
        lines = []
        for number, plan in enumerate(self.entry.versions[:-1], 1):
            text = f"version {number}: {plan_progress(plan)}"
            current = [entry.content for entry in plan if entry.status == "in_progress"]
            lines.append(f"{text} ▶ {step_words(current[0])}" if current else text)
        return [StackPart(TextLines("\n".join(lines), "muted"), indent=2)] if lines else []


def plan_progress(plan: Sequence[PlanEntry]) -> str:
    """Return a plan's progress, as in `2/5`; a plan without entries was cleared."""
    completed = sum(entry.status == "completed" for entry in plan)
    return f"{completed}/{len(plan)}" if plan else "cleared"


def entry_line(entry: PlanEntry) -> TextLines:
    """Return a plan entry with a mark for its status; the priority is named unless it is medium."""
    mark, style = MARKS.get(entry.status, ("•", "text"))
    notes: list[str] = [] if entry.priority == "medium" else [entry.priority]
    notes += [] if entry.status in MARKED_STATUSES else [entry.status]
    suffix = f"  ({', '.join(notes)})" if notes else ""
    return TextLines(f"{step_words(entry.content)}{suffix}", style, mark=f"{mark} ")
