"""Writes all output to our own terminal, in a thread, as the terminal may be slow or stuck."""

import asyncio
import os
import select
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import SimpleQueue
from threading import Event, Thread
from time import perf_counter

from acp_tui.ui.output.display import Display
from acp_tui.ui.output.flow_control import QUERY, Act, Receipts, TerminalAllowance
from acp_tui.ui.output.grid import Grid

ERASING = ("xterm", "linux", "alacritty", "foot", "ghostty", "kitty", "konsole", "rxvt", "wezterm")
"""Prefixes of TERM for terminals that erase with the current background."""
BETWEEN = ("STY", "TERMINAL_EMULATOR", "INSIDE_EMACS")
"""Environment variables of GNU screen and other programs that claim to be such a terminal but may
behave differently.
"""


class Outbox(Thread):
    """Writes to a terminal in a thread; once the terminal is gone, output is dropped.

    Sending never blocks. `table` has replacements for characters that the terminal doesn't support;
    `emptied` is called in this thread once everything is written.
    """

    def __init__(
        self, file: int, emptied: Callable[[], object], table: Mapping[int, str] | None = None
    ) -> None:
        super().__init__(name="acp-tui-output", daemon=True)
        self._file = file
        self._emptied = emptied
        self.table = table
        self._waiting: SimpleQueue[str | None] = SimpleQueue()
        self._sent = self._written = 0
        self._has_hung_up = False

    @property
    def is_busy(self) -> bool:
        """Whether something remains to be written."""
        return self._sent != self._written

    def send(self, text: str) -> None:
        """Queue a text for writing. Call this from one thread only."""
        self._sent += 1
        self._waiting.put(text)

    def end(self, seconds: float) -> bool:
        """Write what is left for at most `seconds`; return whether that was enough."""
        self._waiting.put(None)
        self.join(seconds)
        return not self.is_alive()

    def run(self) -> None:
        while (text := self._waiting.get()) is not None:
            self._write_all(text if (table := self.table) is None else text.translate(table))
            self._written += 1
            if not self.is_busy:
                self._emptied()

    def _write_all(self, text: str) -> None:
        data = memoryview(text.encode("utf-8", "replace"))
        while data and not self._has_hung_up:
            try:
                data = data[os.write(self._file, data) :]
            except BlockingIOError:  # made non-blocking by another program that shares it
                select.select([], [self._file], [])
            except OSError:
                self._has_hung_up = True


class OutputTerminal:
    """A terminal that gets a display's frames and all other output, in order.

    Must be created in the event loop.
    """

    def __init__(self, file: int, table: Mapping[int, str] | None) -> None:
        self._file = file
        self._table = table
        self._outbox = Outbox(file, self._outbox_emptied, table)
        self._loop = asyncio.get_running_loop()
        grid = Grid(erases_in_color=erases_in_color(os.environ))
        self._allowance = TerminalAllowance(perf_counter)
        self._receipts = Receipts(perf_counter)
        self._retry: asyncio.TimerHandle | None = None
        self._asked = self._answered = 0
        self._heard = Event()
        """Set while no response is pending."""
        self._when_written: list[Act] = []
        self.display = Display(
            grid,
            self._send_frame,
            lambda: self._outbox.is_busy or self._allowance.is_exhausted,
            lambda: self._allowance.most,
        )

    def use_table(self, table: Mapping[int, str] | None) -> None:
        """Replace these characters from now on, as the terminal doesn't support them."""
        self._table = self._outbox.table = table

    def write(self, text: str) -> None:
        """Write a text without waiting for the terminal."""
        self._outbox.send(text)

    def start(self) -> None:
        """Start the writing thread."""
        self._outbox = Outbox(self._file, self._outbox_emptied, self._table)
        self._outbox.start()
        self._allowance.restart()
        self._asked = self._answered = 0
        for act in self._receipts.restart():
            self.when_shown(act)

    def when_shown(self, act: Act) -> None:
        """Call `act` once all drawn so far is shown, or written if no query is answered."""
        self.display.when_drawn(lambda: self._call_when_shown(act))

    def answered(self) -> None:
        """Handle a report of the cursor position from the terminal. May be called by any thread."""
        self._answered += 1
        if self._answered >= self._asked:
            self._heard.set()
        self._call_soon(self._handle_answer)

    def wait_for_answers(self, seconds: float) -> None:
        """Wait at most `seconds` for pending responses: the next program would read them."""
        if self._receipts.answers and self._asked:
            self._heard.wait(seconds)

    def end(self, seconds: float) -> bool:
        """Write what is left for at most `seconds`; return whether that was enough."""
        return self._outbox.end(seconds)

    def _send_frame(self, frame: str) -> None:
        asking = self._allowance.send(frame)
        if asking is not frame:
            self._expect_answer(is_measured=True)
        self.write(asking)
        if self._allowance.is_exhausted:
            self._loop.call_later(self._allowance.wait, self.display.draw_late)

    def _expect_answer(self, *acts: Act, is_measured: bool = False) -> None:
        self._asked += 1
        self._heard.clear()
        self._receipts.add_query(*acts, is_measured=is_measured)

    def _call_when_shown(self, act: Act) -> None:
        if self._receipts.is_mute:
            self._call_when_written(act)
            return
        self._expect_answer(act)
        self.write(QUERY)
        if self._retry is None:
            self._retry = self._loop.call_later(self._receipts.retry_in(), self._repeat_query)

    def _repeat_query(self) -> None:
        """Send another query if an action is still pending: the response may be lost."""
        self._retry = None
        if not self._receipts.is_waiting:
            return
        if self._receipts.is_mute:
            self._call_when_written(self._receipts.run_pending)
            return
        self._expect_answer()
        self.write(QUERY)
        self._retry = self._loop.call_later(self._receipts.retry_in(), self._repeat_query)

    def _call_when_written(self, act: Act) -> None:
        self._when_written.append(act)
        self._note_written()

    def _note_written(self) -> None:
        while self._when_written and not self._outbox.is_busy:
            self._when_written.pop(0)()

    def _handle_answer(self) -> None:
        if self._receipts.answered():
            self._allowance.answered()
        self.display.draw_late()

    def _outbox_emptied(self) -> None:
        """React to the terminal having read everything. Called by the writing thread."""
        if self._when_written:
            self._call_soon(self._note_written)
        if self.display.is_late:
            self._call_soon(self.display.draw_late)

    def _call_soon(self, act: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(act)


def erases_in_color(environ: Mapping[str, str]) -> bool:
    """Return whether the terminal erases with the current background."""
    between = any(environ.get(name) for name in BETWEEN)
    return not between and environ.get("TERM", "").startswith(ERASING)
