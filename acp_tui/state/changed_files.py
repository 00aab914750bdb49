"""Files that the agent changed: through the client, or with its own tools according to their diffs."""

import math
import os.path
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from acp_tui.edits.authors import AuthoredEdit
from acp_tui.edits.edits import describe_file_change
from acp_tui.protocol.content import Diff, FileChange
from acp_tui.protocol.file_events import EditLooked
from acp_tui.state import edit_facts
from acp_tui.state.entries import DiffKey, ToolCallEntry, diff_key
from acp_tui.state.session import FileWrite, Session
from acp_tui.text import clean_title

_WHOLE = EditLooked(0.0, "", "", "", line=1, new_line=1, whole=True)
"""The position of a diff of a whole file."""


@dataclass(slots=True)
class ChangedFile:
    """A file and its changes.

    `diffs` are the changes that still apply, oldest first; consecutive ones are merged. A tool's
    diff may cover only a part of the file: `places` has the known positions. `words` describe
    changes that aren't of text, `acts` are the agent's own names for those. `textless_changes`
    counts changes whose text isn't stored. A file changed `by_tools` can't be undone here.
    `writers` are the names of the subagents that wrote it through the client, `reporters` those of
    subagents whose tool calls report a change; "" is the session itself. `edits` are all changes
    with a stored text that were not undone.
    """

    path: str
    at: float
    writes: list[FileWrite] = field(default_factory=list)
    diffs: list[Diff] = field(default_factory=list)
    places: dict[DiffKey, EditLooked | None] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    acts: list[str] = field(default_factory=list)
    textless_changes: int = 0
    by_tools: bool = False
    writers: list[str] = field(default_factory=list)
    reporters: list[str] = field(default_factory=list)
    edits: list[AuthoredEdit] = field(default_factory=list)

    @property
    def subagents(self) -> list[str]:
        """The names of the subagents that are known to have changed the file."""
        return list(dict.fromkeys(filter(None, [*self.writers, *self.reporters])))

    @property
    def undoable_write(self) -> FileWrite | None:
        """The last write, if it can be undone."""
        standing = [one for one in self.writes if not one.undone]
        return standing[-1] if standing and standing[-1].has_backup else None

    @property
    def undone(self) -> bool:
        """Return whether every change was undone."""
        return not self.by_tools and all(one.undone for one in self.writes)

    @property
    def unchanged(self) -> bool:
        """Return whether the agent has itself restored the file's original content."""
        return not (self.undone or self.diffs or self.words or self.textless_changes)


def changed_files(
    session: Session,
    begin: float = -math.inf,
    end: float = math.inf,
    subagents: Iterable[Session] = (),
) -> list[ChangedFile]:
    """Return the files that a session and its `subagents` changed, the latest change first.

    Only changes from `begin` until `end`.
    """
    found: dict[str, ChangedFile] = {}
    changes = [("", one) for one in _changes(session)]
    titles = Counter[str]()
    for child in subagents:
        title = clean_title(child.title or child.session_id)
        titles[title] += 1  # several subagents may have the same title
        name = title if titles[title] == 1 else f"{title} {titles[title]}"
        changes += [(name, one) for one in _changes(child)]
    within = (one for one in changes if begin <= one[1][0] < end)
    for name, (at, path, change) in sorted(within, key=lambda one: one[1][0]):
        file = found.setdefault(path, ChangedFile(path, at))
        file.at = at
        _add_author(file, name, change)
        if isinstance(change, FileChange):
            file.by_tools = True
            file.words.append(describe_file_change(change))
            file.acts.append(change.operation)
            continue
        if isinstance(change, _ReportedDiff):
            file.by_tools = True
            file.places[diff_key(change.diff)] = change.place
            is_whole = change.place is not None and change.place.whole
            _add_change(file, change.diff, name, is_whole=is_whole or not change.diff.old_text)
            continue
        file.writes.append(change)
        if change.undone:
            continue
        if change.text is None:
            file.textless_changes += 1
        else:
            diff = Diff(path=path, old_text=change.old_text, new_text=change.text)
            _add_change(file, diff, "you" if change.by_person else name, is_whole=True)
    return sorted(found.values(), key=lambda one: one.at, reverse=True)


