"""Edits of files as agents describe them, and their results.

All line endings are compared as newlines: models write LF, whatever the file has.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from acp_tui.protocol.content import Diff, FileChange
from acp_tui.text import one_line

MOST_PLACES = 16
"""Most places at which an ambiguous replacement is tried: each makes a whole new text."""
MOST_COUNTED = 1000
"""Most occurrences of a text that are counted: a single letter may occur a million times."""
MOST_OUTCOMES = 20
"""Most possible results of an edit that are kept: each ambiguous step multiplies them."""
_ACTS = {
    "add": "new",
    "delete": "deleted",
    "modify": "changed",
    "move": "moved",
    "copy": "copied",
    "patch": "a patch that can't be read",
}


class EditStep(NamedTuple):
    """Replaces `old` with `new`: once, at `every` occurrence, or without `old` the whole text.

    An insertion `after` a line, counted from 1, removes nothing.
    """

    old: str | None
    new: str
    every: bool = False
    after: int | None = None


class Edit(NamedTuple):
    """An edit of the file at `path`, which may be relative."""

    path: str
    steps: tuple[EditStep, ...]


class Trouble(StrEnum):
    """Why a step doesn't fit the file as described."""

    NONE = ""
    MISSING = "missing"
    """The file contains neither the old text nor the new one."""
    DONE = "done"
    """The file contains the new text, but not the old one."""
    SEVERAL = "several"
    """The file contains the old text more than once."""
    EXISTS = "exists"
    """The edit creates a file that already exists."""
    SHORT = "short"
    """The file doesn't have as many lines."""


class StepLocation(NamedTuple):
    """The position of a step: its line in the file before and after, from 1; 0 if unknown.

    `whole` if it replaces the whole file. `times` is how often its old text occurs.
    """

    line: int = 0
    new_line: int = 0
    whole: bool = False
    times: int = 1
    trouble: Trouble = Trouble.NONE


class Fit(NamedTuple):
    """The result of fitting an edit to a text: the place of each step, and all possible results.

    A result of None is a deleted file. There are no results if the edit can't be applied.
    """

    places: list[StepLocation]
    outcomes: list[str | None]


def edits_of(diffs: Iterable[Diff]) -> list[Edit]:
    """Convert an agent's diffs into edits, one per file."""
    steps: dict[str, list[EditStep]] = {}
    for diff in diffs:
        steps.setdefault(diff.path, []).append(EditStep(diff.old_text, diff.new_text))
    return [Edit(path, tuple(found)) for path, found in steps.items()]


def fit_edit(text: str | None, edit: Edit) -> Fit:
    """Find where an edit applies in a file's text (None: no file), and its possible results."""
    start = normalize_newlines(text)
    texts: list[str | None] = [start]
    places = []
    for step in edit.steps:
        place, texts = _apply_step(step, start, texts)
        places.append(place)
    if texts and any(step.old and not step.new for step in edit.steps) and "" in texts:
        texts = [*texts, None]  # agents show a deleted file as empty text
    return Fit(places, texts)


def normalize_newlines(text: str | None) -> str | None:
    """Replace all line endings with newlines."""
    return text.replace("\r\n", "\n") if text is not None else None


def derive_diff(path: str, text: str | None, edit: Edit) -> Diff | None:
    """Return the diff of an edit; None if it has several possible results, or none.

    If an insertion has several, which differ only in empty lines, the first one is used.
    """
    found = fit_edit(text, edit)
    several = len(found.outcomes) != 1 and all(step.after is None for step in edit.steps)
    if several or not found.outcomes or not all(_is_clear(place, edit) for place in found.places):
        return None
    new = found.outcomes[0] or ""
    old = text
    if text is not None and "\r\n" in text:
        if text.count("\r\n") == text.count("\n"):
            new = new.replace("\n", "\r\n")
        else:
            old = normalize_newlines(text)
    return Diff(path=path, old_text=old, new_text=new)


