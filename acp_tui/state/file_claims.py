"""Compares the agent's questions and reports about files in a turn with the files on disk."""

import os.path
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from acp_tui.edits.edits import Edit, EditStep, Trouble, fit_edit, normalize_newlines
from acp_tui.edits.tool_input import find_paths
from acp_tui.protocol.content import Diff, FileChange
from acp_tui.protocol.file_events import EditVerdict
from acp_tui.state.entries import Entry, ToolCallEntry, diff_key
from acp_tui.state.session import FileWrite, Session

READING = ("read", "search", "fetch", "think")
"""Kinds of tool calls that change no files, whatever files they name."""
_CLEAR = (Trouble.NONE, Trouble.EXISTS)


class DiskVerdict(StrEnum):
    """How a file on disk compares with the agent's questions and reports, by increasing severity."""

    AS_ALLOWED = ""
    NEVER_ASKED = "never asked"
    UNNAMED = "changed since a turn began"
    NOT_THERE_AFTERWARD = "not there afterward"
    NOT_THERE = "claimed, not there"
    OTHER = "other than allowed"
    REJECTED = "changed, though rejected"

    @property
    def rank(self) -> int:
        """The severity of the verdict: 0 is the least."""
        return list(DiskVerdict).index(self)

    @property
    def is_warning(self) -> bool:
        """Return whether the file contradicts what the user was shown, or decided."""
        return self.rank >= DiskVerdict.NOT_THERE_AFTERWARD.rank

    @property
    def is_missing(self) -> bool:
        """Return whether a reported change is missing on disk."""
        return self in (DiskVerdict.NOT_THERE_AFTERWARD, DiskVerdict.NOT_THERE)


@dataclass(slots=True)
class FileClaims:
    """The agent's questions and reports about one file in a turn.

    `named` if a tool call or a write names it. `allowed` are the diffs that the user allowed,
    `answers` says for each question about the file whether it was allowed. `reported` if the agent
    reports a change; `new_texts` are those that it reports; `unwritten` if the client saw right
    afterward that the change was missing. `restored` if the user reverted a part of it. `unasked`
    counts edits without a question, `writes` those through the client.
    """

    named: bool = False
    reported: bool = False
    unwritten: bool = False
    restored: bool = False
    allowed: list[Diff] = field(default_factory=list)
    answers: list[bool] = field(default_factory=list)
    new_texts: list[str] = field(default_factory=list)
    unasked: int = 0
    writes: int = 0

    @property
    def is_settled(self) -> bool:
        """Return whether the agent asked about each edit."""
        return self.unasked <= 0 and self.writes <= sum(self.answers)


def claims_in(
    session: Session,
    entries: Iterable[Entry],
    begin: float,
    end: float,
    subagents: Iterable[Session] = (),
) -> dict[str, FileClaims]:
    """Return what a session and its `subagents` asked and reported, by absolute file path.

    Only from `begin` until `end`; `entries` are the session's entries of that time.
    """
    found: dict[str, FileClaims] = {}
    _add_claims(found, session, entries, begin, end)
    for child in subagents:
        calls = (one for one in calls_since(child, begin) if one.at < end)
        _add_claims(found, child, calls, begin, end)
    return found


def calls_since(session: Session, begin: float) -> Iterator[ToolCallEntry]:
    """Yield the tool calls that were running at or after a time: a subagent's calls may span turns."""
    for one in session.entries:
        if isinstance(one, ToolCallEntry) and (
            not one.finished or one.ended is None or one.ended >= begin
        ):
            yield one


def _add_claims(
    found: dict[str, FileClaims],
    session: Session,
    entries: Iterable[Entry],
    begin: float,
    end: float,
) -> None:
    """Add what one session asked and reported."""

    def about(path: str) -> FileClaims:
        place = os.path.normpath(os.path.join(session.cwd, path))  # noqa: PTH118
        return found.setdefault(place, FileClaims())

    answers = [one for one in session.answers if begin <= one.at < end]
    for answer in answers:
        for path in [answer.path] if answer.call is None else changed_paths(answer.call):
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


