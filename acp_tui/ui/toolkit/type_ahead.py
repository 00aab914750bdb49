"""Guards a dialog against keys that were typed before it was seen."""

from collections.abc import Callable
from time import monotonic

from textual import events
from textual.message import Message
from textual.widget import Widget

from acp_tui.ui.textual_fixes.compositor import when_shown

SHOWN_BEFORE_KEYS = 0.5
"""Seconds that a dialog is in view before a key counts, as in `state/question.py`, which a start doesn't load."""


def time_of_press(clock: Callable[[], float], pressed: float) -> float:
    """Return when a key was pressed, by this clock: it may have waited for a busy program."""
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
        self._held = 0
        """The number of holds so far: a receipt ends only its own hold."""
        self._is_text = False
        """Whether the person types a text: then digits and letters belong to it, however late."""

    def hold_until_shown(self, widget: Widget) -> None:
        """Reject keys until the terminal has shown what `widget` draws next, and a moment more.

        A drawn frame may reach a person much later: over a slow line, or in a browser.
        """
        self._armed_at = float("inf")
        self._is_text = False
        self._held += 1
        held = self._held

        def arm() -> None:
            if held == self._held:  # else something else has come up since
                self._armed_at = self._clock() + SHOWN_BEFORE_KEYS

        widget.call_after_refresh(lambda: when_shown(widget.app, arm))

    @property
    def armed(self) -> bool:
        """Whether a key counts by now."""
        return self._clock() >= self._armed_at

    def accept(self, event: events.Key | events.Click, *, known: bool = True) -> bool:
        """Return whether a key or a click counts: it was typed after the dialog was in view for long
        enough, even if it arrives late, and is `known` here. One that doesn't count delays those after
        it: they belong to the same text.

        Esc delays nothing: no text has it, and a person who presses it again and again must get out.
        """
        typed_at = time_of_press(self._clock, event.time)
        if known and typed_at >= self._armed_at:
            return True
        if not (isinstance(event, events.Key) and event.key == "escape"):
            self._armed_at = max(self._armed_at, self._clock() + SHOWN_BEFORE_KEYS)
        return False

    def reject_key(self, widget: Widget, key: events.Key) -> bool:
        """Keep a key that doesn't count from `widget`; return whether it was rejected. An arrow ends a text:
        then digits and letters answer again.
        """
        bound = key.key in widget.screen.active_bindings
        known = not key.is_printable or (bound and not self._is_text)
        if self.accept(key, known=known):
            self._is_text = self._is_text and key.key not in ("up", "down")
            return False
        # A digit or a blank begins no text: it may only have come too early.
        character = (key.character or "").strip()
        is_letter = key.is_printable and bool(character) and not character.isdigit()
        self._is_text = self._is_text or is_letter
        key.stop()
        key.prevent_default()
        widget.post_message(TypedAhead(key))
        return True
