"""Searching in the transcript, and going from match to match."""

from dataclasses import dataclass

from textual.message import Message

from acp_tui.ui.transcript.document import Place
from acp_tui.ui.transcript.entry_view import Fold
from acp_tui.ui.transcript.search import Match, Search
from acp_tui.ui.transcript.selecting import SelectingView


class SearchingView(SelectingView):
    """Finds text in all entries; what is folded away is opened when its match is gone to."""

    _told: tuple[int, bool] | None = None
    _seeking = False
    """Whether to go to a match as soon as all is searched."""

    @dataclass
    class Searched(Message, namespace="transcript"):
        """How many matches there are so far, and if that is all."""

        count: int
        complete: bool

    def search(self, text: str) -> int:
        """Search as the text is typed; nothing ends it. Returns how many matches are known yet."""
        self._search = Search(text, self._document) if text else None
        self._told = None
        self._seeking = True
        if self._search is None:
            self.refresh()
            return 0
        self._frame()
        return self._search.count if self._search is not None else 0

    def searched(self, search: Search) -> None:
        """Tell what is new; go to a match once all is searched."""
        news = (search.count, search.is_complete)
        if news != self._told:
            self._told = news
            self.post_message(self.Searched(*news))
        if search.is_complete and self._seeking:
            self._seeking = False
            match = self._next_match(1)
            if match is not None:
                self._show_match(match)

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
        self.refresh()
