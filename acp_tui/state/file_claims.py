"""What was asked and reported about files, to be held against what the disk says."""

import os.path
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from acp_tui.edits.edits import Edit, EditStep, Trouble, fit, plain_ends
from acp_tui.edits.tool_input import paths
from acp_tui.protocol.content import Diff, FileChange
from acp_tui.protocol.events import EditVerdict
from acp_tui.state.entries import Entry, ToolCallEntry, key_of
from acp_tui.state.state import FileWrite, QuestionAnswer, Session

READING = ("read", "search", "fetch", "think")
"""Kinds of tool calls that change no file, whatever files they name."""
_CLEAR = (Trouble.NONE, Trouble.EXISTS)


class DiskVerdict(StrEnum):
    """How a file compares with what was asked and reported about it, the least remarkable first."""

    AS_ALLOWED = ""
    NEVER_ASKED = "never asked"
    UNNAMED = "changed since a turn began"
    NOT_THERE_AFTERWARD = "not there afterward"
    NOT_THERE = "claimed, not there"
    OTHER = "other than allowed"
    REJECTED = "changed, though rejected"

    @property
    def rank(self) -> int:
        """How remarkable it is."""
        return list(DiskVerdict).index(self)

    @property
    def is_warning(self) -> bool:
        """Whether it isn't what the person was told, or decided."""
        return self.rank >= DiskVerdict.NOT_THERE_AFTERWARD.rank

    @property
    def is_missing(self) -> bool:
        """Whether the file is as it was before, though a change of it was reported."""
        return self in (DiskVerdict.NOT_THERE_AFTERWARD, DiskVerdict.NOT_THERE)


@dataclass(slots=True)
class FileClaims:
    """What was asked and reported about one file in a turn.

    It is `named` by a tool call or a write. `allowed` are the diffs of the questions that were answered so,
    `answers` says how each question about it was answered. `reported`: the agent says that it was changed,
    `made` is the text that it says it wrote; `unwritten`: right afterward the client saw that it wasn't.
    `restored`: the person took some of that back. `unasked` counts edits that no question was about.
    """

    named: bool = False
    reported: bool = False
    unwritten: bool = False
    restored: bool = False
    allowed: list[Diff] = field(default_factory=list)
    answers: list[bool] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    unasked: int = 0
    writes: int = 0

    @property
    def is_settled(self) -> bool:
        """Whether each of its edits was asked about."""
        return self.unasked <= 0 and self.writes <= sum(self.answers)


def claims_in(
    session: Session, entries: Iterable[Entry], begin: float, end: float
) -> dict[str, FileClaims]:
    """Return what was asked and reported about each file from `begin` until `end`, by its absolute path;
    the `entries` are those of that time.
    """
    found: dict[str, FileClaims] = {}

    def about(path: str) -> FileClaims:
        place = os.path.normpath(os.path.join(session.cwd, path))  # noqa: PTH118
        return found.setdefault(place, FileClaims())

    answers = [one for one in session.answers if begin <= one.at < end]
    for answer in answers:
        for path in _answered(answer):
            about(path).answers.append(answer.allowed)
        for diff in _diffs(answer.call) if answer.allowed else ():
            about(diff.path).allowed.append(diff)
    asked = {one.call.tool_call_id for one in answers if one.call is not None}
    for entry in (one for one in entries if isinstance(one, ToolCallEntry)):
        is_asked = entry.tool_call_id in asked
        for path in changed_paths(entry):
            _add_call(about(path), entry, path, is_asked=is_asked)
    for write in (one for one in session.writes if begin <= one.at < end):
        _add_write(about(write.path), write)
    return found


