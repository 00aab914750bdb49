"""Exceptions of the client, and reports of bugs in acp-tui."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from traceback import format_exception
from typing import Any

from acp_tui.protocol.events import OwnFault
from acp_tui.protocol.jsonrpc import Error

LONGEST_FAULT = 1000
"""Most characters stored of an error's message: some errors quote the whole value that they are
about.
"""
LONGEST_TRACEBACK = 50_000
"""Most characters stored of a traceback; its end is kept."""


class ServiceError(Exception):
    """A request can't be served; `error` is the response."""

    def __init__(self, error: Error) -> None:
        super().__init__(error.message)
        self.error = error


class LineBroken(Exception):  # noqa: N818  an outcome, not an error
    """The connection was lost; the message says why.

    If `refused`, retrying is useless. If `misread`, the server may not have understood the
    messages, and another protocol version may work.
    """

    def __init__(self, why: str, *, refused: bool = False, misread: bool = False) -> None:
        super().__init__(why)
        self.refused = refused
        self.misread = misread


def own_fault(
    at: float, doing: str, error: BaseException, session_id: str | None = None
) -> OwnFault:
    """Return the event that reports a bug in acp-tui."""
    words = f"{type(error).__name__}: {error}"[:LONGEST_FAULT]
    trace = "".join(format_exception(error))
    return OwnFault(at, session_id, doing, words, trace[-LONGEST_TRACEBACK:])


@contextmanager
def reporting_faults(report: Callable[[str, BaseException], None]) -> Iterator[None]:
    """Report exceptions of threads and of the event loop's callbacks, which nothing awaits."""
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
        except (AssertionError, RuntimeError):  # the thread is gone, or the loop is closed
            print_it(args)

    loop.set_exception_handler(of_the_loop)
    threading.excepthook = of_a_thread
    try:
        yield
    finally:
        threading.excepthook = print_it
        loop.set_exception_handler(None)
