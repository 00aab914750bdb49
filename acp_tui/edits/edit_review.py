"""Compares a tool call's edits with the files on disk: before the user answers, and after the edit."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from acp_tui.edits.edits import (
    MOST_OUTCOMES,
    Edit,
    EditStep,
    Fit,
    StepLocation,
    Trouble,
    derive_diff,
    edits_of,
    fit_edit,
    normalize_newlines,
)
from acp_tui.protocol.content import Diff, FileChange, ShownContent
from acp_tui.protocol.file_events import EditVerdict
from acp_tui.text import one_line

MOST_STEPS = 200
"""Most edits of one file that are tried."""
WRITTEN_OVER = "exists already: this replaces all of its text."
"""The end of a note on a file whose whole content is replaced."""
OUTSIDE = "it is outside the session's folder"
"""Why a file isn't read: reading it would need the user's permission."""
Outcomes = list[str | None]


class SeenFile(NamedTuple):
    """A file as read: its real path and its text; None if it is missing.

    `problem` is why it was not read; a file `outside` the session's folders is never read.
    """

    place: str
    text: str | None = None
    problem: str = ""
    outside: bool = False


class Observation(NamedTuple):
    """One result of a comparison: about a `diff` of the call, or about the call as a whole."""

    diff: Diff | None
    path: str
    where: StepLocation = StepLocation()
    remark: str = ""
    warns: bool = False
    derived: Diff | None = None


class Claim(NamedTuple):
    """What a tool call would do to one file: its edits, and their possible results."""

    edits: list[Edit]
    outcomes: Outcomes


class Review(NamedTuple):
    """The results of a comparison, and the call's claims by real path."""

    observations: list[Observation]
    claims: dict[str, Claim]
    cwd: str = ""

    def name(self, path: str) -> str:
        """Format a path for a note."""
        return one_line(path.removeprefix(f"{self.cwd}/") if self.cwd else path)

    def remark(self, path: str, remark: str, *, warns: bool = True) -> None:
        """Add a note on a file, unless it is already there."""
        look = Observation(None, path, remark=remark, warns=warns)
        if look not in self.observations:
            self.observations.append(look)


def review_edits(
    content: Sequence[ShownContent],
    edits: Sequence[Edit],
    seen: Mapping[str, SeenFile],
    cwd: str = "",
) -> Review:
    """Compare the diffs of a tool call, and the edits in its input, with the files as `seen`.

    `seen` has the paths of the diffs and edits; other files are ignored. Notes name files in `cwd`
    by relative paths.
    """
    found = Review([], {}, cwd)
    shown = edits_of(item for item in content if isinstance(item, Diff))
    shown = [edit for edit in shown if edit.path in seen]
    edits = [one for one in edits if one.path in seen]
    for edit in shown:
        file = seen[edit.path]
        diffs = [one for one in content if isinstance(one, Diff) and one.path == edit.path]
        also = [one for one in edits if seen[one.path].place == file.place]
        _diffs(found, edit, file, diffs, also)
    shown_places = {seen[edit.path].place for edit in shown}
    for edit in edits:
        _input(found, edit, seen[edit.path], shown_places)
    told = {path for one in content if isinstance(one, FileChange) for path in one.paths}
    untold = [edit for edit in edits if edit.path not in told]
    if untold and shown:
        _places(found, shown, untold, seen)
    return found


def _among(file: SeenFile, edits: Sequence[Edit], seen: Mapping[str, SeenFile]) -> bool:
    return any(seen[edit.path].place == file.place for edit in edits)


def _diffs(
    found: Review,
    edit: Edit,
    file: SeenFile,
    diffs: Sequence[Diff],
    also: Sequence[Edit],
) -> None:
    """Report where an agent's diffs of a file apply; `also` are edits of that file in the input."""
    if not _is_seen(found, edit, file):
        return
    fitted = fit_edit(file.text, edit)
    every = any(step.every for one in also for step in one.steps)
    for diff, where in zip(diffs, fitted.places, strict=True):
        remark, warns = _trouble(found.name(edit.path), where, file.text, diff.new_text, "diff")
        if every and where.trouble is Trouble.SEVERAL:
            remark = ""
        found.observations.append(Observation(diff, edit.path, where, remark, warns))
    if not also and any(one.trouble is Trouble.EXISTS for one in fitted.places):
        _derive(found, edit, file)
    if fitted.outcomes:
        found.claims[file.place] = Claim([edit], fitted.outcomes)


