"""The scopes of a review: a whole session, one of its turns, or the differences from HEAD."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from acp_tui.protocol.content import Diff
from acp_tui.state.changed_files import ChangedFile, changed_files, times_of_changes
from acp_tui.state.entries import MessageEntry, is_prompt
from acp_tui.state.session import Session
from acp_tui.text import clean_line
from acp_tui.ui.toolkit.shortened import crop_text

if TYPE_CHECKING:
    from acp_tui.rewind.against_head import HeadCommit, HeadDifference, Version
    from acp_tui.rewind.checkpoint import TreeChange
    from acp_tui.state.file_claims import DiskVerdict

WORDS = 48
"""Characters of a prompt that name its turn."""


class ReviewTurn(NamedTuple):
    """A turn's time span, its prompt, and the indexes of its transcript entries."""

    begin: float
    end: float
    words: str
    entries: range

    def has(self, at: float) -> bool:
        """Return whether a time is within the turn."""
        return self.begin <= at < self.end


def list_turns(session: Session) -> list[ReviewTurn]:
    """List the turns of a session, oldest first; each begins with a prompt."""
    places = [at for at, one in enumerate(session.entries) if is_prompt(one)]
    found = []
    for at, after in zip(places, [*places[1:], len(session.entries)], strict=False):
        prompt = session.entries[at]
        assert isinstance(prompt, MessageEntry)
        end = session.entries[after].at if after < len(session.entries) else math.inf
        words = crop_text(clean_line(prompt.text), WORDS)
        found.append(ReviewTurn(prompt.at, end, words, range(at, after)))
    return found


LATE_CHECKPOINT = "kept when the turn had begun"
"""The note on a checkpoint that was finished after its turn had begun, as in a large folder."""


class Reviewed(NamedTuple):
    """A file in a scope.

    If it was compared, `difference` is what happened, and its texts are read once it is shown: from HEAD
    by its `relative` path in the repository, or from the saved trees by its `change`. In the latter
    case, `verdict` compares the change with what was allowed, or `note` is the reason why there is
    no verdict.
    """

    file: ChangedFile
    relative: str = ""
    difference: "HeadDifference | None" = None
    change: "TreeChange | None" = None
    verdict: "DiskVerdict | None" = None
    note: str = ""


def list_order(one: Reviewed) -> tuple[bool, bool, float, str]:
    """Return the sort key of a file in the list: warnings first, then files compared with saved
    trees, then by the latest change, then by path.
    """
    is_warning = one.verdict is not None and one.verdict.is_warning
    return not is_warning, one.change is None, -one.file.at, one.file.path


def of_session(
    session: Session, turn: ReviewTurn | None, subagents: Iterable[Session]
) -> list[Reviewed]:
    """List the files changed by a session and its subagents, or in one turn."""
    begin, end = (-math.inf, math.inf) if turn is None else (turn.begin, turn.end)
    return list(map(Reviewed, changed_files(session, begin, end, subagents)))


def of_head(head: "HeadCommit") -> list[Reviewed]:
    """List the files that differ from HEAD. Raises GitError."""
    return [
        Reviewed(ChangedFile(f"{head.top}/{path}", 0.0, by_tools=True), path, difference)
        for path, difference in head.changed().items()
    ]


def read_diff(head: "HeadCommit", one: Reviewed) -> ChangedFile:
    """Return a file of `of_head` with its texts, or the reason why there are none. Raises GitError."""
    old, new = head.versions(one.relative)
    file = ChangedFile(one.file.path, 0.0, by_tools=True)
    if one.difference is not None and one.difference.note:
        file.words.append(
            clean_line(f"{one.difference.note[:1].upper()}{one.difference.note[1:]}.")
        )
    file.words += _ways(one, old)
    trouble = old.trouble or new.trouble
    if trouble:
        file.words.append(f"Its texts aren't shown: {trouble}.")
    else:
        file.diffs.append(Diff(path=file.path, old_text=old.text, new_text=new.text or ""))
        if new.text is None:
            file.words.append("It is deleted.")
    return file


def _ways(one: Reviewed, old: "Version") -> list[str]:
    """Return sentences about the target of a link, now and in HEAD."""
    try:
        found = [f"It leads to {clean_line(str(Path(one.file.path).readlink()))}."]
    except OSError:
        return []
    was_link = (
        one.difference is not None
        and one.difference.letter == "M"
        and one.difference.kind == "a link"
    )
    return [*found, *([f"It led to {clean_line(old.text)}."] if was_link and old.text else [])]


class ReviewScope:
    """The scope of the listed changes: the session, one of its turns, or the differences from HEAD."""

    def __init__(self) -> None:
        self.head: HeadCommit | None = None
        """The last commit, if the scope is the comparison with it."""
        self._turn: int | None = None
        """The number of the only turn shown, from 0; None for all."""
        self.touched: frozenset[int] | None = None
        """The turns in which files changed on disk; None if that isn't known."""
        self.why_reported = ""
        """Why only reported changes are listed; "" if changes on disk are."""
        self.is_checkpoint_late = False
        """Whether the first checkpoint was finished late, so that earlier changes aren't known."""
        self.left_out: tuple[str, ...] = ()
        """Names of files and folders that are in no checkpoint, so that changes there aren't known.
        """

    @property
    def number(self) -> int | None:
        """The number of the only turn shown, from 0; None for all."""
        return self._turn

    def turn(self, session: Session) -> ReviewTurn | None:
        """Return the only turn shown; None for all."""
        turns = list_turns(session)
        return turns[self._turn] if self._turn is not None and self._turn < len(turns) else None

    def step_turn(self, session: Session, step: int, subagents: Iterable[Session]) -> bool:
        """Go to the next or previous turn that changed a file; after the last one, to all turns.
        Return False if there is none.
        """
        turns = list_turns(session)
        at = (self._turn if self._turn is not None else len(turns)) + step
        touched = self.touched
        if touched is None:
            times = times_of_changes(session, subagents)
            touched = frozenset(n for n, one in enumerate(turns) if any(map(one.has, times)))
        while 0 <= at < len(turns) and at not in touched:
            at += step
        if at < 0 or (self._turn is None and at > len(turns)):
            return False
        self._turn = at if at < len(turns) else None
        self.head = None
        return True

    def describe_turn(self, session: Session) -> str:
        """Return the number and the prompt of the only turn shown; "" if all turns are shown."""
        turn = self.turn(session)
        if self.head is not None or turn is None or self._turn is None:
            return ""
        return f"turn {self._turn + 1} of {len(list_turns(session))}: {turn.words}"

    @property
    def is_read(self) -> bool:
        """Whether the changes are known, or the reason why only reports are."""
        return self.head is not None or bool(self.why_reported) or self.touched is not None

    def nothing(self) -> str:
        """Return the text for an empty list."""
        if self.head is not None:
            return "nothing differs from the last commit"
        if self.why_reported:
            return "No change reported yet. Files that the agent says it changes appear here."
        if self.touched is None:
            return "reading what has changed"
        if self.is_checkpoint_late:
            return "No change was found. What changed before the files were saved isn't known."
        if self._turn is not None:
            return "no file changed from this turn until the next"
        return "No changes yet. Files that change during a turn appear here."
