"""The texts in the review's frame: the title, the number of files, and the key hints, most useful
first.
"""

from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content

from acp_tui.formatting import counted
from acp_tui.state.session import Session
from acp_tui.text import clean_line
from acp_tui.ui.review.scopes import LATE_CHECKPOINT, ReviewScope, list_turns
from acp_tui.ui.toolkit.shortened import from_home

if TYPE_CHECKING:
    from acp_tui.ui.review.file_rows import ChangedFileList
    from acp_tui.ui.review.panes import Panes

Keys = list[tuple[str, str]]
PLACE = "changed-files"
"""The name of the review's key table."""


def review_heading(scope: ReviewScope, session: Session, *, is_empty: bool) -> Content:
    """Return the title: the source of the listed changes, their folder, and which changes may be
    missing.

    An empty list of reported changes doesn't mention missing ones.
    """
    every = "reported changes" if scope.why_reported else "changes on disk"
    why = "" if is_empty else scope.why_reported
    why = why or (LATE_CHECKPOINT if scope.is_checkpoint_late else "")
    if why:
        every = f"{every}, maybe not all"
    elif scope.left_out and not scope.why_reported:
        more = f" and {len(scope.left_out) - 1:,} more" if len(scope.left_out) > 1 else ""
        why = f"without {clean_line(scope.left_out[0])}{more}"
    whose = (scope.describe_turn(session) or every) if scope.head is None else "against HEAD"
    why = f"  {why}" if why and scope.head is None else ""
    where = f"{why}  {clean_line(from_home(session.cwd))}"
    return Content.assemble((f"Review: {whose}", "bold"), (where, "$text-muted"))


def count_of(listing: "ChangedFileList", comments: int) -> str:
    """Format the number of comments and of listed files."""
    files = counted(listing.done, "file")
    if listing.more:
        files += f", and {listing.more:,} more"
    return f"{counted(comments, 'comment')} · {files}" if comments else files


class ReviewPlace(NamedTuple):
    """The focused part of the review, and which actions are possible there."""

    in_diff: bool
    is_file: bool
    has_diff: bool
    is_last: bool
    can_undo: bool
    can_stage: bool
    can_split: bool
    is_split: bool
    has_comments: bool


def place_in(panes: "Panes", can_undo: bool, can_stage: bool, has_comments: bool) -> ReviewPlace:
    """Return the focused part of the review, and the actions possible there, from the state of the
    panes.
    """
    listing, diff = panes.listing, panes.diff
    return ReviewPlace(
        panes.in_diff,
        is_file=listing.marked is not None,
        has_diff=diff.has_diff,
        is_last=listing.cursor + 1 >= len(listing.files),
        can_undo=can_undo,
        can_stage=can_stage,
        can_split=not panes.missing and diff.has_sides,
        is_split=diff.is_split,
        has_comments=has_comments,
    )


def other_scopes(scope: ReviewScope, session: Session, has_git: bool) -> Keys:
    """Return the hints for keys that switch to another scope."""
    turns: Keys = []
    if scope.describe_turn(session):
        turns = [("left_square_bracket,right_square_bracket", "turn")]
    elif len(list_turns(session)) > 1:
        turns = [("left_square_bracket", "by turn")]
    if scope.head is not None:
        return [("h", "changes"), *turns]
    return [*([("h", "against HEAD")] if has_git else []), *turns]


def offered_keys(place: ReviewPlace, others: Keys) -> Keys:
    """Return the hints, which include `others`; the last one is for the way back."""
    comments: Keys = [("w", "to prompt"), ("C", "comments")] if place.has_comments else []
    sides: Keys = [("v", "one column" if place.is_split else "side by side")]
    sides = sides if place.can_split else []
    undo: Keys = [("u", "undo")] if place.can_undo or place.in_diff else []
    if not place.is_file:
        return [*comments, *others, ("escape", "back")]
    further: Keys = [("n", "next change")] if place.has_diff or not place.is_last else []
    if not place.in_diff:
        return [
            *([("enter", "diff")] if place.has_diff else []),
            *comments[:1],
            *sides,
            *undo,
            *([("s", "stage file")] if place.can_stage else []),
            *others,
            ("o", "editor"),
            *further,
            *comments[1:],
            ("Y", "patch of all"),
            ("escape", "back"),
        ]
    return [
        *further,
        *comments[:1],
        ("c", "comment"),
        *undo,
        *([("s", "stage")] if place.can_stage else []),
        *sides,
        ("tab", "files"),
        ("o", "editor"),
        *others,
        ("shift+down", "more lines"),
        ("y", "patch"),
        *comments[1:],
        ("escape", "back"),
    ]
