"""When Python looks for garbage: never through so much at one go that the screen stalls."""

import gc
from time import perf_counter

from textual._styles_cache import StylesCache
from textual.driver import Driver

from acp_tui.ui.leaving import LeavingScreen
from acp_tui.ui.typing_ahead import TypingAheadApp

REST = 1.0
"""Seconds after a screen has left until what it left is looked for: the next key may come at once."""
SHARE = 0.02
"""How much of the time may be spent on that."""


class TidyApp(TypingAheadApp):
    """Frees what screens leave, which is thousands of objects that refer to each other."""

    tidies = False
    """Whether the process is this app's own."""

    def __init__(self, driver_class: type[Driver] | None = None) -> None:
        super().__init__(driver_class)
        self._will_tidy = False
        self._tidy_from = 0.0

    def on_leaving_screen_left(self, event: LeavingScreen.Left) -> None:
        """Look for what it left, in a moment."""
        event.stop()
        if self.tidies and not self._will_tidy:
            self._will_tidy = True
            self.set_timer(max(REST, self._tidy_from - perf_counter()), self._tidy)

    def _tidy(self) -> None:
        self._will_tidy = False
        begin = perf_counter()
        StylesCache.get_inner_outer.cache_clear()  # holds what Textual's last 1,024 views drew
        gc.collect()
        end = perf_counter()
        self._tidy_from = end + (end - begin) / SHARE


def collect_little_by_little() -> None:
    """Leave out what is loaded by now, which stays; look through the rest in small parts."""
    gc.freeze()
    gc.set_threshold(5_000, 5, 200)


def collect_old() -> None:
    """Let what is older than the freeze be found, too: the agents of the start may be closed."""
    gc.unfreeze()
