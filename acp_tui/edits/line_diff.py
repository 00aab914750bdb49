"""Compares two lists of lines in steps, so that the UI stays responsive."""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from acp_tui.edits.steps import Steps

LINES_AT_ONCE = 2048
"""Lines handled in one step, which takes well under a millisecond."""
MOST_EDITS = 400
"""The longest edit script that is searched for between lines without anchors."""
ROUNDS = 30
"""How often each line may be visited before the rest is treated as replaced."""
BOM = "\ufeff"
FEW = 3
"""Changed line endings, in a file with mixed ones, that are shown line by line."""


class DiffBlock(NamedTuple):
    """Equal lines of both sides, or lines that replace each other."""

    same: bool
    old_start: int
    old_end: int
    new_start: int
    new_end: int


class DiffBlocks:
    """Blocks in order, stored compactly and as a single object for the garbage collector."""

    def __init__(self) -> None:
        self._values = array("i")
        self.added = 0
        self.removed = 0

    def __len__(self) -> int:
        return len(self._values) // 5

    def __iter__(self) -> Iterator[DiffBlock]:
        for at in range(len(self)):
            same, *places = self._values[5 * at : 5 * at + 5]
            yield DiffBlock(bool(same), *places)

    def add(self, same: bool, old_end: int, new_end: int) -> None:
        """Add a block of the lines after the last one; extend the last one if the kind is the same."""
        values = self._values
        old_start, new_start = (values[-3], values[-1]) if values else (0, 0)
        if not same:
            self.added += new_end - new_start
            self.removed += old_end - old_start
        if values and values[-5] == same:
            values[-3], values[-1] = old_end, new_end
        else:
            values.extend((same, old_start, old_end, new_start, new_end))


# Plain tuples of numbers, not named tuples: there may be a hundred thousand, and the garbage
# collector only untracks plain ones.
Region: TypeAlias = tuple[int, int, int, int]
"""Lines still to be compared: start and end of the old ones, and of the new ones."""
Match: TypeAlias = tuple[int, int, int]
"""Equal lines: the first old line, the first new line, and their number."""


def compare_lines(old: Sequence[Hashable], new: Sequence[Hashable]) -> Steps[DiffBlocks]:
    """Return the blocks of equal and of replaced lines that make up both sides, in order.

    Lines that occur once on each side anchor the rest (a patience diff); between anchors, the
    shortest edit script is searched for. Both are bounded: lines that repeat endlessly are treated
    as replaced, since a search would take quadratic time.
    """
    numbers: dict[Hashable, int] = {}
    a = yield from _numbered(old, numbers)
    b = yield from _numbered(new, numbers)
    matches: list[Match] = []
    regions = [(0, len(a), 0, len(b))]
    budget = ROUNDS * (len(a) + len(b))
    while regions:
        region = yield from _trimmed(a, b, regions.pop(), matches)
        a0, a1, b0, b1 = region
        budget -= a1 - a0 + b1 - b0
        if a0 < a1 and b0 < b1 and budget > 0:
            anchors = yield from _anchors(a, b, region)
            if anchors:
                regions += yield from _between(region, anchors)
            else:
                matches += yield from _fewest_edits(a, b, region)
        yield
    return (yield from _blocks(sorted(matches, key=itemgetter(0)), len(a), len(b)))


def _numbered(lines: Sequence[Hashable], numbers: dict[Hashable, int]) -> Steps[list[int]]:
    """Map each line to a small number, the same for equal lines: those are faster to compare."""
    found: list[int] = []
    for at in range(0, len(lines), LINES_AT_ONCE):
        part = lines[at : at + LINES_AT_ONCE]
        found += [numbers.setdefault(line, len(numbers)) for line in part]
        yield
    return found


def _trimmed(a: list[int], b: list[int], region: Region, matches: list[Match]) -> Steps[Region]:
    """Return the region without the equal lines at its start and end, which become matches."""
    start, end, new_start, _ = region
    a0, a1, b0, b1 = region
    while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
        a0, b0 = a0 + 1, b0 + 1
        if a0 % LINES_AT_ONCE == 0:
            yield
    while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
        a1, b1 = a1 - 1, b1 - 1
        if a1 % LINES_AT_ONCE == 0:
            yield
    if a0 > start:
        matches.append((start, new_start, a0 - start))
    if a1 < end:
        matches.append((a1, b1, end - a1))
    return a0, a1, b0, b1


def _anchors(a: list[int], b: list[int], region: Region) -> Steps[list[tuple[int, int]]]:
    """Return lines that occur once on both sides: the longest common sequence (patience sorting)."""
    a0, a1, b0, b1 = region
    in_a = yield from _places(a, a0, a1)
    in_b = yield from _places(b, b0, b1)
    tops: list[int] = []
    piles: list[int] = []
    pairs: list[tuple[int, int, int]] = []
    for line, i in in_a.items():
        j = in_b.get(line, -1)
        if i < 0 or j < 0:
            continue
        pile = bisect_left(tops, j)
        before = piles[pile - 1] if pile else -1
        tops[pile : pile + 1] = [j]
        piles[pile : pile + 1] = [len(pairs)]
        pairs.append((i, j, before))
        if len(pairs) % LINES_AT_ONCE == 0:
            yield
    chain = []
    at = piles[-1] if piles else -1
    while at >= 0:
        i, j, at = pairs[at]
        chain.append((i, j))
        if len(chain) % LINES_AT_ONCE == 0:
            yield
    return chain[::-1]


