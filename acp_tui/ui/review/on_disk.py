"""Compares changes on disk, in a session or one of its turns, with what was asked and reported.

The trees saved before each turn show what changed, whoever changed it. Reading them runs git, so
all of this must be called outside the event loop.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from acp_tui.git.objects import CheckpointError, Objects
from acp_tui.protocol.content import Diff
from acp_tui.rewind.against_head import LARGEST_TEXT_FILE, HeadDifference, Version, version_of
from acp_tui.rewind.checkpoint import ChangeType, Checkpoint, CheckpointOwner, LeftOut, TreeChange
from acp_tui.rewind.store import Checkpoints, certain_changes
from acp_tui.rewind.whole_files import kind_of
from acp_tui.state.changed_files import ChangedFile
from acp_tui.state.file_claims import DiskVerdict, FileClaims, judge_change, judge_unchanged
from acp_tui.text import clean_line
from acp_tui.ui.review.scopes import LATE_CHECKPOINT, Reviewed

RESTORED = "put back"
"""The note of a file that was changed, and then restored to what it was before."""
JUDGED, JUDGED_SIZE = 100, 4_000_000
"""Most files of a turn, and characters in them, that are compared with what was allowed."""
_SENTENCES = {
    DiskVerdict.NEVER_ASKED: "A tool call names this file; no question was about it.",
    DiskVerdict.UNNAMED: (
        "Changed since a turn began, before the next one, by anyone: no question and no tool call names it."
    ),
    DiskVerdict.NOT_THERE_AFTERWARD: (
        "A tool call reports this change. Afterward the file was as before the turn: it wasn't changed, or"
        " anyone put it back."
    ),
    DiskVerdict.NOT_THERE: (
        "A tool call reports this change. Once the call was over, the file was as it was before."
    ),
    DiskVerdict.OTHER: "It isn't what the allowed changes make of it: anyone may have changed it further.",
    DiskVerdict.REJECTED: "Every question about it was rejected or canceled; it changed all the same, by anyone.",
}


class TurnClaims(NamedTuple):
    """A turn, numbered from 0, with the questions and reports about files in it, by absolute path."""

    number: int
    claims: Mapping[str, FileClaims]


class SessionCheckpoints(NamedTuple):
    """The checkpoints of a session, oldest first, and the tree of its folder as it is `now`."""

    checkpoints: Sequence[Checkpoint]
    now: str
    left_out: LeftOut


class CheckpointSpan(NamedTuple):
    """The time from a checkpoint to the next one of its session, or to the present."""

    before: Checkpoint
    after: str
    left_out: LeftOut
    turn: TurnClaims | None

    def is_of(self, number: int) -> bool:
        """Return whether this is the turn with that number."""
        return self.turn is not None and self.turn.number == number


class DiskFiles(NamedTuple):
    """The changed files; `turns` are those in which any file changed, or was reported as changed.

    `late` is whether the first checkpoint was finished after its turn had begun: earlier changes
    aren't known.
    """

    files: list[Reviewed]
    turns: frozenset[int]
    late: bool = False


def read_session(store: Checkpoints, owner: CheckpointOwner) -> SessionCheckpoints:
    """Read the checkpoints of a session, and a tree of the current files. Raises CheckpointError."""
    now, left_out = store.now()
    found = [one for one in store.list() if owner.owns(one)]
    return SessionCheckpoints(found[::-1], now, left_out)


def spans_of(saved: SessionCheckpoints, turns: Mapping[str, TurnClaims]) -> list[CheckpointSpan]:
    """Return the spans between checkpoints. `turns` maps a checkpoint's ref to the turn that began
    there.
    """
    ends = [(one.tree, one.left_out) for one in saved.checkpoints[1:]]
    ends.append((saved.now, saved.left_out))
    return [
        CheckpointSpan(one, *end, turns.get(one.ref))
        for one, end in zip(saved.checkpoints, ends, strict=False)
    ]


class DiskChanges:
    """Reads the changes to files in a session's folder, and their texts."""

    def __init__(self, store: Checkpoints, cwd: str) -> None:
        self._store = store
        self._cwd = cwd
        self._folder = os.path.realpath(cwd)
        inside = os.path.relpath(self._folder, store.top)
        self._prefix = "" if inside == "." else f"{inside}/"

    def read(
        self, spans: Sequence[CheckpointSpan], turn: int | None, reported: Mapping[str, ChangedFile]
    ) -> DiskFiles | None:
        """Read the changes of all spans, or of one turn; None if that turn has no checkpoint.

        `reported` has the changes that the agent reported then, by absolute path. Raises
        CheckpointError.
        """
        shown_spans = [one for one in spans if turn is None or one.is_of(turn)]
        if not shown_spans:
            return None
        verdicts = dict[str, DiskVerdict]()
        missing = dict[str, DiskVerdict]()
        for span in shown_spans:
            for name, verdict in self._judge_changes(span):
                found = missing if verdict.is_missing else verdicts
                found[name] = max(verdict, found.get(name, verdict), key=lambda one: one.rank)
        first, last = shown_spans[0], shown_spans[-1]
        changes = list(
            certain_changes(self._store.changes(first.before.tree, last.after), last.left_out)
        )
        files = list(self._list_changed(changes, verdicts, reported))
        listed = {one.shown for one in changes}
        unchanged = {**missing, **verdicts}
        unchanged = {name: one for name, one in unchanged.items() if name not in listed}
        files += self._unchanged(unchanged, first.before, reported)
        late = first.before.late
        if late:
            known = {*listed, *unchanged}
            others = (one for path, one in reported.items() if self._name(path) not in known)
            files += [Reviewed(one, note=f"not compared: {LATE_CHECKPOINT}") for one in others]
        touched = (
            one.turn.number for one in spans if one.turn is not None and self._has_changes(one)
        )
        return DiskFiles(files, frozenset(touched), late)

    def _judge_changes(self, span: CheckpointSpan) -> Iterator[tuple[str, DiskVerdict]]:
        """Yield a verdict on each file that changed or was reported as changed, by comparing the
        change with what was asked and reported.
        """
        changes = {one.shown: one for one in self._changes_in(span)}
        claims = {self._name(path): one for path, one in _claims_in(span).items()}
        left = JUDGED_SIZE
        with self._store.contents() as contents:
            for at, (name, change) in enumerate(changes.items()):
                own = claims.get(name)
                old = new = Version(None)
                if own is not None and own.allowed and at < JUDGED and left > 0:
                    with suppress(CheckpointError):
                        old, new = _versions(contents, change)
                    left -= len(old.text or "") + len(new.text or "")
                is_known = not (old.trouble or new.trouble)
                yield name, judge_change(own, *((old.text, new.text) if is_known else ()))
        if not span.before.late:  # otherwise earlier changes are in both trees
            others = {name: own for name, own in claims.items() if name not in changes}
            yield from self._judge_missing(span, others)

    def _judge_missing(
        self, span: CheckpointSpan, claims: Mapping[str, FileClaims]
    ) -> Iterator[tuple[str, DiskVerdict]]:
        """Yield a verdict on each file that was reported as changed, but doesn't have the change."""
        reported = {os.fsencode(name): one for name, one in claims.items() if one.reported}
        ids = self._store.find_files(span.after, reported) if reported else {}
        with self._store.contents() as contents:
            for name, own in reported.items():
                now = Version(None)
                with suppress(CheckpointError):
                    now = _version(contents.read_object(ids[name])) if name in ids else now
                verdict = None if now.trouble else judge_unchanged(own, now.text)
                if verdict is not None:
                    yield os.fsdecode(name), verdict

    def _changes_in(self, span: CheckpointSpan) -> Iterator[TreeChange]:
        changes = self._store.changes(span.before.tree, span.after, until=0.0)
        return certain_changes(changes, span.left_out)

    def _has_changes(self, span: CheckpointSpan) -> bool:
        claims = _claims_in(span).values()
        return span.before.tree != span.after or any(one.reported for one in claims)

    def _name(self, path: str) -> str:
        """Return a file's resolved path, relative to the top of the trees; a file outside the
        folder keeps its absolute path.
        """
        folder, name = os.path.split(path)
        place = os.path.join(os.path.realpath(folder), name)  # noqa: PTH118
        inside = os.path.relpath(place, self._folder)
        return place if inside.startswith("../") else self._prefix + inside

    def _session_path(self, name: str) -> str:
        """Convert a path in a tree into the session's form."""
        return os.path.join(self._cwd, name.removeprefix(self._prefix))  # noqa: PTH118

    def _list_changed(
        self,
        changes: Sequence[TreeChange],
        verdicts: Mapping[str, DiskVerdict],
        reported: Mapping[str, ChangedFile],
    ) -> Iterator[Reviewed]:
        others = _renamed(changes)
        known = {self._name(path): one for path, one in reported.items()}
        for change in changes:
            added, removed = change.added, change.removed
            lines = None if added is None or removed is None else (added, removed)
            kind = kind_of(change.old_mode, change.mode)
            difference = HeadDifference(
                change.change_type.value, lines, kind, others.get(change.shown, "")
            )
            verdict = verdicts.get(change.shown, DiskVerdict.AS_ALLOWED)
            file = ChangedFile(self._session_path(change.shown), 0.0, by_tools=True)
            if (own := known.get(change.shown)) is not None:
                file.writers, file.reporters, file.edits = own.writers, own.reporters, own.edits
            yield Reviewed(file, difference=difference, change=change, verdict=verdict)

    def _unchanged(
        self,
        verdicts: Mapping[str, DiskVerdict],
        before: Checkpoint,
        reported: Mapping[str, ChangedFile],
    ) -> Iterator[Reviewed]:
        """List files that are unchanged although a change was seen or reported, and files that no
        tree has.
        """
        inside = [os.fsencode(name) for name in verdicts if not name.startswith("/")]
        ignored = self._store.ignored(before, inside) if inside else set[bytes]()
        files = {self._name(path): one for path, one in reported.items()}
        for name, verdict in verdicts.items():
            is_outside = name.startswith("/")
            path = name if is_outside else self._session_path(name)
            file = files.get(name) or ChangedFile(path, 0.0, by_tools=True)
            why = before.left_out.why(name)
            if is_outside or os.fsencode(name) in ignored or why:
                why = "outside of the folder" if is_outside else why or "ignored by git"
                yield Reviewed(file, note=f"not compared: {why}")
            elif verdict.is_missing:
                yield Reviewed(file, verdict=verdict)
            else:
                yield Reviewed(ChangedFile(path, 0.0, by_tools=True), note=RESTORED)

    def read_file(self, one: Reviewed) -> ChangedFile:
        """Return a listed file with its texts, or the reason why there are none. Raises
        CheckpointError.
        """
        change = one.change
        words = [_SENTENCES[one.verdict]] if one.verdict in _SENTENCES else []
        if change is None:
            file = one.file
            file.words = [*words, *(word for word in file.words if word not in words)]
            return file
        file = replace(one.file, words=words, diffs=[])
        if one.difference is not None and one.difference.note:
            file.words.append(
                clean_line(f"{one.difference.note[:1].upper()}{one.difference.note[1:]}.")
            )
        with self._store.contents() as contents:
            old, new = _versions(contents, change)
        trouble = old.trouble or new.trouble
        if trouble:
            file.words.append(f"Its texts aren't shown: {trouble}.")
        elif change.id != change.old_id:
            file.diffs.append(Diff(path=file.path, old_text=old.text, new_text=new.text or ""))
        if change.change_type is ChangeType.DELETED:
            file.words.append("It is deleted.")
        return file


def _claims_in(span: CheckpointSpan) -> Mapping[str, FileClaims]:
    return span.turn.claims if span.turn is not None else {}


def _renamed(changes: Sequence[TreeChange]) -> dict[str, str]:
    """Map the paths of renamed files to each other: an added file with the content of a deleted
    one.
    """
    gone = {one.old_id: one.shown for one in changes if one.change_type is ChangeType.DELETED}
    found = dict[str, str]()
    for one in changes:
        if one.change_type is ChangeType.CREATED and one.id in gone:
            old = gone.pop(one.id)
            found |= {one.shown: old, old: one.shown}
    return found


def _versions(contents: Objects, change: TreeChange) -> tuple[Version, Version]:
    """Read the old and the new text of a file. Raises CheckpointError."""
    is_new, is_gone = (
        change.change_type is ChangeType.CREATED,
        change.change_type is ChangeType.DELETED,
    )
    old = Version(None) if is_new else _version(contents.read_object(change.old_id))
    return old, Version(None) if is_gone else _version(contents.read_object(change.id))


def _version(data: bytes) -> Version:
    if len(data) > LARGEST_TEXT_FILE:
        return Version(None, f"it is too large to be shown: {len(data):,} bytes")
    return version_of(data)