def _input(found: Review, edit: Edit, file: SeenFile, shown: set[str]) -> None:
    """Compare an edit in the input with the diff of the same file, if there is one."""
    if not _is_seen(found, edit, file):
        return
    if edit.path != file.place and not edit.path.startswith("/"):
        found.remark(edit.path, f"{one_line(edit.path)} is {one_line(file.place)}.", warns=False)
    fitted = fit_edit(file.text, edit)
    claim = found.claims.get(file.place)
    if file.place not in shown:
        _remark_troubles(found, edit, fitted, file.text)
        _derive(found, edit, file)
    elif claim is None:
        _derive(found, edit, file)
    elif fitted.outcomes and not set(claim.outcomes) & set(fitted.outcomes):
        name = found.name(edit.path)
        found.remark(edit.path, f"The input makes another text of {name} than the diff shows.")
        _derive(found, edit, file)
    elif any(one.trouble is Trouble.EXISTS for one in fitted.places) and not _is_whole(claim, file):
        _derive(found, edit, file)
    if fitted.outcomes:
        found.claims[file.place] = _joined(claim, Claim([edit], fitted.outcomes))


def _is_whole(claim: Claim, file: SeenFile) -> bool:
    """Return whether a diff has the whole file: then a derived diff would show nothing more."""
    text = normalize_newlines(file.text)
    return any(normalize_newlines(step.old) == text for edit in claim.edits for step in edit.steps)


def _joined(one: Claim | None, other: Claim) -> Claim:
    """Join two claims: with the results that both allow or, if there are none, all results."""
    if one is None:
        return other
    both = [text for text in one.outcomes if text in other.outcomes]
    return Claim([*one.edits, *other.edits], both or [*one.outcomes, *other.outcomes])


def _places(
    found: Review, shown: Sequence[Edit], edits: Sequence[Edit], seen: Mapping[str, SeenFile]
) -> None:
    """Report files that only the diffs name, and files that only the input names."""
    named = ", ".join(dict.fromkeys(found.name(edit.path) for edit in edits))
    diffed = ", ".join(dict.fromkeys(found.name(edit.path) for edit in shown))
    strange = [edit for edit in shown if not _among(seen[edit.path], edits, seen)]
    for edit in strange:
        found.remark(
            edit.path, f"The diff is of {found.name(edit.path)}, but the input names {named}."
        )
    for edit in edits:
        if not strange and not _among(seen[edit.path], shown, seen):
            name = found.name(edit.path)
            found.remark(
                edit.path, f"The input changes {name}, too; the diffs are of {diffed} only."
            )


def _is_seen(found: Review, edit: Edit, file: SeenFile) -> bool:
    """Return whether a file can be compared; report the reason if it can't."""
    if len(edit.steps) > MOST_STEPS:
        remark = f"{found.name(edit.path)} was not compared: there are {len(edit.steps):,} edits."
        found.remark(edit.path, remark)
        return False
    if file.problem:
        remark = not_compared(found.name(edit.path), file.problem)
        found.remark(edit.path, remark, warns=file.outside)
    return not file.problem


def not_compared(name: str, problem: str) -> str:
    """Format why a file was not compared."""
    return f"{name} was not compared: {problem}."


def _derive(found: Review, edit: Edit, file: SeenFile) -> None:
    """Add a derived diff of an edit, if its result is unambiguous and changes the file."""
    diff = derive_diff(file.place, file.text, edit)
    if diff is not None and any(_may_add_line(step) for step in edit.steps):
        said = "Whether an empty line follows what is inserted is up to the tool."
        found.remark(edit.path, said, warns=False)
    if diff is not None and (diff.old_text or "") != diff.new_text:
        found.observations.append(
            Observation(None, file.place, StepLocation(1, 1, whole=True), derived=diff)
        )


def _may_add_line(step: EditStep) -> bool:
    """Return whether an insertion ends with a newline: for some tools that adds an empty line."""
    return step.after is not None and step.new.endswith("\n")


def _remark_troubles(found: Review, edit: Edit, fitted: Fit, start: str | None) -> None:
    for step, where in zip(edit.steps, fitted.places, strict=True):
        remark, warns = _trouble(found.name(edit.path), where, start, step.new, "input")
        if remark and not (step.every and where.trouble is Trouble.SEVERAL):
            found.remark(edit.path, remark, warns=warns)


def _trouble(
    path: str, where: StepLocation, text: str | None, new: str, what: str
) -> tuple[str, bool]:
    """Return a note on a step that doesn't fit the file, or "", and whether it is a warning."""
    match where.trouble:
        case Trouble.MISSING if text is None:
            return f"There is no {path}, which the {what} takes text from.", True
        case Trouble.MISSING:
            return f"{path} doesn't have the text that the {what} removes.", True
        case Trouble.SHORT if text is None:
            return f"There is no {path}, where the {what} inserts text.", True
        case Trouble.SHORT:
            return f"{path} has fewer lines than the {what} says.", True
        case Trouble.DONE:
            return f"{path} already has the new text of the {what}, and not the old.", True
        case Trouble.SEVERAL:
            times = f"{path} holds the old text of the {what} {where.times:,} times"
            return f"{times}: it is unclear which is meant.", False
        case Trouble.EXISTS if normalize_newlines(text) == normalize_newlines(new):
            return f"{path} already has this text.", False
        case Trouble.EXISTS:
            return f"{path} {WRITTEN_OVER}", True
    return "", False


