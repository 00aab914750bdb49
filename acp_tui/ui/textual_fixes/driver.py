"""Which driver talks to the terminal."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.driver import Driver


def driver_class(takes_terminal: Callable[[bool], None]) -> "type[Driver] | None":
    """Return the driver for a terminal that may go away; None leaves the choice to Textual.

    The driver reports when it takes the terminal, and when it has given it back.
    """
    try:
        from textual.drivers import linux_driver
    except ImportError:  # no termios: not a POSIX system
        return None
    from acp_tui.ui.textual_fixes.terminal_driver import TerminalDriver

    # Textual doesn't ask for the base layout's key, by which Ctrl+C works on any layout.
    linux_driver.KITTY_REPORT_ALL_KEYS |= linux_driver.KITTY_REPORT_ALTERNATE_KEYS  # type: ignore[misc]
    tells = {"takes_terminal": staticmethod(takes_terminal)}
    return type("OurDriver", (TerminalDriver, linux_driver.LinuxDriver), tells)


def plain_driver_class() -> "type[Driver] | None":
    """Return Textual's own driver with our input, for a screen that is soon left."""
    try:
        from textual.drivers import linux_driver
    except ImportError:  # no termios: not a POSIX system
        return None
    from acp_tui.ui.textual_fixes.input_driver import InputDriver

    return type("PlainDriver", (InputDriver, linux_driver.LinuxDriver), {})
