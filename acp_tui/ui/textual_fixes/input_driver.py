"""The thread that reads the terminal, which no input can end."""

import os
import selectors
import sys
import threading
from time import monotonic
from typing import TYPE_CHECKING

from textual.app import ScreenStackError

from acp_tui.ui.textual_fixes.terminal_input import TerminalInput

if TYPE_CHECKING:
    from textual.driver import Driver
    from textual.drivers.linux_driver import LinuxDriver
else:
    LinuxDriver = object  # it can't be imported without termios

PERIOD = 0.1
"""Seconds between two checks whether the driver should stop."""
MOST_READ = 64 * 1024
"""Most bytes of one read; a longer paste takes several."""


class InputDriver(LinuxDriver):
    """A mixin before Textual's driver, which would panic at bytes that aren't UTF-8."""

    _typed_early: int | None = None
    """Unread bytes of those typed before the terminal was first ours; None until then."""

    def run_input_thread(self) -> None:
        """Read the terminal and dispatch its input, until the driver stops or it is gone."""
        if self._typed_early is None:
            self._typed_early = unread_bytes(self.fileno)
        terminal_input = TerminalInput(is_text=self._is_text_focused)
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                deadline = terminal_input.deadline
                wait = PERIOD if deadline is None else min(PERIOD, max(0, deadline - monotonic()))
                data = b""
                if selector.select(wait):
                    data = self._read_terminal()
                    if not data:
                        return  # the terminal is gone: its watcher ends the program
                try:
                    received = terminal_input.feed(data) if data else terminal_input.tick()
                    for message in received:
                        self.process_message(message)
                except Exception:
                    terminal_input = TerminalInput(is_text=self._is_text_focused)
                    kind, error, trace = sys.exc_info()
                    assert kind is not None
                    thread = threading.current_thread()
                    threading.excepthook(threading.ExceptHookArgs((kind, error, trace, thread)))

    def _is_text_focused(self) -> bool:
        """Return whether a text field has the focus, which the event loop may change."""
        try:
            from textual.widgets import Input, TextArea  # neither is imported at start

            return isinstance(self._app.focused, (Input, TextArea))
        except ScreenStackError:
            return False

    def _read_terminal(self) -> bytes:
        try:
            data = os.read(self.fileno, MOST_READ)
        except OSError:
            return b""
        if not self._typed_early:
            return data
        # The terminal turned Enter into a newline until then, which would only add a line.
        early, later = data[: self._typed_early], data[self._typed_early :]
        self._typed_early -= len(early)
        return early.replace(b"\n", b"\r") + later


def unread_bytes(file: int) -> int:
    """Return the number of bytes that can be read from a terminal."""
    import fcntl
    import termios

    try:
        return int.from_bytes(fcntl.ioctl(file, termios.FIONREAD, bytes(4)), sys.byteorder)
    except OSError:  # it is gone, or not a terminal
        return 0


def plain_driver_class() -> "type[Driver] | None":
    """Return Textual's own driver with our input handling, for a screen that is soon closed."""
    try:
        from textual.drivers import linux_driver
    except ImportError:  # no termios: not a POSIX system
        return None
    return type("PlainDriver", (InputDriver, linux_driver.LinuxDriver), {})
