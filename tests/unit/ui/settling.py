"""Waiting until an app has drawn all that it is about to draw, however busy the machine is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import anyio
import pytest
from textual.app import App
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.widget import Widget

from acp_tui.ui.inspector.log_reader import READER
from acp_tui.ui.transcript.transcript import Transcript
from tests.hosting import PATIENCE

SOON = 0.1
"""Seconds: a timer that fires once and this soon belongs to what is being drawn."""
LOOK_AGAIN, LONGEST_PAUSE = 0.01, 0.08
"""Seconds before a condition is checked again; each further pause is longer, up to the longest."""


async def settled(pilot: Pilot[Any]) -> None:
    """Wait until nothing is under way: no message, no frame, no timer that soon fires once.

    `Pilot.pause` takes an app that gets no time of the processor for one that is done.
    """
    await _calm(pilot)
    if behind := pilot.app._background_screens:
        for one in behind:
            one._on_timer_update()
        await _calm(pilot)


async def until(pilot: Pilot[Any], holds: Callable[[], bool]) -> None:
    """Wait until a condition holds, and everything that follows from it is drawn."""
    pause = LOOK_AGAIN
    with anyio.fail_after(PATIENCE):
        while not holds():
            await moment(pilot, pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)
    await settled(pilot)


async def moment(pilot: Pilot[Any], seconds: float = LOOK_AGAIN) -> None:
    """Pause briefly, and draw what has changed by then."""
    await pilot.pause(seconds)


async def pressed(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, then wait until everything is drawn: once, not after each key as `Pilot.press` does."""
    with keys_in_time():
        await pilot.app._press_keys(keys)
        await settled(pilot)


@contextmanager
def keys_in_time() -> Iterator[None]:
    """Count keys as pressed when they are handled, by the clock of the test, which stands still.

    By the real one, a key that a busy machine handles late would count as pressed before its dialog was there.
    """
    with pytest.MonkeyPatch.context() as patch:
        for module in ("question.panel", "toolkit.type_ahead"):
            patch.setattr(f"acp_tui.ui.{module}.time_of_press", lambda clock, _: clock())
        yield


async def _calm(pilot: Pilot[Any]) -> None:
    """Wait until nothing is under way, and still isn't after a message to each widget was handled. Those are
    half of all messages, so they are sent last. Threads get time to finish, too.
    """
    app, limit = pilot.app, monotonic() + PATIENCE
    calm = False
    while app.is_running and ((under_way := next(_under_way(app), None)) or not calm):
        assert monotonic() < limit, f"still under way: {under_way}"
        calm = under_way is None
        if calm:
            await pilot._wait_for_screen()
        app.screen._on_timer_update()
        await anyio.sleep(0.001)


def _under_way(app: App[Any]) -> Iterator[object]:
    """Yield what is still to be drawn, and the widgets that have work left."""
    # Not the screens behind the first: they always ask to be painted again.
    screen = app.screen
    asked = screen._layout_required or screen._scroll_required or screen._repaint_required
    is_new = not screen._compositor.size  # nothing is in any queue while its widgets are mounted
    if is_new or asked or screen._dirty_widgets or screen._callbacks:
        yield screen
    yield from app.animator._animations
    yield from (one for one in app.workers if one.name == READER and not one.is_finished)
    yield from filter(_is_busy, _pumps(app))


def _pumps(app: App[Any]) -> Iterator[MessagePump]:
    yield app
    due: list[Widget] = [*app.screen_stack]
    while due:
        widget = due.pop()
        yield widget
        due += widget.children


def _is_busy(pump: MessagePump) -> bool:
    if pump.message_queue_size or pump._next_callbacks:
        return True
    if isinstance(pump, Transcript) and pump.is_busy:
        return True
    return any(
        timer._repeat == 0 and timer._interval <= SOON and timer._task and not timer._task.done()
        for timer in pump._timers
    )
