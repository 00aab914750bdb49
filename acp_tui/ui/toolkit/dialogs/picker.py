"""A dialog for choosing from a list that is filtered by typing."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.ui import bindings
from acp_tui.ui.keys import PICKER
from acp_tui.ui.toolkit.boxes import LIST, BoxFrame
from acp_tui.ui.toolkit.dialogs.listing import AROUND, BAR, Listing
from acp_tui.ui.toolkit.line_input import LineInput
from acp_tui.ui.toolkit.screens import OverlayScreen

T = TypeVar("T")
Opened = TypeVar("Opened")
NOTE = 5
"""Rows that a note takes from the list."""


@dataclass(frozen=True, slots=True)
class Item(Generic[T]):
    """A row, its value (None for a heading), and the words by which it is found."""

    row: Content
    value: T | None = None
    words: str = ""
    always_shown: bool = False
    """Whether a heading is also shown above search results."""
    about: str = ""
    """The description in the row, if it may be too long to fit."""


class Picker(OverlayScreen[None], Generic[T]):
    """A list with a filter field. A subclass lists the `items` and acts on the `chosen` one."""

    DEFAULT_CLASSES = LIST
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = PICKER  # type: ignore[assignment]
    searched_from = 0
    """The number of items from which on the search field is always shown; shorter lists can be
    searched by typing, too.
    """
    marks_best = False
    """Whether `items` puts the best match first, so that typing marks the first row."""

    def __init__(self, placeholder: str) -> None:
        super().__init__()
        self._placeholder = placeholder
        self._shown: list[Item[T]] = []
        self._terms: list[str] = []
        self._frame = BoxFrame()
        self._input = LineInput(placeholder=placeholder)
        self._listing = Listing()
        self._note = Static(markup=False, id="note")

    def compose(self) -> ComposeResult:
        with self._frame:
            yield self._input
            yield self._listing
            yield self._note

    def on_mount(self) -> None:
        self._input.focus()
        self.show()

    def on_resize(self) -> None:
        """Fit the list to the new size."""
        self._listing.styles.min_height = None
        self.show()

    # To be defined by subclasses

    def items(self) -> Sequence[Item[T]]:
        """Return all items that can be chosen now, and headings."""
        raise NotImplementedError

    def heading(self) -> Content:
        """Return the title of the box."""
        raise NotImplementedError

    def count(self, items: Sequence[Item[T]]) -> str:
        """Return the number of items, or ""; while the list is filtered, also of matches."""
        many = sum(item.value is not None for item in items)
        found = sum(item.value is not None for item in self._shown)
        return f"{found} of {many}" if self.searching else f"{many or ''}"

    def keys(self) -> list[tuple[str, str]]:
        """Return the most important keys, and what they do."""
        raise NotImplementedError

    def note(self) -> Content | None:
        """Return the note below the list about the marked item; None if the rows show all."""
        room = self.room
        cut = (item for item in self._shown if item.about and item.row.cell_length > room > 0)
        if next(cut, None) is None:
            return None
        at = self._listing.cursor
        return Content(self._shown[at].about if at < len(self._shown) else "")

    def follow_mark(self) -> None:
        """React to a moved mark; called whenever it may have moved."""

    def chosen(self, value: T) -> None:
        """Act on the choice."""
        raise NotImplementedError

    def empty(self) -> str:
        """Return the text of an empty list."""
        return "nothing found" if self.searching else "there is nothing to choose from"

    # The list

    @property
    def room(self) -> int:
        """The width of a row's text, in cells."""
        return max(0, self._listing.size.width - 1 - (BAR if self._listing.overflows else 0))

    @property
    def marked(self) -> T | None:
        """The marked value; None if nothing can be chosen."""
        at = self._listing.cursor
        return self._shown[at].value if at < len(self._shown) else None

    @property
    def written(self) -> str:
        """The text typed to filter the list."""
        return self._input.value

    @property
    def searching(self) -> bool:
        """Whether the list is filtered."""
        return bool(self.written)

    def clear_search(self) -> None:
        """Clear the filter."""
        self._input.value = ""

    def mark(self, value: T) -> None:
        """Mark the item with this value, if it is listed."""
        at = next((at for at, one in enumerate(self._shown) if one.value == value), None)
        if at is not None:
            self._listing.move_to(at)
            self._follow_mark()

    def show(self) -> None:
        """Update the list; the mark stays on its item, or else in its row."""
        marked = self.marked
        terms = self._input.value.lower().split()
        items = self.items()
        offered = self.searching or len(items) >= self.searched_from
        # Hide an unneeded field, but leave its row empty: it still gets the keys.
        self._input.set_class(not offered, "-unneeded")
        self._input.placeholder = self._placeholder if offered else ""
        self._shown = [item for item in items if _matches(item, terms)]
        rows = [item.row for item in self._shown] or [Content.styled(self.empty(), "$text-muted")]
        near = self._listing.cursor if terms == self._terms else 0
        same = (at for at, one in enumerate(self._shown) if marked and one.value == marked)
        at = near if self.marks_best and terms != self._terms else next(same, near)
        headings = frozenset(at for at, one in enumerate(self._shown) if one.value is None)
        overflowed = self._listing.overflows
        self._listing.show(rows, at, headings if self._shown else frozenset({0}))
        if self._listing.overflows != overflowed:
            self.show()  # the scroll bar changes the width of the rows
            return
        self._frame.entitle(self.heading(), self.count(items))
        self._frame.offer(self.keys(), *bindings.places_of(self), "lists")
        self._terms = terms
        self._follow_mark()

    def _follow_mark(self) -> None:
        """Show the note about the marked item."""
        note = self.note()
        self._note.display = note is not None
        self._listing.around = AROUND if note is None else AROUND + NOTE
        if note is not None:
            self._note.update(note)
        self.follow_mark()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter the list; the note below it stays where it is."""
        event.stop()
        if self.searching and not self._terms:
            self._listing.styles.min_height = self._listing.size.height
        elif not self.searching:
            self._listing.styles.min_height = None
        self.show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Choose the marked item."""
        event.stop()
        self._choose()

    def on_listing_row_clicked(self, event: Listing.RowClicked) -> None:
        """Choose the clicked item."""
        event.stop()
        self._choose()

    def _choose(self) -> None:
        value = self.marked
        if value is not None:
            self.chosen(value)

    def action_move(self, step: int) -> None:
        """Move the mark by `step` rows."""
        self._listing.move(step)
        self._follow_mark()

    def action_page(self, pages: int) -> None:
        """Move the mark by `pages` pages."""
        self._listing.page(pages)
        self._follow_mark()


