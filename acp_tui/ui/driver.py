"""The terminal's driver, made to outlive the terminal.

Textual writes from a thread of its own. When the terminal has gone, the first write ends that
thread, its queue fills up, and the app waits for ever on its way out.

And at each SIGCONT it starts its threads anew. That signal also comes without a stop before it, as
with every SIGHUP: then a second thread would read the terminal, and go on when the app has ended.
It draws only what has changed then, on a screen that the shell has had.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from acp_tui.ui import icons

if TYPE_CHECKING:
    from textual.driver import Driver


class Hangup:
    """A file whose terminal may go away: from then on, what is written is lost in silence.

    `table` says what to write in place of characters that the terminal does not have.
    """

    def __init__(self, file: IO[str], table: Mapping[int, str] | None = None) -> None:
        self._file = file
        self._table = table
        self._gone = False

    def write(self, text: str) -> int:
        """Write to the terminal, if it is there."""
        if not self._gone:
            try:
                return self._file.write(
                    text if self._table is None else text.translate(self._table)
                )
            except OSError:
                self._gone = True
        return len(text)

    def flush(self) -> None:
        """Flush to the terminal, if it is there."""
        if not self._gone:
            try:
                self._file.flush()
            except OSError:
                self._gone = True

    def fileno(self) -> int:
        """The file's descriptor."""
        return self._file.fileno()

    def isatty(self) -> bool:
        """Whether the file is a terminal."""
        return self._file.isatty()


def driver_class(takes_terminal: Callable[[bool], None]) -> "type[Driver] | None":
    """The driver for a terminal that may go away; None leaves the choice to Textual.

    It tells when it takes the terminal, and when it has given it back.
    """
    try:
        from textual.drivers.linux_driver import LinuxDriver
    except ImportError:  # no termios: not a POSIX system
        return None

    class TerminalDriver(LinuxDriver):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            assert self._file is not None
            self._file = Hangup(self._file, icons.table())  # type: ignore[assignment]
            self._has_terminal = False

        def start_application_mode(self) -> None:
            self._has_terminal = True
            takes_terminal(True)
            super().start_application_mode()  # type: ignore[no-untyped-call]

        def stop_application_mode(self) -> None:
            super().stop_application_mode()
            self._has_terminal = False

        def close(self) -> None:
            super().close()
            takes_terminal(False)  # only now all is written

        def _sigtstp_application(self, *_: Any) -> None:
            self._soon(self._stop)

        def _sigcont_application(self, *_: Any) -> None:
            self._soon(self._go_on)

        def _soon(self, act: Callable[[], None]) -> None:
            # Not in the handler itself: what it interrupted may hold the lock of what is written.
            with suppress(RuntimeError):  # no loop: the app is not there yet, or not any more
                asyncio.get_running_loop().call_soon_threadsafe(act)

        def _stop(self) -> None:
            """Stop until we are continued. The system stops nobody whom no shell could continue."""
            if self._auto_restart and self._has_terminal:
                self.suspend_application_mode()
                self._must_signal_resume = True
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTSTP)
            signal.signal(signal.SIGTSTP, self._sigtstp_application)
            self._soon(self._go_on_without_stop)

        def _go_on_without_stop(self) -> None:
            if not self._has_terminal:
                self._go_on()

        def _go_on(self) -> None:
            if not self._auto_restart or not self._app.is_running:
                return  # another program has the terminal, or we are leaving
            if self._has_terminal:
                self.suspend_application_mode()
            self.resume_application_mode()
            self._app.refresh(layout=True)  # another program has drawn over all of it

    return TerminalDriver
