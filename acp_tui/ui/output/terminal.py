"""All that goes to our own terminal, whatever it takes and however long it needs."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress

from acp_tui.ui.output.display import Display
from acp_tui.ui.output.grid import Grid
from acp_tui.ui.output.outbox import Outbox

ERASING = ("xterm", "linux", "alacritty", "foot", "ghostty", "kitty", "konsole", "rxvt", "wezterm")
"""Terminals that erase with the background in use."""
BETWEEN = ("STY", "TERMINAL_EMULATOR", "INSIDE_EMACS")
"""What GNU screen and others set, which call themselves one of those and may not."""


class TerminalOutput:
    """A terminal that gets frames of a display, and whatever else is written, in its order.

    Must be made in the event loop.
    """

    def __init__(self, file: int, table: Mapping[int, str] | None) -> None:
        self._file = file
        self._table = table
        self._outbox = Outbox(file, self._taken, table)
        self._loop = asyncio.get_running_loop()
        grid = Grid(erases_in_color=erases_in_color(os.environ))
        self.display = Display(grid, self.write, lambda: self._outbox.is_busy)

    def write(self, text: str) -> None:
        """Write a text; never waits for the terminal."""
        self._outbox.send(text)

    def start(self) -> None:
        """Write from now on."""
        self._outbox = Outbox(self._file, self._taken, self._table)
        self._outbox.start()

    def end(self, seconds: float) -> bool:
        """Write what is left, for so many seconds at most; whether that was enough."""
        return self._outbox.end(seconds)

    def _taken(self) -> None:
        """Called by the thread that writes: the terminal has taken all."""
        if self.display.is_late:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self.display.go_on)


def erases_in_color(environ: Mapping[str, str]) -> bool:
    """Whether the terminal is one of those that erase with the background that is in use."""
    between = any(environ.get(name) for name in BETWEEN)
    return not between and environ.get("TERM", "").startswith(ERASING)