def _add_call(claims: FileClaims, entry: ToolCallEntry, path: str, *, is_asked: bool) -> None:
    """Add what a tool call says about a file."""
    claims.named = True
    own = [diff for diff in _diffs(entry) if diff.path == path]
    made = [diff.new_text for diff in own if (diff.old_text or "") != diff.new_text]
    is_deleted = any(
        one.operation == "delete" and one.path == path
        for one in entry.content
        if isinstance(one, FileChange)
    )
    if entry.status == "completed" and (made or is_deleted):
        claims.reported, claims.new_texts = True, made or [""]
        compared = entry.edits.compared if entry.edits is not None else ()
        claims.unwritten = claims.unwritten or any(
            one.path == path and one.verdict is EditVerdict.UNWRITTEN for one in compared
        )
    if not is_asked:
        claims.unasked += set(map(diff_key, own)).isdisjoint(map(diff_key, claims.allowed))
    elif not (entry.announced or entry.finished):
        claims.unasked -= 1  # the question had a call id of its own, but was about another call


def _add_write(claims: FileClaims, write: FileWrite) -> None:
    claims.named = True
    claims.restored = claims.restored or write.undone or write.by_person
    if write.text is None or write.text != write.old_text:
        claims.reported, claims.new_texts = True, [] if write.text is None else [write.text]
    claims.writes += not write.by_person


def changed_paths(call: ToolCallEntry) -> list[str]:
    """Return the paths of the files that a tool call may change."""
    if call.kind in READING:
        return []
    shown = (path for one in call.content if isinstance(one, FileChange) for path in one.paths)
    places = (one.path for one in call.locations)
    named = (diff.path for diff in _diffs(call))
    return list(dict.fromkeys([*named, *shown, *places, *find_paths(call.raw_input)]))


def _diffs(call: ToolCallEntry | None) -> Iterator[Diff]:
    return (one for one in (call.content if call is not None else ()) if isinstance(one, Diff))


def judge_change(
    claims: FileClaims | None, before: str | None = None, after: str | None = None
) -> DiskVerdict:
    """Judge a file that changed on disk; without its texts, by the answers alone."""
    if claims is None:
        return DiskVerdict.UNNAMED
    if any(claims.answers):
        is_other = claims.is_settled and _is_other(claims.allowed, before, after)
        return DiskVerdict.OTHER if is_other else DiskVerdict.AS_ALLOWED
    if claims.answers:
        return DiskVerdict.REJECTED
    return DiskVerdict.NEVER_ASKED if claims.named else DiskVerdict.UNNAMED


def judge_unchanged(claims: FileClaims, text: str | None) -> DiskVerdict | None:
    """Judge an unchanged file that was reported as changed; None if it has the reported content.

    `text` is its content, or None if there is no file. A write through the client did happen.
    Whether another change was never made or was reverted is unknown, unless the client compared the
    file right after the edit.
    """
    if not claims.reported or claims.restored or _has_all(claims, text):
        return None
    if claims.writes:
        return DiskVerdict.AS_ALLOWED
    return DiskVerdict.NOT_THERE if claims.unwritten else DiskVerdict.NOT_THERE_AFTERWARD


def _has_all(claims: FileClaims, text: str | None) -> bool:
    """Return whether a file has all of the reported content."""
    made = [normalize_newlines(one) or "" for one in claims.new_texts]
    if text is None:
        return bool(made) and not any(made)
    now = normalize_newlines(text) or ""
    return bool(made) and all(one in now if one else not now for one in made)


def _is_other(allowed: list[Diff], before: str | None, after: str | None) -> bool:
    """Return whether a text can't be the result of the allowed edits."""
    if not allowed or (before is None and after is None):
        return False
    steps = tuple(EditStep(diff.old_text, diff.new_text) for diff in allowed)
    found = fit_edit(before, Edit(allowed[0].path, steps))
    if not found.outcomes or any(place.trouble not in _CLEAR for place in found.places):
        return False
    return _ended(after) not in map(_ended, found.outcomes)


def _ended(text: str | None) -> str:
    """Normalize a text for comparison: many agents omit the last newline in their diffs."""
    return (normalize_newlines(text) or "").removesuffix("\n")
