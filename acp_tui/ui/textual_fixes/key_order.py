"""Handles keys and clicks in order, even if they arrive faster than they are handled."""

import time
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from textual import events
from textual.errors import NoWidget
from textual.message_pump import MessagePump
from textual.widget import Widget

from acp_tui.ui.textual_fixes.display import DisplayApp
from acp_tui.ui.textual_fixes.faults import SurvivesFaults

ROUNDS = 20
"""Most rounds of a key's probe: an app may never be idle."""
HOLD_TIMEOUT = 2.0
"""Seconds after which keys are no longer held back, whatever is still running."""

Typed = events.Key | events.Paste | events.MouseEvent
WAITED_FOR = (events.Key, events.Paste, events.MouseDown, events.MouseUp)
"""Events that are finished before the next one, unless they are text; mouse moves don't wait."""


class KeyOrderApp(SurvivesFaults[None], DisplayApp):
    """Handles a key or a click, and everything that follows from it, before the next one.

    A key goes to the focused widget and, if that doesn't handle it, up to the app; messages that it
    causes go the same way. In the meantime, the next key could be handled first, or go to a widget
    that is about to lose the focus. So a probe follows each key on the same way: when it is back
    and no widget on the way has pending messages, the key is done. Text is only waited for before a
    key that isn't text, and the first key waits for the screen.
    """

    def __init__(self) -> None:
        super().__init__()
        self.last_typed = time.monotonic()
        """When a key or the mouse was last used, in monotonic seconds."""
        self._typed: deque[Typed] = deque()
        self._last_handled: Typed | None = None
        self._held_since: float | None = None
        self._busy = True

    async def on_event(self, event: events.Event) -> None:
        """Queue typed events behind those typed before them; handle others at once."""
        if not isinstance(event, Typed) or event.is_forwarded:
            await super().on_event(event)
            return
        self.last_typed = time.monotonic()
        if not isinstance(event, WAITED_FOR) and not self._typed:
            await super().on_event(event)  # a mouse movement, with nothing queued
        else:
            self._typed.append(event)
            if self._held_since is None:
                await self._do_typed()
            elif len(self._typed) == 1:
                self._limit_hold(self._held_since)

    def _limit_hold(self, since: float) -> None:
        """Release held keys after HOLD_TIMEOUT: there may be no further key that would do it."""
        remaining = since + HOLD_TIMEOUT - time.monotonic()
        self.set_timer(max(0, remaining), partial(self._stop_holding, since))

    async def _stop_holding(self, since: float) -> None:
        if self._held_since == since:
            await self._do_typed(waits=False)

    async def _do_typed(self, *, waits: bool = True) -> None:
        """Handle queued events, up to the first key that has to be waited for."""
        self._held_since = None
        while self._typed and self._held_since is None:
            is_text = self._is_text(self._typed[0])
            if is_text or not self._busy or not waits:
                self._last_handled = self._typed.popleft()
                await super().on_event(self._last_handled)
            self._busy = is_text or not waits
            if self._busy:
                self._draw_soon()
            else:
                self._held_since = time.monotonic()
                if self._typed:
                    self._limit_hold(self._held_since)
                path = self._pumps_passed()
                await self._send_probe(_Probe(path, ROUNDS), path)

    def _draw_soon(self) -> None:
        """Draw the effect of text once the focused widget has handled it."""
        if self.focused is not None and not isinstance(self._last_handled, events.MouseEvent):
            self.focused.call_later(self.call_later, self.draw_immediately)

    def _is_text(self, typed: Typed) -> bool:
        if isinstance(typed, events.MouseEvent):
            return not isinstance(typed, WAITED_FOR)
        focused = self.focused
        if focused is None or isinstance(typed, events.Paste):
            return focused is not None
        return focused.check_consume_key(typed.key, typed.character)

    def _pumps_passed(self) -> list[MessagePump]:
        """Return all nodes that a key or a click passes, the app last."""
        first = self._clicked_widget() or self.focused or self.screen
        return [*(one for one in first.ancestors_with_self if one is not self), self]

    def _clicked_widget(self) -> Widget | None:
        """Return the widget under the mouse, if the mouse was used last."""
        if not isinstance(self._last_handled, events.MouseEvent):
            return None
        try:
            return self.screen.get_widget_at(self._last_handled.x, self._last_handled.y)[0]
        except NoWidget:
            return None

    async def _send_probe(self, probe: "_Probe", pending: Sequence[MessagePump]) -> None:
        """Send the probe to the next node on its way that still exists."""
        if not pending:
            await self._probe_returned(probe)
        for at, pump in enumerate(pending, 1):
            if pump.call_later(self._send_probe, probe, pending[at:]):
                return

    async def _probe_returned(self, probe: "_Probe") -> None:
        """Handle the next key if all nodes were idle in this round and the previous one.

        One round isn't enough: a widget may be in the middle of handling a message.
        """
        if not self.screen_stack:
            return  # the app is closing
        now = self._pumps_passed()
        is_idle = now == probe.path and not any(pump.message_queue_size for pump in now)
        if probe.rounds > 0 and not (is_idle and probe.is_idle):
            await self._send_probe(_Probe(now, probe.rounds - 1, is_idle), now)
        else:
            if self._last_handled is not None:
                self.draw_immediately()
            await self._do_typed()


class _Probe(NamedTuple):
    """The probe that follows a key: its way, the number of rounds left, and whether all nodes were
    idle in the last one.
    """

    path: list[MessagePump]
    rounds: int
    is_idle: bool = False
