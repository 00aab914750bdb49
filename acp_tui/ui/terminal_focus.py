"""Whether somebody looks at the terminal."""

import time

USED = 30.0
"""Seconds without a key or a click after which nobody is taken to look."""


class Watching:
    """Hears of the terminal's focus, where the terminal tells of it."""

    def __init__(self) -> None:
        self._tells = False

    def heard(self) -> None:
        """Know from now on that the terminal tells."""
        self._tells = True

    def goes_on(self, has_focus: bool, last_typed: float) -> bool:
        """Whether the terminal has the focus; where it doesn't tell, whether it was used just now."""
        return has_focus if self._tells else time.monotonic() - last_typed < USED
