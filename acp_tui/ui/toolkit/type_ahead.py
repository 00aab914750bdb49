"""Guards a dialog against keys that were typed before it was seen."""

from collections.abc import Callable
from time import monotonic

from textual import events
from textual.message import Message
from textual.widget import Widget

from acp_tui.ui.textual_fixes.shown import when_shown

SHOWN_BEFORE_KEYS = 0.5
"""Seconds that something is in view before a key counts: that of `state/question.py`, which a start doesn't load."""


class TypedAhead(Message):
    """A key or a paste was not meant for what is shown."""

    def __init__(self, typed: events.Key | events.Paste) -> None:
        super().__init__()
        self.typed = typed


class Guard:
    """Tells keys that came too early from those that count."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._armed_at = 0.0
        self._held = 0
        """The number of holds so far: a receipt ends only the hold that it is for."""
        self._writes = False
        """Whether words are written: then numbers and letters are words, too, however late."""

    def hold_until_shown(self, widget: Widget) -> None:
        """Let no key count until the terminal has shown what `widget` draws next, and a moment more.

        What was drawn may reach a person much later: over a slow line, or in a browser.
        """
        self._armed_at = float("inf")
        self._writes = False
        self._held += 1
        held = self._held

        def begin() -> None:
            if held == self._held:  # else something else has come up since
                self._armed_at = self._clock() + SHOWN_BEFORE_KEYS

        widget.call_after_refresh(lambda: when_shown(widget.app, begin))

    @property
    def armed(self) -> bool:
        """Whether a key counts by now."""
        return self._clock() >= self._armed_at

    def counts(self, event: events.Event) -> bool:
        """Whether something was typed after all was seen for long enough, even if it arrives
        late.
        """
        return self._clock() - (monotonic() - event.time) >= self._armed_at

    def early(self, event: events.Key | events.Click, *, known: bool = True) -> bool:
        """Take a key or a click in: whether it counts for nothing. It came too early, or it is not
        `known` here: then what follows is a text, too.

        Esc puts nothing off: no text is written with it, and who presses it again and again must
        get out.
        """
        if known and self.counts(event):
            return False
        if not (isinstance(event, events.Key) and event.key == "escape"):
            self._armed_at = max(self._armed_at, self._clock() + SHOWN_BEFORE_KEYS)
        return True

    def turns_away(self, widget: Widget, key: events.Key) -> bool:
        """Let `widget` have nothing of a key that counts for nothing; whether it is one. An arrow
        ends what is written: then numbers and letters answer again.
        """
        bound = key.key in widget.screen.active_bindings
        known = not key.is_printable or (bound and not self._writes)
        if not self.early(key, known=known):
            self._writes = self._writes and key.key not in ("up", "down")
            return False
        self._writes = self._writes or _is_letter(key)
        key.stop()
        key.prevent_default()
        widget.post_message(TypedAhead(key))
        return True


def _is_letter(key: events.Key) -> bool:
    """Whether a key begins a text: a number, or a blank, may only have come too early."""
    character = (key.character or "").strip()
    return key.is_printable and bool(character) and not character.isdigit()
