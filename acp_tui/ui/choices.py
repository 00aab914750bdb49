"""A short list of answers, as it is drawn; what a key means is decided elsewhere."""

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.errors import NoWidget
from textual.geometry import Region, Size
from textual.message import Message
from textual.widget import Widget

from acp_tui.ui.choice_rows import NONE, Choice, Row, choice_rows


class Choices(Widget):
    """Each with its detail below; both are wrapped beside its number, so that none looks like two."""

    class Clicked(Message):
        """A choice was clicked on; `pressed` is when, on the machine's clock."""

        def __init__(self, index: int, pressed: float) -> None:
            super().__init__()
            self.index = index
            self.pressed = pressed

    def __init__(self) -> None:
        super().__init__()
        self._choices: Sequence[Choice] = ()
        self._cursor = NONE
        self._paired = False
        self._shows_numbers = True

    def offer(self, choices: Sequence[Choice]) -> None:
        """Show these, with none marked."""
        self._choices = choices
        self._cursor = NONE
        self.refresh(layout=True)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._choices)

    @property
    def marked(self) -> Choice | None:
        """The choice that Enter chooses."""
        return self._choices[self._cursor] if self._cursor != NONE else None

    def mark(self, index: int | None) -> None:
        """Mark a choice and scroll to it, or mark none."""
        before, self._cursor = self._cursor, NONE if index is None else index
        if self._cursor != before:
            self.reveal()
            self.refresh()

    def reveal(self) -> None:
        """Scroll to what is marked: not all of a long list may be in view."""
        first, many = self._place(self._cursor) if self._cursor != NONE else (0, 0)
        if many and isinstance(self.parent, Widget):
            region = Region(0, first, 1, many).translate(self.virtual_region.offset)
            self.parent.scroll_to_region(region, animate=False, force=True)

    def on_click(self, event: events.Click) -> None:
        """Report which choice was clicked on."""
        shown = self._rows(self.content_size.width)
        if event.y < len(shown):
            self.click_on(shown[event.y].at(event.x), event)

    def click_on(self, index: int, event: events.Click) -> None:
        """Report a click on a choice."""
        self.post_message(self.Clicked(index, event.time))

    def is_in_view(self, index: int) -> bool:
        """Return whether a choice can be seen, or as much of it as there are rows for."""
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
        marked = self._cursor if self._shows_mark else NONE
        drawn = choice_rows(
            self._choices, width, marked=marked, paired=self._paired, numbered=self._shows_numbers
        )
        return list(drawn)

    @property
    def _shows_mark(self) -> bool:
        return self._cursor != NONE and self._choices[self._cursor].offered