def times_of_changes(session: Session, subagents: Iterable[Session] = ()) -> list[float]:
    """Return the times of all changes in a session and by its subagents, earliest first."""
    return sorted(at for one in (session, *subagents) for at, _, _ in _changes(one))


class _ReportedDiff(NamedTuple):
    """A diff from a tool call, and its position in the file."""

    diff: Diff
    place: EditLooked | None


Changes = Iterator[tuple[float, str, FileWrite | FileChange | _ReportedDiff]]


def _add_author(
    file: ChangedFile, name: str, change: FileWrite | FileChange | _ReportedDiff
) -> None:
    if isinstance(change, FileWrite) and (change.undone or change.by_person):
        return
    names = file.writers if isinstance(change, FileWrite) else file.reporters
    if name not in names:
        names.append(name)


def _changes(session: Session) -> Changes:
    yield from _writes(session)
    yield from _diffs_of_tools(session)


def _writes(session: Session) -> Changes:
    for write in session.writes:
        yield write.at, write.path, write


def _diffs_of_tools(session: Session) -> Changes:
    """Yield the diffs of finished tool calls, except of files that the client wrote during the
    call.
    """
    for entry in session.entries:
        if not isinstance(entry, ToolCallEntry) or entry.status != "completed":
            continue
        until = entry.at if entry.ended is None else entry.ended
        ours = {one.path for one in session.writes if entry.at <= one.at <= until}
        for change in entry.content:
            if isinstance(change, FileChange) and change.path:
                yield until, _absolute(session, change.path), change
        for told in _reported_changes(entry):
            path = _absolute(session, told.diff.path)
            if path not in ours:
                yield until, path, told


def _absolute(session: Session, path: str) -> str:
    return os.path.normpath(os.path.join(session.cwd, path))  # noqa: PTH118


def _reported_changes(entry: ToolCallEntry) -> Iterator[_ReportedDiff]:
    """Yield a finished tool call's changes: as on disk, where a file differs from the diff shown."""
    otherwise = {one.path: one for one in (entry.edits.compared if entry.edits else [])}
    for diff in (item for item in entry.content if isinstance(item, Diff)):
        if diff.path not in otherwise:
            yield _ReportedDiff(diff, edit_facts.place_of_diff(entry, diff))
    for event in otherwise.values():
        diffs = edit_facts.compared_diffs(event)
        if diffs is not None and event.before != event.after:
            yield _ReportedDiff(diffs[1], _WHOLE)


def _add_change(file: ChangedFile, diff: Diff, author: str, *, is_whole: bool) -> None:
    """Add a change; merge it into the previous one if it continues it."""
    file.edits.append(AuthoredEdit(author, diff.old_text or "", diff.new_text, is_whole))
    before = file.diffs[-1] if file.diffs else None
    text = _continued(file, before, diff) if before is not None else None
    if before is not None and text is not None:
        file.diffs.pop()
        known = diff_key(before)
        diff = Diff(path=file.path, old_text=before.old_text, new_text=text)
        if known in file.places:
            file.places[diff_key(diff)] = file.places[known]
        if diff.new_text == (diff.old_text or ""):
            return
    file.diffs.append(diff)


def _continued(file: ChangedFile, before: Diff, diff: Diff) -> str | None:
    """Return the text after a change that continues the previous one, or None if it doesn't.

    A change of a part of the file continues it if its old text is at the known position, exactly
    once.
    """
    if before.new_text == (diff.old_text or ""):
        return diff.new_text
    whole = file.places.get(diff_key(before), _WHOLE)
    place = file.places.get(diff_key(diff))
    if whole is None or not whole.whole or place is None or place.whole or not diff.old_text:
        return None
    lines = before.new_text.split("\n")
    if not 1 <= place.line <= len(lines):
        return None
    begin = sum(len(one) + 1 for one in lines[: place.line - 1])
    end = begin + len(lines[place.line - 1])
    at = before.new_text.find(diff.old_text, begin)
    again = before.new_text.find(diff.old_text, at + 1)
    if not begin <= at <= end or begin <= again <= end:
        return None
    return before.new_text[:at] + diff.new_text + before.new_text[at + len(diff.old_text) :]