class Compared(NamedTuple):
    """The verdict on a file, and how it differs from the `nearest` possible result."""

    verdict: EditVerdict
    difference: str = ""
    nearest: str | None = None


def compare_outcomes(
    before: str | None, now: str | None, outcomes: Sequence[str | None]
) -> Compared:
    """Compare a file's text (None: no file) with all possible results of an edit.

    Line endings are ignored: models write LF, and tools keep those of the file.
    """
    before, now = normalize_newlines(before), normalize_newlines(now)
    if now in outcomes:
        return Compared(EditVerdict.AS_SHOWN, nearest=now)
    nearest = min(outcomes, key=lambda one: _distance(one, now))
    if now == before:
        return Compared(EditVerdict.UNWRITTEN, "it is still what it was before", nearest)
    if now is None:
        return Compared(EditVerdict.DIFFERS, "the file is gone", nearest)
    if nearest is None:
        return Compared(EditVerdict.DIFFERS, "the file is still there", nearest)
    if _without_ends(now) == _without_ends(nearest):
        words = "only blanks at the ends of lines, or the last newline, differ"
        return Compared(EditVerdict.FORMATTED, words, nearest)
    return Compared(EditVerdict.DIFFERS, _difference(nearest, now), nearest)


class EditCase(NamedTuple):
    """One file of one tool call, when the call or its turn has ended.

    `outcomes` are the possible results of the call's edits; `shown` are all edits of the file shown
    in the turn, in order. The file was `before`, and is `now`; `between` are texts that it had in
    the meantime, not from this call. The user was `asked`, and `allowed` the call or not. The call
    is reported as `done`; its turn is `over`. `others` if other calls were running.
    """

    outcomes: Sequence[str | None]
    shown: Sequence[Edit]
    before: str | None
    now: str | None
    between: Sequence[str | None] = ()
    asked: bool = False
    allowed: bool = False
    done: bool = True
    over: bool = False
    others: bool = False


def judge_edit(case: EditCase) -> Compared | None:
    """Judge a file after an edit; return None if there is nothing to report, or not yet."""
    compared = compare_outcomes(case.before, case.now, case.outcomes)
    if case.asked and not case.allowed:
        done = compared.verdict is EditVerdict.AS_SHOWN and case.over
        is_new = done and normalize_newlines(case.now) != normalize_newlines(case.before)
        return compared._replace(verdict=EditVerdict.REJECTED) if is_new else None
    if compared.verdict is EditVerdict.AS_SHOWN:
        return compared
    if compared.verdict is EditVerdict.UNWRITTEN:
        return compared if case.asked and case.done and case.over else None
    if not case.done and not (case.asked and case.over):
        return None
    if normalize_newlines(case.now) in _reachable(case):
        return compared._replace(verdict=EditVerdict.AS_SHOWN)
    if case.others or case.between:
        unclear = compared._replace(verdict=EditVerdict.UNCLEAR)
        return unclear if case.asked else None
    return compared


def _reachable(case: EditCase) -> set[str | None]:
    """Return the texts that result from this call's edits and any others shown, in order."""
    starts = {normalize_newlines(text) for text in (case.before, *case.between)}
    texts = set(starts)
    for edit in case.shown:
        more = {text for one in texts for text in fit_edit(one, edit).outcomes}
        texts |= set(islice(more, MOST_OUTCOMES))
    return texts - starts


def _difference(told: str, now: str) -> str:
    line = _first_line(told, now)
    if "".join(told.split()) == "".join(now.split()):
        return f"only white space differs, from line {line} on"
    old, new = Counter(told.split("\n")), Counter(now.split("\n"))
    more, fewer = (new - old).total(), (old - new).total()
    if not more and not fewer:
        return f"its lines are in another order, from line {line} on"
    return f"it has +{more} −{fewer} lines besides what was shown, from line {line} on"


def _first_line(one: str, other: str) -> int:
    """Return the number of the first line that differs between two texts."""
    pairs = zip(one.split("\n"), other.split("\n"), strict=False)
    at = 0
    for a, b in pairs:
        at += 1
        if a != b:
            return at
    return at + 1


def _without_ends(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().split("\n")]


def _distance(one: str | None, other: str | None) -> int:
    """Estimate how different two texts are: the number of lines added and removed."""
    if one is None or other is None:
        return 1 << 62
    old, new = Counter(one.split("\n")), Counter(other.split("\n"))
    return (old - new).total() + (new - old).total()
