"""Searching in the transcript, and going from match to match."""

from dataclasses import dataclass

from textual.message import Message

from acp_tui.ui.transcript.document import Place
from acp_tui.ui.transcript.entries.entry_view import Fold
from acp_tui.ui.transcript.search import Match, Search
from acp_tui.ui.transcript.selection import SelectingView


class SearchingView(SelectingView):
    """Finds text in all entries; what is folded away is opened when its match is gone to."""

    _told: tuple[int, bool, int | None] | None = None
    _seeking = False
    """Whether to go to a match as soon as all is searched."""

    @dataclass
    class Searched(Message, namespace="transcript"):
        """How many matches there are so far, if that is all, and which is current, from 1."""

        count: int
        complete: bool
        number: int | None = None

    class SearchLeft(Message, namespace="transcript"):
        """The reader is done with the search."""

    def search(self, text: str) -> int:
        """Search as the text is typed; nothing ends it. Returns how many matches are known yet."""
        self._search = Search(text, self._document, self._search) if text else None
        self._told = None
        self._seeking = True
        if self._search is None:
            self.refresh()
            return 0
        self._frame()
        if self._seeking:
            self._show_seen(self._search)
        return self._search.count if self._search is not None else 0

    def searched(self, search: Search) -> None:
        """Tell what is new; go to a match once all is searched."""
        if search.is_complete and self._seeking:
            self._seeking = False
            match = self._next_match(1)
            if match is not None:
                self._show_match(match)
        self._tell(search)

    def _show_seen(self, search: Search) -> None:
        """A match on the screen is the one to go to, whatever is found later."""
        top = self.scroll_offset.y
        search.current = search.look_at(top, top + self.size.height - 1)
        self._seeking = search.current is None
        self.refresh()
        self._tell(search)

    def _tell(self, search: Search) -> None:
        news = (search.count, search.is_complete, search.number)
        if news != self._told:
            self._told = news
            self.post_message(self.Searched(*news))

    def search_here(self) -> None:
        """Put the cursor on the current match; open what hides it."""
        search = self._search
        if search is not None and search.current is not None:
            self._cursor = search.current.entry
            if search.is_hidden(search.current):
                self._to_match(1)

    def action_end_selection(self) -> None:
        """End a selection, else the search; without both the key means something else."""
        if self._search is None or self.is_selecting:
            super().action_end_selection()
        else:
            self.post_message(self.SearchLeft())

    def search_next(self) -> Match | None:
        """Go to the next match."""
        return self._to_match(1)

    def search_previous(self) -> Match | None:
        """Go to the match before."""
        return self._to_match(-1)

    def action_search_next(self) -> None:
        self.search_next()

    def action_search_previous(self) -> None:
        self.search_previous()

    def _to_match(self, step: int) -> Match | None:
        """Go to a match and open what hides it; one that was found while typing is still folded."""
        search = self._search
        if search is None:
            return None
        match = search.current
        if match is None or not search.is_hidden(match):
            match = self._next_match(step)
        if match is None:
            return None
        self._cursor = match.entry
        if search.is_hidden(match):
            search.current = Match(match.entry, -1, 0, 0)
            self._seeking = True
            self._document.view(match.entry).choose(Fold.FULL)
            self.hold(match.entry)
            return search.current
        self._show_match(match)
        return match

    def _next_match(self, step: int) -> Match | None:
        if self._search is None or not self._document.height:
            return None
        place = self._document.locate(min(self.scroll_offset.y, self._document.height - 1))
        return self._search.next_from(place, step)

    def _show_match(self, match: Match) -> None:
        """Bring a match into view, or the first line of the entry that hides it."""
        hidden = self._search is not None and self._search.is_hidden(match)
        self.reveal(Place(match.entry, 0 if hidden else match.line))
        if self._search is not None:
            self._tell(self._search)
        self.refresh()
