"""Errors of the client: a request that it can't serve, a lost connection, and bugs of its own."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from traceback import format_exception
from typing import Any

from acp_tui.protocol.events import OwnFault
from acp_tui.protocol.jsonrpc import Error

LONGEST_FAULT = 1000
"""Characters of an error's message that are stored: some quote the whole value that they are about."""
LONGEST_TRACEBACK = 50_000
"""Characters of a traceback that are stored."""


class ServiceError(Exception):
    """The client can't serve a request; `error` is the response to it."""

    def __init__(self, error: Error) -> None:
        super().__init__(error.message)
        self.error = error


class LineBroken(Exception):  # noqa: N818  an outcome, not an error
    """The connection is lost; the message says why.

    If `refused`, another attempt would be, too. If `misread`, the server may not have understood
    what was sent, and another protocol version may work.
    """

    def __init__(self, why: str, *, refused: bool = False, misread: bool = False) -> None:
        super().__init__(why)
        self.refused = refused
        self.misread = misread


def own_fault(
    at: float, doing: str, error: BaseException, session_id: str | None = None
) -> OwnFault:
    """Return the event of a bug in acp-tui."""
    words = f"{type(error).__name__}: {error}"[:LONGEST_FAULT]
    trace = "".join(format_exception(error))
    return OwnFault(at, session_id, doing, words, trace[-LONGEST_TRACEBACK:])


@contextmanager
def reporting_faults(report: Callable[[str, BaseException], None]) -> Iterator[None]:
    """Report exceptions in threads and in callbacks of the event loop, which nobody awaits."""
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
