"""A list of answers that has the focus, and is chosen from by number, by arrows or by a click."""

from collections.abc import Callable, Sequence

from textual import events
from textual.message import Message
from textual.timer import Timer

from acp_tui.ui import bindings
from acp_tui.ui.choice_rows import NONE, Choice
from acp_tui.ui.choices import Choices
from acp_tui.ui.guard import Guard

SINGLE = 9
"""How many choices there may be for one digit to choose; of more it marks one, and Enter chooses."""


class KeyedChoices(Choices, can_focus=True):
    """What is not in view is not chosen: its number marks it, which brings it into view."""

    BINDINGS = bindings.CHOICES  # type: ignore[assignment]

    class Chosen(Message):
        """A choice was made."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class Armed(Message):
        """Guarded choices take keys from now on."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._guard = Guard(clock)
        self._typed = 0
        self._timer: Timer | None = None

    def show(self, choices: Sequence[Choice], *, guarded: bool = True) -> None:
        """Offer these; `guarded` choices take no key for a moment. The first that is offered is marked."""
        self.offer(choices)
        self._cursor = next((at for at, one in enumerate(choices) if one.offered), NONE)
        self._typed = 0
        if guarded:
            self.guard()

    def on_mount(self) -> None:
        """Guard what comes back on the screen like what is new there."""
        self.app.app_resume_signal.subscribe(self, lambda _: self.guard())

    def on_unmount(self) -> None:
        """Let go of what the signal would keep."""
        self.app.app_resume_signal.unsubscribe(self)

    # Keys that count for nothing

    def guard(self) -> None:
        """Take no key until this has been seen for a moment: that begins when it has been drawn."""
        self._guard.hold()
        self.call_after_refresh(self._guard.begin)
        self._dim()

    def _dim(self) -> None:
        """Show that no key counts, until one does again."""
        self.add_class("-guarded")
        if self._timer is None:
            self._timer = self.set_interval(0.05, self._look)

    def _look(self) -> None:
        if self._guard.armed and self._timer is not None:
            self._timer.stop()
            self._timer = None
            self.remove_class("-guarded")
            self.post_message(self.Armed())

    def on_key(self, event: events.Key) -> None:
        """Take no answer from what is typed for something else."""
        if self._guard.turns_away(self, event):
            if event.is_printable and not (event.character or "").isdigit():
                self._cursor = NONE
                self._typed = 0
                self.refresh()
            self._dim()

    # Choosing

    def on_focus(self) -> None:
        """Show the mark."""
        self.refresh()

    def on_blur(self) -> None:
        """Hide the mark."""
        self.refresh()

    def action_move(self, step: int) -> None:
        """Mark the choice before or after."""
        count = len(self._choices)
        start = 0 if self._cursor == NONE and step < 0 else self._cursor
        for distance in range(1, count + 1):
            at = (start + step * distance) % count
            if self._choices[at].offered:
                self.mark(at)
                break

    def mark(self, index: int | None) -> None:
        """Mark a choice, and scroll to it."""
        self._typed = 0
        super().mark(index)

    def action_choose(self) -> None:
        """Choose what is marked."""
        if self._cursor != NONE:
            self._choose(self._cursor)

    def action_number(self, number: int) -> None:
        """Choose by number, counted from 1; of more than nine mark the one whose number is typed."""
        typed = self._numbered(number)
        if typed is None:
            return
        if len(self._choices) <= SINGLE:
            self._choose(typed - 1)
        elif self._guard.armed and self._choices[typed - 1].offered:
            self.mark(typed - 1)
            self._typed = typed

    def _numbered(self, digit: int) -> int | None:
        """The number that a digit makes, after those that were typed just before."""
        longer = self._typed * 10 + digit
        return next((one for one in (longer, digit) if 0 < one <= len(self._choices)), None)

    def click_on(self, index: int, event: events.Click) -> None:
        """Choose what is clicked on."""
        if not self._guard.early(event):
            self._choose(index)

    def _choose(self, index: int) -> None:
        """Post the choice. Keys that come at once may pass `on_key` together: each is for what was
        shown by then.
        """
        if not self._guard.armed or not self._choices[index].offered:
            return
        in_view = self.is_in_view(index)
        self.mark(index)
        if in_view:
            self.post_message(self.Chosen(index))
        else:
            self.app.bell()  # nobody can have read it

    @property
    def _shows_mark(self) -> bool:
        return super()._shows_mark and self.has_focus
