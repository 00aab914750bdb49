"""A short list of answers, chosen by number, by arrows or by a click."""

from collections.abc import Callable, Sequence

from textual import events
from textual.content import Content
from textual.errors import NoWidget
from textual.geometry import Region, Size
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from acp_tui.ui import bindings
from acp_tui.ui.choice_rows import NONE, Choice, Row, choice_rows
from acp_tui.ui.guard import Guard

SINGLE = 9
"""How many choices there may be for one digit to choose; of more it marks one, and Enter chooses."""


class Choices(Widget, can_focus=True):
    """Each with its detail below; both are wrapped beside its number, so that none looks like two.

    What is not in view is not chosen: its number marks it, which brings it into view.
    """

    BINDINGS = bindings.CHOICES  # type: ignore[assignment]

    class Chosen(Message):
        """A choice was made."""

        def __init__(self, index: int, *, marked: bool) -> None:
            super().__init__()
            self.index = index
            self.marked = marked
            """Whether Enter chose it, and no number or click."""

    class Armed(Message):
        """Guarded choices take keys from now on."""

    def __init__(self, clock: Callable[[], float], *, led: bool = False) -> None:
        """Those that are `led` get their keys from the prompt, and never have the focus."""
        super().__init__()
        self._led = led
        self.can_focus = not led
        self._guard = Guard(clock)
        self._choices: Sequence[Choice] = ()
        self._cursor = NONE
        self._typed = 0
        self._chosen = False
        self._paired = False
        self._shows_numbers = True
        self._timer: Timer | None = None

    def show(self, choices: Sequence[Choice], *, guarded: bool = True, mark: int = 0) -> None:
        """Offer these; `guarded` choices take no key for a moment. What is marked is the first that
        is offered from `mark` on; if that is `NONE`, Enter does nothing before an arrow or a number.
        """
        self._choices = choices
        offered = (at for at, one in enumerate(choices) if one.offered and at >= mark)
        self._cursor = next(offered, NONE) if mark != NONE else NONE
        self._typed = 0
        self._chosen = False
        if guarded:
            self.guard()
        self.refresh(layout=True)

    def on_mount(self) -> None:
        """Guard what comes back on the screen like what is new there."""
        self.app.app_resume_signal.subscribe(self, lambda _: self.guard())

    def on_unmount(self) -> None:
        """Let go of what the signal would keep."""
        self.app.app_resume_signal.unsubscribe(self)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._choices)

    @property
    def marked(self) -> Choice | None:
        """What Enter chooses."""
        return self._choices[self._cursor] if self._cursor != NONE else None

    @property
    def is_armed(self) -> bool:
        """Whether keys count by now."""
        return self._guard.armed

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

    def counts(self, event: events.Event) -> bool:
        """Whether something was typed after this was seen for long enough."""
        return self._guard.counts(event)

    def early(self, event: events.Key, *, known: bool = True) -> bool:
        """Take a key in: whether it counts for nothing, because it came too early or is not `known`."""
        early = self._guard.early(event, known=known)
        if early:
            self._dim()
        return early

    def unmark(self) -> None:
        """Take the mark away because words are being written: no Enter after them chooses, unless
        an arrow has marked something.
        """
        self._cursor = NONE
        self._typed = 0
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        """Take no answer from what is typed for something else."""
        if self._guard.turns_away(self, event):
            if event.is_printable and not (event.character or "").isdigit():
                self.unmark()
            self._dim()

    def takes(self, event: events.Key) -> bool:
        """Do what a key does here that was typed elsewhere; whether it is one of this list. A number
        that comes too early is text, but for one too many after a choice.
        """
        number = int(event.key) if event.key.isdecimal() else None
        steps = {"up": -1, "down": 1}
        if not self.knows(event.key):
            return False
        if self.early(event):
            return number is None or self._chosen
        if number is not None:
            self.action_number(number)
        elif event.key in steps:
            self.action_move(steps[event.key])
        else:
            self.action_choose()
        return True

    def knows(self, key: str) -> bool:
        """Whether a key is one of this list."""
        if key.isdecimal():
            return self._numbered(int(key)) is not None
        return key in ("up", "down", "enter")

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
                self._mark(at)
                break

    def _mark(self, index: int) -> None:
        """Mark a choice, and scroll to it."""
        self._cursor = index
        self._typed = 0
        self.reveal()
        self.refresh()

    def reveal(self) -> None:
        """Scroll to what is marked: not all of a long list may be in view."""
        first, many = self._place(self._cursor) if self._cursor != NONE else (0, 0)
        if many and isinstance(self.parent, Widget):
            region = Region(0, first, 1, many).translate(self.virtual_region.offset)
            self.parent.scroll_to_region(region, animate=False, force=True)

    def action_choose(self) -> None:
        """Choose what is marked."""
        if self._cursor != NONE:
            self._choose(self._cursor, marked=True)

    def action_number(self, number: int) -> None:
        """Choose by number, counted from 1; of more than nine mark the one whose number is typed."""
        typed = self._numbered(number)
        if typed is None:
            return
        if len(self._choices) <= SINGLE:
            self._choose(typed - 1)
        elif self._guard.armed and self._choices[typed - 1].offered:
            self._mark(typed - 1)
            self._typed = typed

    def _numbered(self, digit: int) -> int | None:
        """The number that a digit makes, after those that were typed just before."""
        longer = self._typed * 10 + digit
        return next((one for one in (longer, digit) if 0 < one <= len(self._choices)), None)

    def on_click(self, event: events.Click) -> None:
        """Choose what is clicked on."""
        shown = self._rows(self.content_size.width)
        if event.y < len(shown) and not self._guard.early(event):
            self._choose(shown[event.y].at(event.x))

    def _choose(self, index: int, *, marked: bool = False) -> None:
        """Post the choice. Keys that come at once may pass `on_key` together: each is for what was
        shown by then.
        """
        if not self._guard.armed or not self._choices[index].offered:
            return
        in_view = self._is_in_view(index)
        self._mark(index)
        self._chosen = in_view
        if in_view:
            self.post_message(self.Chosen(index, marked=marked))
        else:
            self.app.bell()  # nobody can have read it

    def _is_in_view(self, index: int) -> bool:
        """Whether a choice can be seen, or as much of it as there are rows for."""
        try:
            geometry = self.screen.find_widget(self)
        except NoWidget:
            return False
        seen = geometry.visible_region.translate(-geometry.region.offset)
        first, many = self._place(index)
        end = first + many
        whole = seen.y <= first and end <= seen.bottom
        return seen.height > 0 and (whole or first <= seen.y < seen.bottom <= end)

    def _place(self, index: int) -> tuple[int, int]:
        """The first of a choice's rows, and how many it has."""
        rows = self._rows(self.content_size.width)
        own = [at for at, row in enumerate(rows) if index in row.choices]
        return (own[0] if own else 0), len(own)

    # Drawing

    def pair(self, paired: bool) -> None:
        """Put several in a row, where their labels leave room for that."""
        if paired != self._paired:
            self._paired = paired
            self.refresh(layout=True)

    def number(self, numbered: bool) -> None:
        """Show the numbers, or none while they choose nothing."""
        if numbered != self._shows_numbers:
            self._shows_numbers = numbered
            self.refresh()

    def rows_in(self, width: int, *, paired: bool | None = None) -> int:
        """How many rows the choices take in this width, as they are or `paired`."""
        paired = self._paired if paired is None else paired
        return sum(1 for _ in choice_rows(self._choices, width, marked=NONE, paired=paired))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return self.rows_in(width)

    def render(self) -> Content:
        width = max(1, self.content_size.width)
        shown = (row.content.truncate(width, ellipsis=True) for row in self._rows(width))
        return Content("\n").join(shown)

    def _rows(self, width: int) -> list[Row]:
        marked = self._cursor if self._is_marked(self._cursor) else NONE
        drawn = choice_rows(
            self._choices, width, marked=marked, paired=self._paired, numbered=self._shows_numbers
        )
        return list(drawn)

    def _is_marked(self, index: int) -> bool:
        return (
            index == self._cursor != NONE
            and self._choices[index].offered
            and (self._led or self.has_focus)
        )
