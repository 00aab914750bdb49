"""Detects moved files in a tool call: one deleted, another created with similar content."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acp_tui.protocol.content import Diff, ShownContent

LEAST_ALIKE = 0.5
"""Minimum share of common lines for a rename."""
MOST_COMPARED = 64
"""Pairs of files that are compared line by line; with more, only equal files match."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A file that was at `source`, and its change; the diff has the new path."""

    source: str
    diff: Diff


Item = ShownContent | Renamed


def with_renames(content: Sequence[ShownContent]) -> list[Item]:
    """Join each pair of a deleted and a created file, at the place of the later one."""
    items: list[Item] = list(content)
    gone = [at for at, item in enumerate(content) if isinstance(item, Diff) and _is_gone(item)]
    came = [at for at, item in enumerate(content) if isinstance(item, Diff) and _is_new(item)]
    joined = set()
    compared = len(gone) * len(came) <= MOST_COMPARED
    for at in gone:
        old = content[at]
        assert isinstance(old, Diff)
        new_at = _counterpart(old, ((one, content[one]) for one in came), compared)
        if new_at is None:
            continue
        came.remove(new_at)
        new = content[new_at]
        assert isinstance(new, Diff)
        diff = Diff(path=new.path, old_text=old.old_text, new_text=new.new_text)
        items[max(at, new_at)] = Renamed(old.path, diff)
        joined.add(min(at, new_at))
    return [item for at, item in enumerate(items) if at not in joined]


def _is_gone(diff: Diff) -> bool:
    return bool(diff.old_text) and not diff.new_text


def _is_new(diff: Diff) -> bool:
    return not diff.old_text and bool(diff.new_text)


def _counterpart(
    old: Diff, others: Iterable[tuple[int, ShownContent]], compared: bool
) -> int | None:
    """Return the index of the new file that is most similar to the old one, or None."""
    best, best_alike = None, LEAST_ALIKE
    for at, new in others:
        assert isinstance(new, Diff)
        if new.new_text == old.old_text:
            return at
        alike = _alike(old.old_text or "", new.new_text) if compared else 0.0
        if alike > best_alike:
            best, best_alike = at, alike
    return best


def _alike(old: str, new: str) -> float:
    """Return the share of common lines, wherever they are."""
    before, after = Counter(old.split("\n")), Counter(new.split("\n"))
    return 2 * (before & after).total() / (before.total() + after.total())