def _is_clear(place: StepLocation, edit: Edit) -> bool:
    if place.trouble is Trouble.SEVERAL:
        return all(step.every for step in edit.steps)
    return place.trouble in (Trouble.NONE, Trouble.EXISTS)


def _apply_step(
    step: EditStep, start: str | None, texts: list[str | None]
) -> tuple[StepLocation, list[str | None]]:
    """Apply one step; return its place, and the possible results."""
    old, new = normalize_newlines(step.old), normalize_newlines(step.new) or ""
    now = texts[0] if texts else None
    if step.after is not None:
        return _insert(step.after, new, texts)
    if not old:
        if not now:
            return StepLocation(1, 1, whole=True), [new]
        return StepLocation(1, 1, trouble=Trouble.EXISTS), [new] if old is None else []
    if now is None:
        return StepLocation(trouble=Trouble.MISSING), []
    found = _starts(now, old)
    if not found:
        return _missing(now, new), []
    if len(found) > 1:
        place = StepLocation(times=len(found), trouble=Trouble.SEVERAL)
        return place, _several(texts, old, new, step)
    line = _line(start or "", old) or _at(now, found[0])
    place = StepLocation(line, _at(now, found[0]), whole=old == now)
    return place, _unique(one for text in texts for one in _replaced(text, old, new))


def _insert(after: int, new: str, texts: list[str | None]) -> tuple[StepLocation, list[str | None]]:
    """Insert lines after a line. Some tools add an empty line for a trailing newline, others don't."""
    held = [text for text in texts if text is not None and 0 <= after <= _lines(text)]
    ways = [new.removesuffix("\n"), new]
    found = _unique(_with_lines(text, after, way) for way in ways for text in held)
    return (
        StepLocation(after + 1, after + 1) if found else StepLocation(trouble=Trouble.SHORT)
    ), found


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and text != "")


def _with_lines(text: str, after: int, new: str) -> str:
    lines = text.split("\n")
    return "\n".join([*lines[:after], new, *lines[after:]])


def _missing(now: str, new: str) -> StepLocation:
    """Return the place of a step whose old text is missing: it may already have been applied."""
    done = _starts(now, new) if new else []
    if not done:
        return StepLocation(trouble=Trouble.MISSING)
    line = _at(now, done[0]) if len(done) == 1 else 0
    return StepLocation(line, line, whole=new == now, trouble=Trouble.DONE)


def _several(texts: Sequence[str | None], old: str, new: str, step: EditStep) -> list[str | None]:
    """Return the possible results of a step that fits in several places."""
    outcomes: list[str | None] = []
    for text in texts:
        if not step.every:
            outcomes += _replaced(text, old, new)
        outcomes.append((text or "").replace(old, new))
    return _unique(outcomes)


def _replaced(text: str | None, old: str, new: str) -> Iterator[str]:
    """Yield the text with a single occurrence replaced, for each occurrence."""
    text = text or ""
    for start in _starts(text, old)[:MOST_PLACES]:
        yield text[:start] + new + text[start + len(old) :]


def _starts(text: str, wanted: str) -> list[int]:
    """Return the positions of a text within another; at most `MOST_COUNTED`."""
    found = (match.start() for match in re.finditer(re.escape(wanted), text))
    return list(islice(found, MOST_COUNTED))


def _line(text: str, old: str) -> int:
    """Return the line at which a text contains another; 0 unless it does exactly once."""
    found = _starts(text, old)
    return _at(text, found[0]) if len(found) == 1 else 0


def _at(text: str, start: int) -> int:
    return text.count("\n", 0, start) + 1


def _unique(texts: Iterable[str | None]) -> list[str | None]:
    return list(dict.fromkeys(texts))[:MOST_OUTCOMES]


def describe_file_change(change: FileChange) -> str:
    """Format a file change on one line: `/work/a → /work/b: moved (binary)`."""
    act = _ACTS.get(change.operation, one_line(change.operation))
    where = " → ".join(map(one_line, change.paths))
    details = ", ".join(map(one_line, change.details))
    told = f"{where}: {act}" if where else act
    return f"{told} ({details})" if details else told
