"""The frame of the review: its heading, and the keys that count where one is, named when keys rest."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from acp_tui.text import clean_line
from acp_tui.ui.review.offered_keys import PLACE, offered_keys, other_scopes, place_in
from acp_tui.ui.review.titles import count_of, heading
from acp_tui.ui.toolkit.boxes import BoxFrame
from acp_tui.ui.toolkit.idle import Rest

if TYPE_CHECKING:
    from acp_tui.ui.review.actions import Deeds
    from acp_tui.ui.review.panes import Panes
    from acp_tui.ui.review.screen import ReviewScreen


class Edges:
    """What they say is about what the panes show; `rested` is what else is done when keys rest."""

    def __init__(
        self, screen: "ReviewScreen", panes: "Panes", deeds: "Deeds", rested: Callable[[], None]
    ) -> None:
        self.frame = BoxFrame()
        self.has_git = False
        self._screen = screen
        self._panes = panes
        self._deeds = deeds
        self._rested = rested
        self._rest = Rest(screen, self._finish)
        self._names_keys = False
        """Whether the keys are to be named when keys rest: nothing was told since."""

    def entitle(self) -> None:
        """Say whose changes are shown, and how many files there are."""
        screen = self._screen
        count = count_of(self._panes.listing, len(screen.comments))
        self.frame.entitle(heading(screen.scope, screen.session), count)

    def offer(self) -> None:
        """Offer what can be done with what is marked."""
        self._names_keys = False
        screen = self._screen
        marked = screen.marked
        can_undo = marked is not None and self._deeds.last_write(marked.file) is not None
        can_stage, has_comments = screen.scope.head is not None, bool(screen.comments)
        place = place_in(self._panes, can_undo, can_stage, has_comments)
        others = other_scopes(screen.scope, screen.session, self.has_git)
        self.frame.offer(offered_keys(place, others), PLACE)

    def offer_soon(self) -> None:
        """Offer it when keys rest."""
        self._names_keys = True
        self._rest.wait()

    def wait(self) -> None:
        """Do the rest when keys rest; what was told stays."""
        self._rest.wait()

    def tell(self, words: str) -> None:
        """Say in place of the keys what was done, or why not, until another key is pressed."""
        self._names_keys = False
        self.frame.tell(clean_line(words))

    def _finish(self) -> None:
        self._rested()
        if self._names_keys:
            self.offer()
