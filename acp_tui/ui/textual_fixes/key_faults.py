"""A fault in what a key, a paste, a click or a timer does: it is reported, and the app goes on."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.segment import Segments
from textual import events
from textual.actions import SkipAction
from textual.app import App, ReturnType
from textual.message import Message
from textual.message_pump import MessagePump
from textual.timer import Timer
from textual.worker import WorkerFailed

from acp_tui.text import clean_text, reveal_escapes
from acp_tui.ui.textual_fixes.ending import drop_late_work

if TYPE_CHECKING:
    from traceback import FrameSummary

_init = Timer.__init__


def _init_without_skipping(
    self: Timer, *args: Any, repeat: int | None = None, skip: bool = True, **options: Any
) -> None:
    _init(self, *args, repeat=repeat, skip=skip and repeat != 0, **options)


def fire_late_timers() -> None:
    """Make each timer of one call fire, from now on."""
    Timer.__init__ = _init_without_skipping  # type: ignore[method-assign]


BROKE = "\nacp-tui crashed: a bug in acp-tui, not in the agent. Please report it with the above.\n"
"""What is printed below the traceback of a fault that ended the program."""
_INPUT = (events.InputEvent, events.Paste, events.Callback)
_dispatch_message = MessagePump._dispatch_message


class SurvivesFaults(App[ReturnType]):
    """A mixin for an app that reports faults in the handlers of what a person does, to the handler of the
    loop. Textual would end the app, and the turn with it.
    """

    survives_faults = False
    """Off unless somebody hears the loop's handler: a fault that nobody hears of must end the app."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        fire_late_timers()
        drop_late_work()
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
        """Whether any fault is survived: not before the first screen was drawn, as there may be nothing to
        see or to type in.
        """
        return self.survives_faults and self._dom_ready

    def survives(self, message: Message, error: Exception) -> bool:
        """Report the fault of a handler; return False where it has to end the app."""
        is_survived = self.survives_faults if _is_input(message) else self.survives_all
        if not is_survived and not (_is_input(message) and isinstance(error, SkipAction)):
            return False
        if not isinstance(error, SkipAction):
            self.report_fault(_name(message), error)
        return True

    def _handle_exception(self, error: Exception) -> None:
        """Report a fault for which Textual ends the app: what raised it has ended, and nothing else."""
        if self.survives_faults and isinstance(error, WorkerFailed):
            self.report_fault("the background", error.error)
        elif self.survives_all:
            self.report_fault("the screen", error)
        else:
            super()._handle_exception(error)

    def _print_error_renderables(self) -> None:
        """Print an error of our own; its text may come from an agent, so no escape sequence of it
        reaches the terminal.
        """
        for told in self._exit_renderables:
            if isinstance(told, Segments):
                told.segments = [
                    one._replace(text=clean_text(reveal_escapes(one.text))) for one in told.segments
                ]
        super()._print_error_renderables()

    def report_fault(self, doing: str, error: BaseException) -> None:
        """Report a fault; the same one once, as each move of the mouse may raise it."""
        from traceback import extract_tb

        frames: list[FrameSummary] = extract_tb(error.__traceback__)
        place = (frames[-1].filename, frames[-1].lineno) if frames else (repr(error), None)
        if place not in self._reported_faults:
            self._reported_faults.add(place)
            self.pass_on_fault(doing, error)

    def pass_on_fault(self, doing: str, error: BaseException) -> None:
        """Pass a fault to the handler of the loop."""
        context = {"message": doing, "exception": error}
        asyncio.get_running_loop().call_exception_handler(context)


class ShowsFaults(SurvivesFaults[ReturnType]):
    """A mixin for an app without a session or a recording: its faults are shown on its own screen, and
    one before there is a screen ends it with a clear word.
    """

    def _print_error_renderables(self) -> None:
        has_broken = bool(self._exit_renderables)
        super()._print_error_renderables()
        if has_broken:
            sys.stderr.write(BROKE)

    def pass_on_fault(self, doing: str, error: BaseException) -> None:
        """Show a fault; where it is goes with it, since nothing else keeps that."""
        from traceback import extract_tb

        frames = extract_tb(error.__traceback__)
        place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
        self.show_fault(f"A bug in acp-tui, in {doing}: {error!r}{place}. Please report it.")

    def show_fault(self, words: str) -> None:
        """Show words about a fault until something else is shown."""
        raise NotImplementedError


async def _dispatch_and_report(self: MessagePump, message: Message) -> None:
    """Dispatch a message; report the fault of a handler of input, or of what widgets make of it."""
    try:
        await _dispatch_message(self, message)
    except Exception as error:
        app = self.app
        if not (isinstance(app, SurvivesFaults) and app.survives(message, error)):
            raise


def _is_input(message: Message) -> bool:
    is_of_widgets = not isinstance(message, events.Event)
    is_internal = type(message).__module__ == "textual.messages"  # a layout that fails fails again
    return isinstance(message, _INPUT) or (is_of_widgets and not is_internal)


def _name(message: Message) -> str:
    if isinstance(message, events.Key):
        return f"the key {message.key}"
    return type(message).__qualname__


MessagePump._dispatch_message = _dispatch_and_report  # type: ignore[method-assign]