class SecondLevel(Generic[Opened]):
    """The list of values that a picker's item opens; Esc goes back to the items."""

    def __init__(self, picker: Picker[Any], opened: Opened | None = None) -> None:
        self._picker = picker
        self.opened = opened
        """The value of the item whose list is shown, if any."""
        self.is_only = opened is not None
        """Whether the picker shows only this list, so that Esc closes it."""

    def open(self, opened: Opened | None) -> None:
        """Show an item's values, the current one marked; None shows the items, the last marked."""
        if opened is None and self.is_only:
            self._picker.dismiss()
            return
        before, self.opened = self.opened, opened
        self._picker.clear_search()
        self._picker.show()
        if opened is not None:
            self.mark_current()
        elif before is not None:
            self._picker.mark(before)

    def mark_current(self) -> None:
        """Mark the current value, which is the one with a filled circle."""
        for item in self._picker.items():
            if "●" in item.row.plain and item.value is not None:
                self._picker.mark(item.value)

    def close(self) -> None:
        """Go back to the items; from there, close the picker."""
        if self.opened is not None:
            self.open(None)
        else:
            self._picker.dismiss()


def _matches(item: Item[T], terms: Sequence[str]) -> bool:
    words = item.words.lower()
    found = item.value is not None and all(term in words for term in terms)
    return not terms or item.always_shown or found
