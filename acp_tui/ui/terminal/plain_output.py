"""Turn a program's output into plain lines, as a terminal shows it, without colors."""

from acp_tui.ui.terminal.screen import TerminalScreen
from acp_tui.ui.terminal.stream import TerminalStream

COLUMNS = 200
"""The width for which the output is drawn; longer lines are joined again."""


class _OutputScreen(TerminalScreen):
    """Remembers the rows that were broken only because the screen was too narrow."""

    def __init__(self, scrollback: int) -> None:
        self.broken: set[int] = set()
        super().__init__(COLUMNS, scrollback)

    def _wrap(self, cells: int) -> None:
        if self.cursor.x + cells > self.columns:
            self.broken.add(self.scrolled + self.cursor.y)
        super()._wrap(cells)


def plain_lines(output: bytes) -> list[str]:
    """Return all lines of an output as a terminal shows them, scrolled off or not."""
    screen = _OutputScreen(scrollback=len(output))
    stream = TerminalStream(screen)
    for _ in stream.play(output.decode("utf-8", "replace")):
        pass
    stream.finish()
    lines: list[str] = []
    line = ""
    for number, row in enumerate((*screen.scrollback, *screen.rows(), ()), screen.lost):
        line += "".join(text for text, *_ in row)
        if number in screen.broken:
            # A row is without the blanks at its end, which are a part of its line.
            line += " " * (-len(line) % COLUMNS if line.isascii() else 0)
        else:
            lines.append(line.rstrip())
            line = ""
    while lines and not lines[-1]:
        del lines[-1]
    return lines
