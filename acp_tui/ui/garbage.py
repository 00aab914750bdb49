"""When Python looks for garbage: never through so much at one go that the screen stalls."""

import gc

from textual._styles_cache import StylesCache
from textual.driver import Driver

from acp_tui.ui.leaving import LeavingScreen
from acp_tui.ui.typing_ahead import TypingAheadApp

REST = 1.0
"""Seconds after a screen has left until what it left is looked for."""
OFTEN = 50
"""How many times only what is new is looked at, before all is."""


class TidyApp(TypingAheadApp):
    """Frees what each screen leaves, which is thousands of objects that refer to each other."""

    tidies = False
    """Whether the process is this app's own."""

    def __init__(self, driver_class: type[Driver] | None = None) -> None:
        super().__init__(driver_class)
        self._left = 0

    def on_leaving_screen_left(self, event: LeavingScreen.Left) -> None:
        """Wait for a moment: the next key may come at once, and is to be shown at once."""
        event.stop()
        if self.tidies:
            self.set_timer(REST, self._tidy)

    def _tidy(self) -> None:
        self._left += 1
        if self._left % OFTEN == 0:
            collect_old()
        collect_new()


def collect_little_by_little() -> None:
    """Leave out what is loaded by now, which stays; look through the rest in small parts."""
    gc.freeze()
    gc.set_threshold(5_000, 5, 200)


def collect_new() -> None:
    """Free what is new and not needed any more; what is still needed is left out from then on."""
    StylesCache.get_inner_outer.cache_clear()  # of Textual's last 1,024 views: what they drew
    gc.collect()
    gc.freeze()


def collect_old() -> None:
    """Let what was left out be found, too: the agents of the start may be closed."""
    gc.unfreeze()
