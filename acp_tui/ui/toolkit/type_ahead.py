"""The guard of a dialog against keys that were typed before it was seen."""

from collections.abc import Callable
from time import monotonic

from textual import events
from textual.message import Message
from textual.widget import Widget

from acp_tui.ui.textual_fixes.compositor import when_shown

SHOWN_BEFORE_KEYS = 0.5
"""Seconds that a dialog must be in view before keys count; the same as in `state/question.py`,
which isn't loaded at start.
"""


def time_of_press(clock: Callable[[], float], pressed: float) -> float:
    """Return the time of a key press on this clock: the key may have waited for a busy program."""
    return clock() - (monotonic() - pressed)


class TypedAhead(Message):
    """A key or a paste came too early to be meant for the dialog."""

    def __init__(self, typed: events.Key | events.Paste) -> None:
        super().__init__()
        self.typed = typed


class Guard:
    """Rejects keys that came too early to be meant for a dialog."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._armed_at = 0.0
        self._hold_number = 0
        """The number of holds so far: the terminal's response only ends its own hold."""
        self._is_text = False
        """Whether the user is typing text, to which digits and letters belong, however late."""

    def hold_until_shown(self, widget: Widget) -> None:
        """Reject keys until the terminal has shown the next frame of `widget`, and a moment more.

        A frame may be seen much later than it is drawn: over a slow line, or in a browser.
        """
        self._armed_at = float("inf")
        self._is_text = False
        self._hold_number += 1
        number = self._hold_number

        def arm() -> None:
            if number == self._hold_number:  # else a newer hold has begun
                self._armed_at = self._clock() + SHOWN_BEFORE_KEYS

        widget.call_after_refresh(lambda: when_shown(widget.app, arm))

    @property
    def armed(self) -> bool:
        """Whether keys count now."""
        return self._clock() >= self._armed_at

    def accept(self, event: events.Key | events.Click, *, known: bool = True) -> bool:
        """Return whether a key or a click counts.

        It does if it is `known` here, and was pressed after the dialog was in view for long enough,
        even if it arrives late. One that doesn't count delays those after it, as they belong to the
        same text; but Esc delays nothing: it is never text, and a user who presses it again and
        again must get out.
        """
        typed_at = time_of_press(self._clock, event.time)
        if known and typed_at >= self._armed_at:
            return True
        if not (isinstance(event, events.Key) and event.key == "escape"):
            self._armed_at = max(self._armed_at, self._clock() + SHOWN_BEFORE_KEYS)
        return False

    def reject_key(self, widget: Widget, key: events.Key) -> bool:
        """Withhold a key that doesn't count from `widget`; return whether it was rejected.

        An arrow key ends a text, so that digits and letters count as answers again.
        """
        bound = key.key in widget.screen.active_bindings
        known = not key.is_printable or (bound and not self._is_text)
        if self.accept(key, known=known):
            self._is_text = self._is_text and key.key not in ("up", "down")
            return False
        # A digit or a space begins no text: it may just have come too early.
        character = (key.character or "").strip()
        is_letter = key.is_printable and bool(character) and not character.isdigit()
        self._is_text = self._is_text or is_letter
        key.stop()
        key.prevent_default()
        widget.post_message(TypedAhead(key))
        return True
