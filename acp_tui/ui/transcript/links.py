"""The links on the screen of a transcript: a click opens one, or a letter that is put on it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import events

from acp_tui.ui.textual_fixes.line_scroll_view import DrawnRow
from acp_tui.ui.transcript.ports import Outside

if TYPE_CHECKING:
    from acp_tui.ui.transcript.link_hints import LinkHints


class Links:
    """Opens links. What it takes for that is loaded with the first one: at a start nobody opens any."""

    def __init__(
        self,
        outside: Outside,
        refresh: Callable[[], object],
        rows: Callable[[], Sequence[DrawnRow]],
    ) -> None:
        """`rows` returns what is on screen, without letters."""
        self._outside = outside
        self._refresh = refresh
        self._rows = rows
        self._hints: LinkHints | None = None

    @property
    def have_letters(self) -> bool:
        """Whether the next key is one of the letters."""
        return self._hints is not None and self._hints.is_shown

    def hint(self) -> None:
        """Put letters on the links on screen."""
        from acp_tui.ui.transcript.link_hints import LinkHints

        if self._hints is None:
            self._hints = LinkHints(self._outside, self._refresh, self._rows)
        if not self._hints.show():
            self._outside.say("there is no link on the screen")

    def take(self, event: events.Key) -> None:
        """Take a key while links have letters."""
        if self._hints is not None:
            self._hints.take(event)

    def drawn(self, y: int, row: DrawnRow) -> DrawnRow:
        """Return a row of the screen with the letters of its links."""
        if self._hints is None or not self._hints.is_shown:
            return row
        return DrawnRow(self._hints.drawn(y, row), row.cell_length)

    def follow(self, x: int, y: int) -> None:
        """Open the link that a cell of the screen belongs to."""
        from acp_tui.ui.transcript.link_hints import follow, link_at

        link = link_at(self._rows(), x, y)
        if link is not None:
            follow(link, self._outside)
