"""Links in a transcript: opened by a click, or by the letters that are shown on them."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.strip import Strip

from acp_tui.state.links import misleading_reasons
from acp_tui.ui.textual_fixes.line_scroll_view import DrawnRow
from acp_tui.ui.transcript.ports import Outside

LETTERS = "asdfghjklqwertyuiopzxcvbnm"
"""The letters of link labels, home row first."""
_LABEL = Style(bold=True, reverse=True)


class ScreenLink(NamedTuple):
    """A link on screen: its position, its text, and its target, an address or a file with a line.

    It begins at cell `x` of row `y` and ends before cell `end` of row `last`.
    """

    y: int
    x: int
    last: int
    end: int
    words: str
    target: str
    line: int | None = None
    is_file: bool = False

    @property
    def shows_target(self) -> bool:
        """Whether the text is the whole target, without misleading characters."""
        return self.is_file or (
            self.target == self.words.strip() and not misleading_reasons(self.target)
        )

    def covers(self, x: int, y: int) -> bool:
        """Return whether the link includes a cell."""
        return (self.y, self.x) <= (y, x) and (y, x) < (self.last, self.end)


def _labels(count: int) -> Iterator[str]:
    """Return at least `count` labels of equal length, so that none is a prefix of another."""
    size = 1
    while len(LETTERS) ** size < count:
        size += 1
    return map("".join, product(LETTERS, repeat=size))


def follow_link(link: ScreenLink, outside: Outside) -> None:
    """Open a link; ask first unless its text shows its target."""
    if link.is_file:
        outside.edit(link.target, link.line)
    elif link.shows_target:
        outside.open_link(link.target)
    else:
        outside.ask_for_link(link.target)


def link_at(rows: Sequence[Strip], x: int, y: int) -> ScreenLink | None:
    """Return the link at a cell, if any."""
    return next((link for link in links_in(rows) if link.covers(x, y)), None)


def links_in(rows: Sequence[Strip]) -> Iterator[ScreenLink]:
    """Yield the links in rows of a screen; a wrapped link is yielded once."""
    last: ScreenLink | None = None
    for y, row in enumerate(rows):
        for link in _links_in(row, y):
            if last is not None and _continues(last, link, rows):
                words = last.words + link.words
                last = last._replace(words=words, last=link.last, end=link.end)
            else:
                if last is not None:
                    yield last
                last = link
    if last is not None:
        yield last


def _continues(link: ScreenLink, after: ScreenLink, rows: Sequence[Strip]) -> bool:
    """Return whether `after` continues a link that ends in the row above."""
    if (link.target, link.line, link.last + 1) != (after.target, after.line, after.y):
        return False
    between = rows[link.last].crop(link.end).text + rows[after.y].crop(0, after.x).text
    return not any(letter.isalnum() for letter in between)


def _links_in(row: Strip, y: int) -> Iterator[ScreenLink]:
    x = 0
    last: ScreenLink | None = None
    for segment in row:
        meta = segment.style.meta if segment.style is not None else {}
        end = x + segment.cell_length
        found = next((one for one in ("link", "path") if one in meta), None)
        target = str(meta[found]) if found is not None else ""
        if last is not None and last.target == target and last.end == x:
            last = last._replace(words=last.words + segment.text, end=end)
        else:
            if last is not None:
                yield last
            place = (y, x, y, end, segment.text, target)
            last = (
                ScreenLink(*place, meta.get("line"), found == "path") if found is not None else None
            )
        x = end
    if last is not None:
        yield last


class Links:
    """Opens a link on screen by a click, or by typing its label."""

    def __init__(
        self,
        outside: Outside,
        refresh: Callable[[], object],
        rows: Callable[[], Sequence[DrawnRow]],
    ) -> None:
        """`rows` returns the rows on screen without link labels."""
        self._outside = outside
        self._refresh = refresh
        self._rows = rows
        self._labeled: dict[str, ScreenLink] = {}
        self._typed = ""

    def follow(self, x: int, y: int) -> None:
        """Open the link at a cell of the screen, if any."""
        link = link_at(self._rows(), x, y)
        if link is not None:
            follow_link(link, self._outside)

    @property
    def have_letters(self) -> bool:
        """Whether labels are shown, so that the next key is part of one."""
        return bool(self._labeled)

    def show_letters(self) -> None:
        """Put labels on the links on screen, until one is typed or another key is pressed."""
        links = list(links_in(self._rows()))
        self._label_links(dict(zip(_labels(len(links)), links, strict=False)))
        if not links:
            self._outside.show_note("there is no link on the screen")

    def _label_links(self, labeled: dict[str, ScreenLink]) -> None:
        self._labeled, self._typed = labeled, ""
        self._refresh()

    def handle_key(self, event: events.Key) -> None:
        """Handle a key while labels are shown: a letter of one, or any other to remove them."""
        typed = self._typed + (event.key if event.key in LETTERS else "?")
        link = self._labeled.get(typed)
        if link is None and any(label.startswith(typed) for label in self._labeled):
            self._typed = typed
            self._refresh()
            return
        self._label_links({})
        if link is not None and link in links_in(self._rows()):
            follow_link(link, self._outside)
        elif link is not None:
            self._outside.show_note("the links have moved: look again, nothing was opened")

    def drawn(self, y: int, row: DrawnRow) -> DrawnRow:
        """Return a row of the screen with the letters that remain to be typed."""
        for label, link in self._labeled.items():
            letters = label.removeprefix(self._typed)
            if link.y == y and label.startswith(self._typed):
                end = link.x + len(letters)
                parts = [*row.crop(0, link.x), Segment(letters, _LABEL), *row.crop(end)]
                row = DrawnRow(parts, row.cell_length)
        return row
