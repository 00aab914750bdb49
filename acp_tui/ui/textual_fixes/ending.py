"""What is mounted or started while the app is ending is dropped without a fault or a warning."""

import inspect
from typing import Any
from weakref import finalize

from textual.widget import AwaitMount, Widget
from textual.worker import Worker

_mount = Widget.mount
_init_worker = Worker.__init__


def drop_late_work() -> None:
    """Make widgets and workers drop what comes while their app is ending, from now on."""
    Widget.mount = _mount_unless_ending  # type: ignore[method-assign]
    Worker.__init__ = _init_and_close_work  # type: ignore[method-assign]


def _mount_unless_ending(self: Widget, *widgets: Widget, **place: Any) -> AwaitMount:
    """Mount widgets, unless the app is about to exit. Textual's `mount_all` does the same, but `mount` raises
    MountError: a question of the agent, or a note about finished work, ended the program with a traceback.
    """
    return AwaitMount(self, []) if self.app._exit else _mount(self, *widgets, **place)


def _init_and_close_work(self: Worker[Any], node: Any, work: Any, **options: Any) -> None:
    """Make a worker that closes its coroutine if it is canceled before its first step: Python would warn on
    stderr that the coroutine was never awaited.
    """
    _init_worker(self, node, work, **options)
    if inspect.iscoroutine(work):
        finalize(self, work.close).atexit = False
