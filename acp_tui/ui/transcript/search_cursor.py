"""A search as it is typed, and the way from match to match."""

from collections.abc import Callable, Iterable

from acp_tui.ui.transcript.entries.context import Fold
from acp_tui.ui.transcript.entry_cursor import EntryCursor
from acp_tui.ui.transcript.line_place import LinePlace
from acp_tui.ui.transcript.search import Search, TextMatch
from acp_tui.ui.transcript.viewport import Viewport

Tell = Callable[[int, bool, int | None], object]
"""Gets how many matches there are so far, if that is all, and which is current, from 1."""


class SearchCursor:
    """Finds text in all entries; what is folded away is opened when its match is gone to."""

    def __init__(self, view: Viewport, cursor: EntryCursor, tell: Tell) -> None:
        self.search: Search | None = None
        self._view = view
        self._cursor = cursor
        self._tell = tell
        self._told: tuple[int, bool, int | None] | None = None
        self._is_seeking = False
        """Whether to go to a match as soon as all is searched."""

    def start(self, text: str) -> None:
        """Search for a text instead; for none, end the search."""
        self.search = Search(text, self._view.document, self.search) if text else None
        self._told = None
        self._is_seeking = True
        if self.search is None:
            self._view.refresh()
            return
        self._view.frame()
        if self._is_seeking:
            self._go_to_seen(self.search)

    def run(self, touched: Iterable[int], until: float) -> bool:
        """Go on searching, in entries that were laid out again, too; return False if time ran out.

        The reader is taken to a match when all is searched.
        """
        if self.search is None:
            return True
        self.search.changed(touched)
        done = self.search.run(until)
        if self.search.is_complete and self._is_seeking:
            self._is_seeking = False
            match = self._next(self.search, 1)
            if match is not None:
                self._show(self.search, match)
        self._report(self.search)
        return done

    def _go_to_seen(self, search: Search) -> None:
        """Make a match on the screen the current one, whatever is found later."""
        search.current = search.look_at(self._view.top, self._view.top + self._view.rows - 1)
        self._is_seeking = search.current is None
        self._view.refresh()
        self._report(search)

    def open_current(self) -> None:
        """Put the cursor on the current match; open what hides it."""
        if self.search is not None and self.search.current is not None:
            self._cursor.index = self.search.current.entry
            if self.search.is_hidden(self.search.current):
                self.go(1)

    def go(self, step: int) -> TextMatch | None:
        """Go to the next match (`step` 1) or the one before (-1), and open what hides it.

        One that was found while typing is still folded.
        """
        search = self.search
        if search is None:
            return None
        match = search.current
        if match is None or not search.is_hidden(match):
            match = self._next(search, step)
        if match is None:
            return None
        self._cursor.index = match.entry
        if search.is_hidden(match):
            search.current = TextMatch(match.entry, -1, 0, 0)
            self._is_seeking = True
            self._view.document.view(match.entry).choose(Fold.FULL)
            self._view.hold(match.entry)
            return search.current
        self._show(search, match)
        return match

    def _next(self, search: Search, step: int) -> TextMatch | None:
        document = self._view.document
        if not document.height:
            return None
        return search.next_from(document.locate(min(self._view.top, document.height - 1)), step)

    def _show(self, search: Search, match: TextMatch) -> None:
        """Bring a match into view, or the first line of the entry that hides it."""
        self._view.reveal(LinePlace(match.entry, 0 if search.is_hidden(match) else match.line))
        self._report(search)
        self._view.refresh()

    def _report(self, search: Search) -> None:
        news = (search.count, search.is_complete, search.number)
        if news != self._told:
            self._told = news
            self._tell(*news)
