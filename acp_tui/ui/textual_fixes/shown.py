"""Call a function once the terminal has shown what was drawn."""

from collections.abc import Callable
from typing import Any

from textual.app import App


def when_shown(app: App[Any], act: Callable[[], object]) -> None:
    """Call `act` once the terminal shows what is drawn by now; at once where it can't be asked."""
    ask = getattr(getattr(app._driver, "output", None), "when_shown", None)  # not a test's driver
    if ask is None:
        act()
    else:
        ask(act)
