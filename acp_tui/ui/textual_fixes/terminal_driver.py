"""A terminal driver that outlives its terminal.

Textual writes in a thread. When the terminal is gone, the first write ends that thread, its queue
fills up, and the app waits forever on exit; it also waits for a slow terminal. So output is written
by another thread, and drawing goes through the display.

At each SIGCONT, Textual starts its threads again. That signal also arrives without a stop before
it, as with every SIGHUP: then a second thread would read the terminal, and continue after the end
of the app. Textual would also draw only changes, on a screen that the shell has written to.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual.events import CursorPosition
from textual.message import Message

from acp_tui.config import icons
from acp_tui.ui.output.terminal import OutputTerminal
from acp_tui.ui.textual_fixes.input_driver import InputDriver

if TYPE_CHECKING:
    from textual.driver import Driver

ANSWER = 0.3
"""Seconds that the terminal has to answer pending queries."""
LAST_WORDS = 2.0
"""Seconds that the terminal has to read the remaining output; then the watchdog restores it."""


class TerminalDriver(InputDriver):
    """A mixin before Textual's driver, for a terminal that may go away, be stuck, or be lent to
    another program.

    It calls `on_terminal_taken` when it takes the terminal, and when it has given it back.
    """

    on_terminal_taken: Callable[[bool], None]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        assert sys.__stdout__ is not None  # stderr, which Textual uses, may be redirected
        self.output = OutputTerminal(sys.__stdout__.fileno(), icons.replacement_table())
        self._has_terminal = False

    def write(self, data: str) -> None:
        self.output.write(data)

    def start_application_mode(self) -> None:
        self._has_terminal = True
        self.on_terminal_taken(True)
        self.output.start()
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self.output.display.start()

    def process_message(self, message: Message) -> None:
        if isinstance(message, CursorPosition):
            self.output.answered()
            return
        super().process_message(message)

    def stop_application_mode(self) -> None:
        self.write(self.output.display.stop())
        self.output.wait_for_answers(ANSWER)
        super().stop_application_mode()
        self._has_terminal = False

    def close(self) -> None:
        super().close()
        if self.output.end(LAST_WORDS):
            self.on_terminal_taken(False)  # only now is everything written

    def _sigtstp_application(self, *_: Any) -> None:
        self._call_soon(self._stop_process)

    def _sigcont_application(self, *_: Any) -> None:
        self._call_soon(self._resume_process)

    def _call_soon(self, act: Callable[[], None]) -> None:
        # Not in the handler itself: the interrupted code may hold the output lock.
        with suppress(RuntimeError):  # no loop: the app hasn't started yet, or has ended
            asyncio.get_running_loop().call_soon_threadsafe(act)

    def _stop_process(self) -> None:
        """Stop until SIGCONT. The system doesn't stop a process that no shell could continue."""
        if self._auto_restart and self._has_terminal:
            self.suspend_application_mode()
            self._must_signal_resume = True
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._sigtstp_application)
        self._call_soon(self._resume_unstopped)

    def _resume_unstopped(self) -> None:
        if not self._has_terminal:
            self._resume_process()

    def _resume_process(self) -> None:
        self._app.app_resume_signal.publish(self._app)  # nobody has seen the latest questions
        if not self._auto_restart or not self._app.is_running:
            return  # another program has the terminal, or the app is ending
        if self._has_terminal:
            self.suspend_application_mode()
        self.resume_application_mode()
        self._app.refresh(layout=True)  # another program has drawn over everything


def driver_class(on_terminal_taken: Callable[[bool], None]) -> "type[Driver] | None":
    """Return the driver class for a terminal that may go away; None leaves the choice to Textual.

    The driver calls `on_terminal_taken` with True when it takes the terminal, and with False when
    it has given it back.
    """
    try:
        from textual.drivers import linux_driver
    except ImportError:  # no termios: not a POSIX system
        return None
    # Textual doesn't request the base layout's key, with which Ctrl+C works on any layout.
    linux_driver.KITTY_REPORT_ALL_KEYS |= linux_driver.KITTY_REPORT_ALTERNATE_KEYS  # type: ignore[misc]
    members = {"on_terminal_taken": staticmethod(on_terminal_taken)}
    return type("OurDriver", (TerminalDriver, linux_driver.LinuxDriver), members)
