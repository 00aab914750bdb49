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
    from acp_tui.ui.textual_fixes.alt_keys import KeyParser
    from acp_tui.ui.textual_fixes.terminal_driver import TerminalDriver

    linux_driver.XTermParser = KeyParser  # type: ignore[attr-defined]
    tells = {"takes_terminal": staticmethod(takes_terminal)}
    return type("OurDriver", (TerminalDriver, linux_driver.LinuxDriver), tells)


def plain_driver_class() -> "type[Driver] | None":
    """Return Textual's own driver with keys as ours has them, for a screen that is soon left."""
    try:
        from textual.drivers import linux_driver
    except ImportError:  # no termios: not a POSIX system
        return None
    from acp_tui.ui.textual_fixes.alt_keys import AltKeys, KeyParser

    linux_driver.XTermParser = KeyParser  # type: ignore[attr-defined]
    return type("PlainDriver", (AltKeys, linux_driver.LinuxDriver), {})
