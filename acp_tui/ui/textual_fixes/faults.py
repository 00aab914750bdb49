"""Reports our bugs in input, timers and drawing, and continues; Textual would end the turn."""

import asyncio
import inspect
import sys
from fractions import Fraction
from typing import TYPE_CHECKING, Any
from weakref import finalize

from rich.segment import Segment, Segments
from textual import events
from textual.actions import SkipAction
from textual.app import App, ReturnType, ScreenStackError
from textual.box_model import BoxModel
from textual.dom import NoScreen
from textual.geometry import Region, Size, Spacing
from textual.message import Message
from textual.message_pump import MessagePump
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import AwaitMount, Widget
from textual.worker import Worker, WorkerFailed

from acp_tui.text import clean_text, reveal_escapes

if TYPE_CHECKING:
    from traceback import FrameSummary

BROKE = "\nacp-tui crashed: a bug in acp-tui, not in the agent. Please report it with the above.\n"
"""Printed below the traceback of an exception that ended the program."""
NOT_DRAWN = "✗ not drawn: a bug in acp-tui"
_INPUT = (events.InputEvent, events.Paste, events.Callback)
_NO_SCREEN = (ScreenStackError, NoScreen)
_init_timer = Timer.__init__
_init_worker = Worker.__init__
_mount = Widget.mount
_dispatch_message = MessagePump._dispatch_message
_get_box_model = Widget._get_box_model


class SurvivesFaults(App[ReturnType]):
    """A mixin for an app: reports exceptions in input handlers, timers and drawing to the event
    loop's exception handler.
    """

    survives_faults = False
    """Off unless the loop's exception handler is used: unseen exceptions must end the app."""
    last_words = ""
    """Printed below the traceback of an exception that ended the app."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        Timer.__init__ = _init_without_skipping  # type: ignore[method-assign]
        Widget.mount = _mount_unless_ending  # type: ignore[method-assign]
        Worker.__init__ = _init_and_close_work  # type: ignore[method-assign]
        self._reported_faults: set[tuple[str, int | None]] = set()

    async def on_event(self, event: events.Event) -> None:
        """Handle an event; keys also arrive here from a queue, whose next key must not be lost."""
        try:
            await super().on_event(event)
        except Exception as error:
            if not self.survives(event, error):
                raise

    @property
    def survives_all(self) -> bool:
        """Whether exceptions outside of input are survived, too: only after the first screen is
        ready, as there may be nothing to see or to type into before.
        """
        return self.survives_faults and self._dom_ready

    def survives(self, message: Message, error: Exception) -> bool:
        """Report an exception in a message handler; return False if it must end the app."""
        is_survived = self.survives_faults if _is_input(message) else self.survives_all
        if not is_survived and not (_is_input(message) and isinstance(error, SkipAction)):
            return False
        if not isinstance(error, SkipAction):
            self.report_fault(_describe_message(message), error)
        return True

    def _handle_exception(self, error: Exception) -> None:
        """Report an exception for which Textual would end the app; only the failed work ends."""
        has_ended = not self.screen_stack
        if has_ended and isinstance(error, WorkerFailed) and isinstance(error.error, _NO_SCREEN):
            return  # a worker that finished after the last screen was closed
        if self.survives_faults and isinstance(error, WorkerFailed):
            self.report_fault("the background", error.error)
        elif self.survives_all:
            self.report_fault("the screen", error)
        else:
            super()._handle_exception(error)

    def _print_error_renderables(self) -> None:
        """Print errors of our own without escape sequences: their text may come from an agent."""
        has_broken = bool(self._exit_renderables)
        for printed in self._exit_renderables:
            if isinstance(printed, Segments):
                printed.segments = [
                    one._replace(text=clean_text(reveal_escapes(one.text)))
                    for one in printed.segments
                ]
        super()._print_error_renderables()
        if has_broken:
            sys.stderr.write(self.last_words)

    def report_fault(self, doing: str, error: BaseException) -> None:
        """Report an exception, but only once per line of code: each mouse movement may raise it."""
        from traceback import extract_tb

        frames: list[FrameSummary] = extract_tb(error.__traceback__)
        place = (frames[-1].filename, frames[-1].lineno) if frames else (repr(error), None)
        if place not in self._reported_faults:
            self._reported_faults.add(place)
            self.pass_on_fault(doing, error)

    def pass_on_fault(self, doing: str, error: BaseException) -> None:
        """Pass an exception to the event loop's handler."""
        context = {"message": doing, "exception": error}
        asyncio.get_running_loop().call_exception_handler(context)


