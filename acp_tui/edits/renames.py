"""Finds renamed files among the changes that an agent shows: a deleted file and a similar new one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from acp_tui.protocol.content import Diff, ShownContent

LEAST_ALIKE = 0.5
"""Minimum share of common lines for a rename."""
MOST_COMPARED = 64
"""Pairs of files that are compared line by line. With more, only equal files match: this runs whenever
a call is drawn.
"""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A file that was at `source`, and its change; the diff has the new path."""

    source: str
    diff: Diff


JoinedContent = ShownContent | Renamed
"""The content of a call, with each rename in place of its two diffs."""


def join_renames(content: Sequence[ShownContent]) -> list[JoinedContent]:
    """Join each pair of a deleted and a created file, at the place of the later one."""
    items: list[JoinedContent] = list(content)
    diffs = [(at, item) for at, item in enumerate(content) if isinstance(item, Diff)]
    gone = {at: diff for at, diff in diffs if diff.old_text and not diff.new_text}
    came = {at: diff for at, diff in diffs if diff.new_text and not diff.old_text}
    by_lines = len(gone) * len(came) <= MOST_COMPARED
    joined = set()
    for at, old in gone.items():
        new_at = _find_counterpart(old, came, by_lines)
        if new_at is None:
            continue
        new = came.pop(new_at)
        diff = Diff(path=new.path, old_text=old.old_text, new_text=new.new_text)
        items[max(at, new_at)] = Renamed(old.path, diff)
        joined.add(min(at, new_at))
    return [item for at, item in enumerate(items) if at not in joined]


def _find_counterpart(old: Diff, others: Mapping[int, Diff], by_lines: bool) -> int | None:
    """Return the index of the new file that is most similar to the old one, or None."""
    best, best_alike = None, LEAST_ALIKE
    for at, new in others.items():
        if new.new_text == old.old_text:
            return at
        alike = _alike(old.old_text or "", new.new_text) if by_lines else 0.0
        if alike > best_alike:
            best, best_alike = at, alike
    return best


def _alike(old: str, new: str) -> float:
    """Return the share of common lines, wherever they are."""
    before, after = Counter(old.split("\n")), Counter(new.split("\n"))
    return 2 * (before & after).total() / (before.total() + after.total())
