"""A short list of answers, and its variant that has the focus and handles keys."""

from collections.abc import Callable, Sequence

from textual import events
from textual.content import Content
from textual.errors import NoWidget
from textual.geometry import Region, Size
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget

from acp_tui.ui.keys import CHOICES
from acp_tui.ui.textual_fixes.compositor import when_shown
from acp_tui.ui.toolkit.choice_rows import NONE, AnswerChoice, ChoiceRow, choice_rows
from acp_tui.ui.toolkit.type_ahead import Guard

SINGLE = 9
"""Most choices among which one digit chooses; in longer lists it marks one, and Enter chooses."""
ChoicesView = tuple[frozenset[int], tuple[int, ...]]
"""The choices in view, and their place on the screen."""


class Choices(Widget):
    """Draws choices with their details below, both indented behind the number, so that a wrapped
    choice doesn't look like two.

    The parent decides what keys mean.
    """

    class ChoiceClicked(Message):
        """A choice was clicked; `pressed` is the time of the click, on the monotonic clock."""

        def __init__(self, index: int, pressed: float) -> None:
            super().__init__()
            self.index = index
            self.pressed = pressed

    def __init__(self) -> None:
        super().__init__()
        self._choices: Sequence[AnswerChoice] = ()
        self._cursor = NONE
        self._paired = False
        self._shows_numbers = True
        self._drawn: dict[tuple[int, int, bool, bool], list[ChoiceRow]] = {}
        """Drawn rows by width, mark, pairing and numbering. Cached because the layout of a question
        asks for them dozens of times.
        """

    def offer(self, choices: Sequence[AnswerChoice]) -> None:
        """Show these choices, with none marked."""
        self._choices = choices
        self._cursor = NONE
        self._drawn.clear()
        self.refresh(layout=True)

    @property
    def count(self) -> int:
        """Number of choices."""
        return len(self._choices)

    @property
    def marked(self) -> AnswerChoice | None:
        """The choice that Enter chooses, if any."""
        return self._choices[self._cursor] if self._cursor != NONE else None

    def mark(self, index: int | None) -> None:
        """Mark a choice and scroll to it; None marks none."""
        before, self._cursor = self._cursor, NONE if index is None else index
        if self._cursor != before:
            self.reveal()
            self.refresh()

    def reveal(self) -> None:
        """Scroll to the marked choice, as a long list may not be in view completely."""
        if self._cursor == NONE:
            return
        first, many = _rows_of(self._rows(self.content_size.width), self._cursor)
        if many and isinstance(self.parent, Widget):
            region = Region(0, first, 1, many).translate(self.virtual_region.offset)
            self.parent.scroll_to_region(region, animate=False, force=True)

    def on_click(self, event: events.Click) -> None:
        """Report which choice was clicked."""
        shown = self._rows(self.content_size.width)
        if event.y < len(shown):
            self.click_on(shown[event.y].at(event.x), event)

    def click_on(self, index: int, event: events.Click) -> None:
        """Report a click on a choice."""
        self.post_message(self.ChoiceClicked(index, event.time))

    def in_view(self) -> frozenset[int]:
        """Return the indexes of the choices in view: completely, or filling all visible rows."""
        if not self.is_attached:
            return frozenset()  # a callback after a frame may run after the answer
        try:
            geometry = self.screen.find_widget(self)
        except NoWidget:
            return frozenset()
        visible = geometry.visible_region.translate(-geometry.region.offset)
        if visible.height <= 0:
            return frozenset()
        rows = self._rows(self.content_size.width)
        found = set()
        for index in range(len(self._choices)):
            first, many = _rows_of(rows, index)
            end = first + many
            whole = visible.y <= first and end <= visible.bottom
            if whole or first <= visible.y < visible.bottom <= end:
                found.add(index)
        return frozenset(found)

    @property
    def place(self) -> tuple[int, ...]:
        """Position, scroll offset and pairing of the choices on the screen."""
        return (*self.region, *self.scroll_offset, self._paired)

    # Drawing

    def pair(self, paired: bool) -> None:
        """Draw several choices per row if their labels are short enough."""
        if paired != self._paired:
            self._paired = paired
            self.refresh(layout=True)

    def number(self, numbered: bool) -> None:
        """Show the numbers, or hide them while they choose nothing."""
        if numbered != self._shows_numbers:
            self._shows_numbers = numbered
            self.refresh()

    def rows_in(self, width: int, *, paired: bool | None = None) -> int:
        """Return the number of rows at this width, as the choices are or `paired`."""
        return len(self._draw(width, NONE, paired=self._paired if paired is None else paired))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return self.rows_in(width)

    def render(self) -> Content:
        width = max(1, self.content_size.width)
        shown = (row.content.truncate(width, ellipsis=True) for row in self._rows(width))
        return Content("\n").join(shown)

    def _rows(self, width: int) -> list[ChoiceRow]:
        return self._draw(width, self._cursor if self._shows_mark else NONE, paired=self._paired)

    def _draw(self, width: int, marked: int, *, paired: bool) -> list[ChoiceRow]:
        drawn = width, marked, paired, self._shows_numbers
        if drawn not in self._drawn:
            self._drawn[drawn] = list(
                choice_rows(
                    self._choices, width, marked=marked, paired=paired, numbered=self._shows_numbers
                )
            )
        return self._drawn[drawn]

    @property
    def _shows_mark(self) -> bool:
        return self._cursor != NONE and self._choices[self._cursor].offered