def _add_call(claims: FileClaims, entry: ToolCallEntry, path: str, *, is_asked: bool) -> None:
    """Add what a tool call says of a file that it names."""
    claims.named = True
    own = [diff for diff in _diffs(entry) if diff.path == path]
    made = [diff.new_text for diff in own if (diff.old_text or "") != diff.new_text]
    is_deleted = any(
        one.operation == "delete" and one.path == path
        for one in entry.content
        if isinstance(one, FileChange)
    )
    if entry.status == "completed" and (made or is_deleted):
        claims.reported, claims.made = True, made or [""]
        compared = entry.edits.compared if entry.edits is not None else ()
        claims.unwritten = claims.unwritten or any(
            one.path == path and one.verdict is EditVerdict.UNWRITTEN for one in compared
        )
    if not is_asked:
        claims.unasked += set(map(key_of, own)).isdisjoint(map(key_of, claims.allowed))
    elif not (entry.announced or entry.finished):
        claims.unasked -= 1  # the question has an id of its own: it is about another call


def _add_write(claims: FileClaims, write: FileWrite) -> None:
    claims.named = True
    claims.restored = claims.restored or write.undone or write.by_person
    if write.text is None or write.text != write.old_text:
        claims.reported, claims.made = True, [] if write.text is None else [write.text]
    claims.writes += not write.by_person


def _answered(answer: QuestionAnswer) -> list[str]:
    return [answer.path] if answer.call is None else changed_paths(answer.call)


def changed_paths(call: ToolCallEntry) -> list[str]:
    """Return the paths of the files that a tool call may change."""
    if call.kind in READING:
        return []
    shown = (path for one in call.content if isinstance(one, FileChange) for path in one.paths)
    places = (one.path for one in call.locations)
    named = (diff.path for diff in _diffs(call))
    return list(dict.fromkeys([*named, *shown, *places, *paths(call.raw_input)]))


def _diffs(call: ToolCallEntry | None) -> Iterator[Diff]:
    return (one for one in (call.content if call is not None else ()) if isinstance(one, Diff))


def judge_change(
    claims: FileClaims | None, before: str | None = None, after: str | None = None
) -> DiskVerdict:
    """Judge a file that differs on disk; without its texts, not by what was allowed in them."""
    if claims is None:
        return DiskVerdict.UNNAMED
    if any(claims.answers):
        is_other = claims.is_settled and _is_other(claims.allowed, before, after)
        return DiskVerdict.OTHER if is_other else DiskVerdict.AS_ALLOWED
    if claims.answers:
        return DiskVerdict.REJECTED
    return DiskVerdict.NEVER_ASKED if claims.named else DiskVerdict.UNNAMED


def judge_unchanged(claims: FileClaims, text: str | None) -> DiskVerdict | None:
    """Judge a file that is as it was before, though a change was reported; None if it has that change.

    `text` is what it has, None if there is no file. What was written through the client was there; of other
    changes nobody can know whether they were never made or taken back, unless the client saw it at once.
    """
    if not claims.reported or claims.restored or _has_all(claims, text):
        return None
    if claims.writes:
        return DiskVerdict.AS_ALLOWED
    return DiskVerdict.NOT_THERE if claims.unwritten else DiskVerdict.NOT_THERE_AFTERWARD


def _has_all(claims: FileClaims, text: str | None) -> bool:
    """Return whether a file is what the reported changes make of it."""
    made = [plain_ends(one) or "" for one in claims.made]
    if text is None:
        return bool(made) and not any(made)
    now = plain_ends(text) or ""
    return bool(made) and all(one in now if one else not now for one in made)


def _is_other(allowed: list[Diff], before: str | None, after: str | None) -> bool:
    """Whether a text is certainly none of those that the allowed edits make."""
    if not allowed or (before is None and after is None):
        return False
    steps = tuple(EditStep(diff.old_text, diff.new_text) for diff in allowed)
    found = fit(before, Edit(allowed[0].path, steps))
    if not found.outcomes or any(place.trouble not in _CLEAR for place in found.places):
        return False
    return _ended(after) not in map(_ended, found.outcomes)


def _ended(text: str | None) -> str:
    """Return a text to compare: many agents leave the last newline out of their diffs."""
    return (plain_ends(text) or "").removesuffix("\n")
