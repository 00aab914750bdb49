"""Compares a file after an edit with the edit's possible results."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from acp_tui.edits.edits import MOST_OUTCOMES, Edit, fit_edit, plain_ends
from acp_tui.protocol.events import EditVerdict


class Compared(NamedTuple):
    """The verdict on a file, and how it differs from the `nearest` possible result."""

    verdict: EditVerdict
    difference: str = ""
    nearest: str | None = None


def compare(before: str | None, now: str | None, outcomes: Sequence[str | None]) -> Compared:
    """Compare a file's text (None: no file) with all possible results of an edit.

    Line endings are ignored: models write LF, and tools preserve those of the file.
    """
    before, now = plain_ends(before), plain_ends(now)
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

    `outcomes` are the possible results of its edits; `shown` are all edits of the file shown in the
    turn, in order. The file was `before`, and is `now`; `between` are other texts that it had
    meanwhile, not by this call. The user was `asked`, and `allowed` it. The call is reported
    `done`; its turn is `over`. `others` were running.
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


def judge(case: EditCase) -> Compared | None:
    """Judge a file after an edit; return None if there is nothing to report, or not yet."""
    compared = compare(case.before, case.now, case.outcomes)
    if case.asked and not case.allowed:
        done = compared.verdict is EditVerdict.AS_SHOWN and case.over
        is_new = done and plain_ends(case.now) != plain_ends(case.before)
        return compared._replace(verdict=EditVerdict.REJECTED) if is_new else None
    if compared.verdict is EditVerdict.AS_SHOWN:
        return compared
    if compared.verdict is EditVerdict.UNWRITTEN:
        return compared if case.asked and case.done and case.over else None
    if not case.done and not (case.asked and case.over):
        return None
    if plain_ends(case.now) in _reachable(case):
        return compared._replace(verdict=EditVerdict.AS_SHOWN)
    if case.others or case.between:
        unclear = compared._replace(verdict=EditVerdict.UNCLEAR)
        return unclear if case.asked else None
    return compared


def _reachable(case: EditCase) -> set[str | None]:
    """Return the texts that result from this call's edits and any others shown, in order."""
    starts = {plain_ends(text) for text in (case.before, *case.between)}
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
    """Return the first line in which two texts differ."""
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
    """Estimate how different two texts are."""
    if one is None or other is None:
        return 1 << 62
    old, new = Counter(one.split("\n")), Counter(other.split("\n"))
    return (old - new).total() + (new - old).total()
