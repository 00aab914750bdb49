"""A dialog to choose from a list, narrowed down by typing."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.ui import bindings
from acp_tui.ui.keys import PICKER
from acp_tui.ui.toolkit.boxes import LIST, BoxFrame
from acp_tui.ui.toolkit.dialogs.listing import AROUND, Listing
from acp_tui.ui.toolkit.line_input import LineInput
from acp_tui.ui.toolkit.screens import OverlayScreen

T = TypeVar("T")
NOTE = 5
"""Rows that a note takes of the list's."""


@dataclass(frozen=True, slots=True)
class Item(Generic[T]):
    """A row, what it stands for (a heading for nothing), and the words that find it."""

    row: Content
    value: T | None = None
    words: str = ""
    stays: bool = False
    """Whether a heading is also shown above what is found."""
    about: str = ""
    """What is said of it in the row, where that may be too long for it."""


class Picker(OverlayScreen[None], Generic[T]):
    """What can be chosen comes from `items`; `chosen` says what then."""

    DEFAULT_CLASSES = LIST
    CSS_PATH = Path(__file__).with_suffix(".tcss")
    BINDINGS = PICKER  # type: ignore[assignment]
    searched_from = 0
    """How many rows there are at least where the field to search them is shown from the beginning;
    fewer are searched all the same, once something is typed.
    """
    marks_best = False
    """Whether what is found stands in the order of how well it fits: then typing marks the first."""

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
        """Take the room that there is now."""
        self._listing.styles.min_height = None
        self.show()

    # What the kinds of pickers say

    def items(self) -> Sequence[Item[T]]:
        """List all that there is to choose from now."""
        raise NotImplementedError

    def heading(self) -> Content:
        """What is being chosen."""
        raise NotImplementedError

    def count(self, items: Sequence[Item[T]]) -> str:
        """How many there are to choose from, and how many of them are found."""
        many = sum(item.value is not None for item in items)
        found = sum(item.value is not None for item in self._shown)
        return f"{found} of {many}" if self.searching else f"{many}"

    def keys(self) -> list[tuple[str, str]]:
        """The keys that matter, and what they do."""
        raise NotImplementedError

    def note(self) -> Content | None:
        """What to know about what is marked, below the list; None if a row says all."""
        room = self.room
        cut = (item for item in self._shown if item.about and item.row.cell_length > room > 0)
        if next(cut, None) is None:
            return None
        at = self._listing.cursor
        return Content(self._shown[at].about if at < len(self._shown) else "")

    def follow_mark(self) -> None:
        """Act on that another row may be marked."""

    def chosen(self, value: T) -> None:
        """Act on the choice."""
        raise NotImplementedError

    def empty(self) -> str:
        """What to say when there is nothing to show."""
        return "nothing found" if self.searching else "there is nothing to choose from"

    # The list

    @property
    def room(self) -> int:
        """Cells that a row has."""
        return max(0, self._listing.size.width - 1)

    @property
    def marked(self) -> T | None:
        """What is marked."""
        at = self._listing.cursor
        return self._shown[at].value if at < len(self._shown) else None

    @property
    def written(self) -> str:
        """What was typed to narrow the list down."""
        return self._input.value

    @property
    def searching(self) -> bool:
        """Whether the list is narrowed down."""
        return bool(self.written)

    def clear_search(self) -> None:
        """Show all again."""
        self._input.value = ""

    def mark(self, value: T) -> None:
        """Mark this one, if it is there."""
        at = next((at for at, one in enumerate(self._shown) if one.value == value), None)
        if at is not None:
            self._listing.move_to(at)

    def show(self) -> None:
        """Show what there is now; the mark stays on what it marks, else where it is."""
        marked = self.marked
        terms = self._input.value.lower().split()
        items = self.items()
        self._offer_search(self.searching or len(items) >= self.searched_from)
        self._shown = [item for item in items if _fits(item, terms)]
        rows = [item.row for item in self._shown] or [Content.styled(self.empty(), "$text-muted")]
        near = self._listing.cursor if terms == self._terms else 0
        same = (at for at, one in enumerate(self._shown) if marked and one.value == marked)
        at = near if self.marks_best and terms != self._terms else next(same, near)
        headings = frozenset(at for at, one in enumerate(self._shown) if one.value is None)
        self._listing.show(rows, at, headings if self._shown else frozenset({0}))
        self._frame.entitle(self.heading(), self.count(items))
        self._frame.offer(self.keys(), *bindings.places_of(self), "lists")
        self._terms = terms
        self._follow_mark()

    def _offer_search(self, offered: bool) -> None:
        """Show the field to search in, or leave its row empty: it takes the keys in any case."""
        self._input.set_class(not offered, "-unneeded")
        self._input.placeholder = self._placeholder if offered else ""

    def _follow_mark(self) -> None:
        """Show what there is to know of what is marked."""
        note = self.note()
        self._note.display = note is not None
        self._listing.around = AROUND if note is None else AROUND + NOTE
        if note is not None:
            self._note.update(note)
        self.follow_mark()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the list down; what stands below it stays where it is."""
        event.stop()
        if self.searching and not self._terms:
            self._listing.styles.min_height = self._listing.size.height
        elif not self.searching:
            self._listing.styles.min_height = None
        self.show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Choose what is marked."""
        event.stop()
        self._choose()

    def on_listing_clicked(self, event: Listing.Clicked) -> None:
        """Choose what was clicked on."""
        event.stop()
        self._choose()

    def _choose(self) -> None:
        value = self.marked
        if value is not None:
            self.chosen(value)

    def action_move(self, step: int) -> None:
        """Move the mark."""
        self._listing.move(step)
        self._follow_mark()

    def action_page(self, pages: int) -> None:
        """Move the mark by pages."""
        self._listing.page(pages)
        self._follow_mark()

    def action_close(self) -> None:
        """Choose nothing."""
        self.dismiss()


def _fits(item: Item[T], terms: Sequence[str]) -> bool:
    words = item.words.lower()
    found = item.value is not None and all(term in words for term in terms)
    return not terms or item.stays or found