def _places(lines: list[int], start: int, end: int) -> Steps[dict[int, int]]:
    """Return the index of each line that occurs once; -1 for all others."""
    places: dict[int, int] = {}
    for at in range(start, end):
        line = lines[at]
        places[line] = -1 if line in places else at
        if at % LINES_AT_ONCE == 0:
            yield
    return places


def _between(region: Region, anchors: list[tuple[int, int]]) -> Steps[list[Region]]:
    """Return the regions before, between and after anchors; each anchor begins its region."""
    regions = []
    i, end, j, new_end = region
    for at, (old, new) in enumerate([*anchors, (end, new_end)]):
        if i < old and j < new:
            regions.append((i, old, j, new))
        i, j = old, new
        if at % LINES_AT_ONCE == 0:
            yield
    return regions[::-1]


def _fewest_edits(a: list[int], b: list[int], region: Region) -> Steps[list[Match]]:
    """Return the matches of a shortest edit script (Myers); none if it is longer than MOST_EDITS."""
    a0, a1, b0, b1 = region
    n, m = a1 - a0, b1 - b0
    ends = {1: 0}
    history: list[dict[int, int]] = []
    for edits in range(min(n + m, MOST_EDITS) + 1):
        history.append(ends.copy())
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and ends[k - 1] < ends[k + 1])
            x = ends[k + 1] if down else ends[k - 1] + 1
            while x < n and x - k < m and a[a0 + x] == b[b0 + x - k]:
                x += 1
            ends[k] = x
            if x >= n and x - k >= m:
                return _walked_back(history, region)
            if k % 32 == 0:
                yield
    return []


def _walked_back(history: list[dict[int, int]], region: Region) -> list[Match]:
    matches = []
    a0, a1, b0, b1 = region
    x, y = a1 - a0, b1 - b0
    for edits in range(len(history) - 1, -1, -1):
        ends, k = history[edits], x - y
        down = k == -edits or (k != edits and ends[k - 1] < ends[k + 1])
        before = k + 1 if down else k - 1
        x_before = ends[before]
        start = x_before + (0 if down else 1) if edits else 0
        if x > start:
            matches.append((a0 + start, b0 + start - k, x - start))
        x, y = x_before, x_before - before
    return matches


def _blocks(matches: list[Match], old_size: int, new_size: int) -> Steps[DiffBlocks]:
    blocks = DiffBlocks()
    i = j = 0
    for at, (old, new, size) in enumerate([*matches, (old_size, new_size, 0)]):
        if i < old or j < new:
            blocks.add(False, old, new)
        if size:
            blocks.add(True, old + size, new + size)
        i, j = old + size, new + size
        if at % LINES_AT_ONCE == 0:
            yield
    return blocks


def estimate_counts(old: Sequence[Hashable], new: Sequence[Hashable]) -> tuple[int, int]:
    """Return a lower bound of added and removed lines: moved lines aren't counted."""
    before, after = Counter(old), Counter(new)
    return (after - before).total(), (before - after).total()


def describe_line_end_changes(old: str | None, new: str) -> str:
    """Describe how line endings or the byte order mark changed; "" if not, or if a side is empty."""
    if not old or not new:
        return ""
    notes = []
    was, now = line_ends_of(old), line_ends_of(new)
    if was and now and was != now:
        notes.append(f"line ends: {was} to {now}")
    if old.startswith(BOM) != new.startswith(BOM):
        notes.append("BOM added" if new.startswith(BOM) else "BOM removed")
    return ", ".join(notes)


def ignores_line_ends(old: str | None, new: str) -> bool:
    """Return whether to compare lines without their endings. False if only a few endings changed."""
    is_mixed = "mixed" in (line_ends_of(old or ""), line_ends_of(new))
    changed = abs((old or "").count("\r\n") - new.count("\r\n"))
    if 0 < changed <= (FEW if is_mixed else 1):
        return False
    return bool(describe_line_end_changes(old, new))


def line_ends_of(text: str) -> str:
    """Return a text's line endings: "LF", "CRLF", "CR" or "mixed"; "" if it has none.

    CR only counts in a text without any LF, as on classic Mac OS. Elsewhere it is terminal output.
    """
    ends, dos = text.count("\n"), text.count("\r\n")
    if not ends:
        return "CR" if "\r" in text else ""
    return "LF" if not dos else "CRLF" if dos == ends else "mixed"


def is_dos(text: str) -> bool:
    """Return whether all line endings are CRLF."""
    return text.count("\r\n") == text.count("\n") and not text.endswith("\r")
