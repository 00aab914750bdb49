"""Textual's own command palette: we never show it, yet an app loads it, and the widgets it is made of."""

import sys
from contextlib import suppress
from importlib import import_module
from types import ModuleType

NAMES = (
    "CommandListItem",
    "CommandPalette",
    "DiscoveryHit",
    "Hit",
    "Hits",
    "Provider",
    "SimpleProvider",
)
"""What `textual.app` and `textual.theme` take from it."""


def load_without_palette() -> None:
    """Load Textual's app with empty classes in place of its palette. Who asks for the palette itself
    later gets the real one.
    """
    if "textual.app" in sys.modules or "textual.command" in sys.modules:
        return
    stand_in = ModuleType("textual.command")
    for name in NAMES:
        setattr(stand_in, name, type(name, (), {}))
    sys.modules[stand_in.__name__] = stand_in
    with suppress(ImportError):  # it takes more from it by now: the app loads all of it later
        import_module("textual.app")
    del sys.modules[stand_in.__name__]
