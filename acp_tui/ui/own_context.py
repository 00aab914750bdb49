"""Runs work as the app itself: what a widget starts ends with that widget."""

from collections.abc import Callable, Coroutine
from contextvars import copy_context
from typing import Any
from weakref import finalize


class OwnContext:
    """The context of the app, in which no widget is active. `run_worker` is that of the app."""

    def __init__(self, run_worker: Callable[..., object]) -> None:
        self._run_worker = run_worker
        self._kept = copy_context()

    def keep(self) -> None:
        """Keep the context as it is now."""
        self._kept = copy_context()

    def run(self, do: Callable[..., object], *given: object) -> None:
        """Do something as the app itself."""
        self._kept.copy().run(do, *given)

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run a coroutine until it ends, or the app does."""
        self.run(self._spawn, work, name)

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        worker = self._run_worker(work, name=name)
        finalize(worker, work.close).atexit = False  # one that ends before its first step
