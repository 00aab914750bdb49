"""Mounts nothing once the app is ending. Textual's `Widget.mount` raises MountError then, unlike its `mount_all`:
an agent's question, or a note about work that has just finished, would end the program with a traceback.
"""

from typing import Any

from textual.widget import AwaitMount, Widget

_mount = Widget.mount


def _mount_unless_ending(self: Widget, *widgets: Widget, **place: Any) -> AwaitMount:
    return AwaitMount(self, []) if self.app._exit else _mount(self, *widgets, **place)


def ignore_late_mounts() -> None:
    """Make `mount` do nothing while its app is ending, from now on."""
    Widget.mount = _mount_unless_ending  # type: ignore[method-assign]
