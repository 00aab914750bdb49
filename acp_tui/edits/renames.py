"""Files that a tool call moved: one file deleted, another made with much the same text."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acp_tui.protocol.content import Diff, ShownContent

LEAST_ALIKE = 0.5
"""Which part of their lines two files must share to be taken for one."""
MOST_COMPARED = 64
"""How many pairs of files are compared line by line; of more, only equal files are found."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A file that was at `source`, and what changed in it; the diff has its new path."""

    source: str
    diff: Diff


Item = ShownContent | Renamed


def with_renames(content: Sequence[ShownContent]) -> list[Item]:
    """Join each pair of a deleted and a new file into one, at the place of the later one."""
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
    """Which of some new files is the old one; the most alike, if several are."""
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
    """Which part of their lines two texts share, wherever the lines stand."""
    before, after = Counter(old.split("\n")), Counter(new.split("\n"))
    return 2 * (before & after).total() / (before.total() + after.total())