def _surviving_app(node: MessagePump) -> SurvivesFaults[Any] | None:
    """Return the app if it survives exceptions."""
    app = node.app
    return app if isinstance(app, SurvivesFaults) and app.survives_faults else None


# Input


async def _dispatch_and_report(self: MessagePump, message: Message) -> None:
    """Dispatch a message; report exceptions in handlers of input and widgets' messages."""
    try:
        await _dispatch_message(self, message)
    except Exception as error:
        app = self.app
        if not (isinstance(app, SurvivesFaults) and app.survives(message, error)):
            raise


def _is_input(message: Message) -> bool:
    is_of_widgets = not isinstance(message, events.Event)
    is_internal = type(message).__module__ == "textual.messages"  # a layout would fail again
    return isinstance(message, _INPUT) or (is_of_widgets and not is_internal)


def _describe_message(message: Message) -> str:
    if isinstance(message, events.Key):
        return f"the key {message.key}"
    return type(message).__qualname__


# Drawing: after an exception, the rest of the screen is still drawn


def draw_lines(widget: Widget, crop: Region) -> list[Strip]:
    """Draw a part of a widget; after an exception, draw a message in its place."""
    try:
        return widget.render_lines(crop)
    except Exception as error:
        app = _surviving_app(widget)
        if app is None:
            raise
        app.report_fault(f"drawing {type(widget).__name__}", error)
    words = Strip([Segment(NOT_DRAWN, widget.rich_style)])
    blank = Strip.blank(crop.width, widget.rich_style)
    rest = [blank] * max(0, crop.height - 1)
    return [words.adjust_cell_length(crop.width, widget.rich_style), *rest][: crop.height]


def _get_box_model_or_report(self: Widget, container: Size, *args: Any, **options: Any) -> BoxModel:
    """Measure a widget; after an exception, return one row for the message."""
    try:
        return _get_box_model(self, container, *args, **options)
    except Exception as error:
        app = _surviving_app(self)
        if app is None:
            raise
        app.report_fault(f"measuring {type(self).__name__}", error)
        return BoxModel(Fraction(container.width), Fraction(1), Spacing())


# Work that begins late, or once the app is ending


def _init_without_skipping(
    self: Timer, *args: Any, repeat: int | None = None, skip: bool = True, **options: Any
) -> None:
    """Create a timer whose only call is never skipped; Textual skips late ones for good."""
    _init_timer(self, *args, repeat=repeat, skip=skip and repeat != 0, **options)


def _mount_unless_ending(self: Widget, *widgets: Widget, **place: Any) -> AwaitMount:
    """Mount widgets, unless the app is about to exit.

    Textual's `mount_all` does the same, but `mount` raises MountError: a question of the agent, or
    a note about finished work, ended the program with a traceback.
    """
    return AwaitMount(self, []) if self.app._exit else _mount(self, *widgets, **place)


def _init_and_close_work(self: Worker[Any], node: Any, work: Any, **options: Any) -> None:
    """Create a worker that closes its coroutine if it is canceled before its first step: Python
    would warn on stderr that the coroutine was never awaited.
    """
    _init_worker(self, node, work, **options)
    if inspect.iscoroutine(work):
        finalize(self, work.close).atexit = False


MessagePump._dispatch_message = _dispatch_and_report  # type: ignore[method-assign]
Widget._get_box_model = _get_box_model_or_report  # type: ignore[method-assign]
