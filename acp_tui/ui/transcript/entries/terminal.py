"""Terminals that no tool call shows."""

from collections.abc import Sequence

from acp_tui.formatting import running_duration
from acp_tui.state.entries import TerminalEntry
from acp_tui.ui.lines.stack import StackPart
from acp_tui.ui.lines.text_lines import LineHead, StyledSpan
from acp_tui.ui.terminal.terminal_lines import TerminalLines
from acp_tui.ui.transcript.entries.context import Context, Fold
from acp_tui.ui.transcript.entries.entry_view import EntryView


class TerminalView(EntryView[TerminalEntry]):
    """The last lines of a terminal, all of them in full; nothing once a tool call shows it."""

    foldable = False

    def __init__(self, entry: TerminalEntry, context: Context) -> None:
        super().__init__(entry, context)
        self._lines: TerminalLines | None = None
        self._running = StackPart(LineHead(self._clock))

    def choose(self, fold: Fold | None) -> None:
        super().choose(fold)
        self._lines = None

    @property
    def live(self) -> bool:
        terminal = self.context.state.terminals.get(self.entry.terminal_id)
        return terminal is not None and terminal.ended is None and not self.entry.embedded

    @property
    def clock_lines(self) -> Sequence[int]:
        return (self.height - 1,)

    @property
    def terminals(self) -> list[str]:
        return [self.entry.terminal_id]

    @property
    def has_more(self) -> bool:
        return True

    def is_client_note(self, line: int) -> bool:
        lines = self._lines
        return lines is not None and line < lines.height and lines.is_client_note(line)

    def sync(self) -> bool:
        terminal = self.context.state.terminals.get(self.entry.terminal_id)
        parts = []
        if terminal is not None and not self.entry.embedded:
            if self._lines is None:
                self._lines = TerminalLines(terminal, tail=None if self.fold is Fold.FULL else 10)
            parts.append(StackPart(self._lines))
            if terminal.ended is None:
                parts.append(self._running)
        self.replace(parts)
        self.touch(0)
        return True

    def _clock(self) -> list[StyledSpan]:
        time = running_duration(self.context.clock() - self.entry.at)
        terminal = self.context.state.terminals[self.entry.terminal_id]
        session = self.context.session
        in_background = bool(terminal.named) and session.is_in_background(terminal.named)
        word = "running in the background" if in_background else "running"
        if terminal.stop_requested:
            time += " · asked to stop"
        elif terminal.can_cancel:
            time += " · x stops it"
        return [
            StyledSpan(f"{self.context.spinner} {word}", "accent"),
            StyledSpan(f" {time}", "muted"),
        ]
