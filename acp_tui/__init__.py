"""The terminal client and debugger for Agent Client Protocol agents, and its library.

The names of `acp_tui.library.api` are exported here, too, and loaded on first use.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from acp_tui.version import __version__ as __version__

if TYPE_CHECKING:
    from acp_tui.library.api import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        # `from acp_tui import host` calls this before it imports the module. Without the check,
        # each start of the program would load the library.
        if name != "__all__" and (name.startswith("_") or find_spec(f"{__name__}.{name}")):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module("acp_tui.library.api"), name)
