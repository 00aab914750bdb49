"""What the edges of the review say: whose changes these are, which file, which of its changes."""

from typing import TYPE_CHECKING

from textual.content import Content

from acp_tui.formatting import counted
from acp_tui.session.state import Session
from acp_tui.text import clean_line
from acp_tui.ui.bindings import hints
from acp_tui.ui.lines.paths import shown_path
from acp_tui.ui.review.file_parts import letter_of, state_of
from acp_tui.ui.review.scopes import Reviewed, Scope, turns_of
from acp_tui.ui.words import path_end

if TYPE_CHECKING:
    from acp_tui.ui.review.file_rows import ChangedFileList

PLACE = "changed-files"
"""Whose keys are named."""
ACTS = {"A": "new file", "D": "deleted"}


def heading(
    scope: Scope, session: Session, listing: "ChangedFileList", comments: int, has_git: bool
) -> Content:
    """Return whose changes are listed, with the keys that lead to others, and how many there are."""
    more = f", and {listing.more:,} more," if listing.more else ""
    told = counted(comments, "comment") if comments else ""
    files = counted(listing.done, "file")
    return Content.assemble(
        ("Review: ", "bold"),
        Content(" · ").join(_switch(scope, session, has_git)),
        (f"   {told}" if told else "", "$warning"),
        (f"   {files}{more} in {clean_line(session.cwd)}", "$text-muted"),
    )


def _switch(scope: Scope, session: Session, has_git: bool) -> list[Content]:
    """Return what can be shown: that which is without a key, the rest with the key that shows it."""
    turn, against_head = scope.told(session), scope.head is not None
    agents = "agent's changes"
    if against_head:
        found = [hints([("h", agents)], PLACE)]
    else:
        found = [Content.styled(agents, "$text-muted" if turn else "bold $accent")]
    if turn:
        keys = [
            hints([(key, "")], PLACE) for key in ("left_square_bracket", "right_square_bracket")
        ]
        found.append(Content.assemble(*keys, (turn, "bold $accent")))
    elif len(turns_of(session)) > 1:
        found.append(hints([("left_square_bracket", "by turn")], PLACE))
    if against_head:
        found.append(Content.styled("against HEAD", "bold $accent"))
    elif has_git:
        found.append(hints([("h", "against HEAD")], PLACE))
    return found


def of_list(listing: "ChangedFileList") -> Content:
    """Return the title of the list, where it has an edge of its own."""
    return _titled(f"Files {listing.done}", listing.has_keys)


def of_diff(
    one: Reviewed | None, cwd: str, change: tuple[int, int], has_keys: bool, width: int
) -> Content:
    """Return which file the diff is of, how it stands, and at which of its changes one is (from 1; 0
    outside of them, and 0 of 0 as long as it isn't known how many there are).
    """
    if one is None:
        return Content()
    at, count = change
    changes = f"change {at} of {count}" if at else counted(count, "change")
    ends = [
        Content.styled(ACTS.get(letter_of(one), ""), "$text-muted"),
        state_of(one),
        Content.styled(changes if count else "", "$text-muted"),
    ]
    end = Content.assemble(*(Content.assemble("  ", said) for said in ends if said))
    place = path_end(clean_line(shown_path(one.file.path, cwd)), max(8, width - end.cell_length))
    return Content.assemble(_titled(place, has_keys), end)


def _titled(words: str, has_keys: bool) -> Content:
    return Content.styled(words, "bold $primary" if has_keys else "$text-muted")
