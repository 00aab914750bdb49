"""A terminal that no tool call shows."""

from acp_tui.session.entries import TerminalEntry
from acp_tui.ui.transcript.durations import running
from acp_tui.ui.transcript.entry_view import EntryView, Fold
from acp_tui.ui.transcript.stack import Part
from acp_tui.ui.transcript.stand_ins import TerminalLines
from acp_tui.ui.transcript.text_lines import Head, Span


class TerminalView(EntryView[TerminalEntry]):
    """The last lines of a terminal, all of them when opened; nothing once it is shown elsewhere."""

    foldable = False

    @property
    def live(self) -> bool:
        terminal = self.context.state.terminals.get(self.entry.terminal_id)
        return terminal is not None and terminal.ended is None and not self.entry.embedded

    @property
    def clock_line(self) -> int:
        return self.height - 1

    @property
    def terminals(self) -> list[str]:
        return [self.entry.terminal_id]

    @property
    def has_more(self) -> bool:
        return True

    def sync(self) -> bool:
        terminal = self.context.state.terminals.get(self.entry.terminal_id)
        parts = []
        if terminal is not None and not self.entry.embedded:
            tail = None if self.fold is Fold.FULL else 10
            parts.append(Part(TerminalLines(terminal, tail=tail)))
            if terminal.ended is None:
                parts.append(Part(Head(self._running)))
        self.replace(parts)
        return True

    def _running(self) -> list[Span]:
        time = running(self.context.clock() - self.entry.at)
        return [Span(f"{self.context.spinner} running", "accent"), Span(f" {time}", "muted")]
