"""What the edges of the review say: whose changes these are, which file, which of its changes."""

from typing import TYPE_CHECKING

from textual.content import Content

from acp_tui.formatting import counted
from acp_tui.state.state import Session
from acp_tui.text import clean_line
from acp_tui.ui.lines.paths import shown_path
from acp_tui.ui.review.file_parts import letter_of, state_of
from acp_tui.ui.review.scopes import KEPT_LATE, Reviewed, ReviewScope
from acp_tui.ui.toolkit.shortened import path_end

if TYPE_CHECKING:
    from acp_tui.ui.review.file_rows import ChangedFileList

ACTS = {"A": "new file", "D": "deleted"}


def heading(scope: ReviewScope, session: Session) -> Content:
    """Return whose changes are listed, and where."""
    every = "reported changes" if scope.why_reported else "changes on disk"
    if scope.why_reported or scope.kept_late:
        every = f"{every}, maybe not all"
    whose = (scope.told(session) or every) if scope.head is None else "against HEAD"
    why = scope.why_reported or (KEPT_LATE if scope.kept_late else "")
    why = f"  {why}" if why and scope.head is None else ""
    where = f"{why}  {clean_line(session.cwd)}"
    return Content.assemble((f"Review: {whose}", "bold"), (where, "$text-muted"))


def count_of(listing: "ChangedFileList", comments: int) -> str:
    """Return how many files are listed, and on how many places of them something was said."""
    files = counted(listing.done, "file")
    if listing.more:
        files += f", and {listing.more:,} more"
    return f"{counted(comments, 'comment')} · {files}" if comments else files


def of_list(listing: "ChangedFileList") -> Content:
    """Return the title of the list, where it has an edge of its own."""
    return _titled("Files", listing.has_keys)


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
