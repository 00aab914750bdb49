"""Bugs of ours that break nothing else: they must be reported, or nobody would know of them."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from traceback import format_exception
from typing import Any

from acp_tui.protocol.events import OwnFault

LONGEST = 1000
LONGEST_TRACEBACK = 50_000
"""Characters that are kept of an error's words, which may hold all that it was about."""


def own_fault(
    at: float, doing: str, error: BaseException, session_id: str | None = None
) -> OwnFault:
    """Return the event of a bug of ours that broke what we were doing."""
    words = f"{type(error).__name__}: {error}"[:LONGEST]
    trace = "".join(format_exception(error))
    return OwnFault(at, session_id, doing, words, trace[-LONGEST_TRACEBACK:])


@contextmanager
def reporting_faults(report: Callable[[str, BaseException], None]) -> Iterator[None]:
    """Report what breaks in threads and in callbacks of the loop, for which nobody waits."""
    loop, print_it = asyncio.get_running_loop(), threading.excepthook

    def of_the_loop(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, Exception):
            report(context["message"], error)
        else:
            loop.default_exception_handler(context)

    def of_a_thread(args: threading.ExceptHookArgs) -> None:
        try:
            assert args.thread is not None
            assert args.exc_value is not None
            loop.call_soon_threadsafe(report, f"the thread {args.thread.name}", args.exc_value)
        except (AssertionError, RuntimeError):  # a thread that is gone, or no loop anymore
            print_it(args)

    loop.set_exception_handler(of_the_loop)
    threading.excepthook = of_a_thread
    try:
        yield
    finally:
        threading.excepthook = print_it
        loop.set_exception_handler(None)
