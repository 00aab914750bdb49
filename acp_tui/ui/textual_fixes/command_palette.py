"""Avoids loading Textual's command palette with its widgets, which we never show."""

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
"""The names that `textual.app` and `textual.theme` import from it."""


def load_without_palette() -> None:
    """Load Textual's app with empty classes for its palette. A later import gets the real one."""
    if "textual.app" in sys.modules or "textual.command" in sys.modules:
        return
    stand_in = ModuleType("textual.command")
    for name in NAMES:
        setattr(stand_in, name, type(name, (), {}))
    sys.modules[stand_in.__name__] = stand_in
    with suppress(ImportError):  # a newer version imports more; the app loads it later
        import_module("textual.app")
    del sys.modules[stand_in.__name__]