class KeyedChoices(Choices, can_focus=True):
    """Choices that handle keys; one out of view is only marked by its number, and scrolled to."""

    BINDINGS = CHOICES  # type: ignore[assignment]

    class Chosen(Message):
        """A choice was made."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class Armed(Message):
        """Guarded choices accept keys again."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._guard = Guard(clock)
        self._typed = 0
        self._timer: Timer | None = None
        self._shown_view: ChoicesView = frozenset(), ()
        """The choices that the terminal shows: the user can't have meant any other."""
        self._awaited_view: ChoicesView | None = None
        """The newest view that the terminal doesn't show yet."""

    def show(self, choices: Sequence[AnswerChoice], *, guarded: bool = True) -> None:
        """Offer choices, and mark the first available one; `guarded` ones ignore keys at first."""
        self.offer(choices)
        self._shown_view = frozenset(), ()
        self._note_view()
        self._cursor = next((at for at, one in enumerate(choices) if one.offered), NONE)
        self._typed = 0
        if guarded:
            self.guard()

    def on_mount(self) -> None:
        """Guard the choices again whenever the app returns to the screen."""
        self.app.app_resume_signal.subscribe(self, lambda _: self.guard())

    def on_unmount(self) -> None:
        """Unsubscribe: the signal would keep this widget in memory."""
        self.app.app_resume_signal.unsubscribe(self)

    # The guard against keys typed too early

    def guard(self) -> None:
        """Ignore keys until the choices have been on screen for a moment."""
        self._guard.hold_until_shown(self)
        self._dim_until_armed()

    def _note_view(self) -> None:
        """Record the choices in view once the terminal shows them."""
        self.call_after_refresh(self._note_drawn)

    def _note_drawn(self) -> None:
        drawn = self._view
        if self.is_attached and drawn not in (self._shown_view, self._awaited_view):
            self._awaited_view = drawn  # a query for each would flood the terminal

            def note_shown() -> None:
                self._shown_view = drawn
                if drawn == self._awaited_view:
                    self._awaited_view = None

            when_shown(self.app, note_shown)

    @property
    def _view(self) -> ChoicesView:
        return self.in_view(), self.place

    def _dim_until_armed(self) -> None:
        """Dim the choices until they accept keys again."""
        self.add_class("-guarded")
        if self._timer is None:
            self._timer = self.set_interval(0.05, self._check_armed)

    def _check_armed(self) -> None:
        self._note_drawn()
        if self._guard.armed and self._timer is not None and self._view == self._shown_view:
            self._timer.stop()
            self._timer = None
            self.remove_class("-guarded")
            self.post_message(self.Armed())

    def on_key(self, event: events.Key) -> None:
        """Ignore keys that were meant for something else."""
        self._note_view()  # the key may scroll
        if self._guard.reject_key(self, event):
            if event.is_printable and not (event.character or "").isdigit():
                self._cursor = NONE
                self._typed = 0
                self.refresh()
            self._dim_until_armed()

    # Choosing

    def on_focus(self) -> None:
        """Show the mark."""
        self.refresh()

    def on_blur(self) -> None:
        """Hide the mark."""
        self.refresh()

    def action_move(self, step: int) -> None:
        """Mark the next available choice in a direction."""
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
        """Choose the marked choice."""
        if self._cursor != NONE:
            self._post_choice(self._cursor)

    def action_number(self, number: int) -> None:
        """Choose by number, from 1; among more than nine, mark the one whose digits are typed."""
        longer = self._typed * 10 + number  # after the digits typed just before
        typed = next((one for one in (longer, number) if 0 < one <= len(self._choices)), None)
        if typed is None:
            return
        if len(self._choices) <= SINGLE:
            self._post_choice(typed - 1)
        elif self._guard.armed and self._choices[typed - 1].offered:
            self.mark(typed - 1)
            self._typed = typed

    def on_resize(self) -> None:
        """Record choices that came into view, or moved."""
        self._note_view()

    def click_on(self, index: int, event: events.Click) -> None:
        """Choose the clicked choice if the terminal shows it at that position."""
        if self._guard.accept(event) and self._shown_view[1] == self.place:
            self._post_choice(index)

    def _post_choice(self, index: int) -> None:
        """Post the choice if the terminal shows it.

        Keys that arrive together may all pass `on_key` before the first one acts, so each is
        checked here again.
        """
        if not self._guard.armed or not self._choices[index].offered:
            return
        is_shown = index in self.in_view() and index in self._shown_view[0]
        self.mark(index)
        self._note_view()
        if is_shown:
            self.post_message(self.Chosen(index))
        else:
            self.app.bell()  # the user can't have read it

    @property
    def _shows_mark(self) -> bool:
        return super()._shows_mark and self.has_focus


def _rows_of(rows: Sequence[ChoiceRow], index: int) -> tuple[int, int]:
    """Return the first row of a choice, and its number of rows."""
    own = [at for at, row in enumerate(rows) if index in row.choices]
    return (own[0] if own else 0), len(own)
