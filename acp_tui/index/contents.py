"""What changes and inputs contain, as texts to be searched."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any


def changed_lines(before: str, after: str) -> str:
    """Return the lines that a diff removes, and those that it adds: other lines are not the agent's work."""
    old, new = before.splitlines(), after.splitlines()
    gone = (f"- {line}" for line in _without(old, new))
    added = (f"+ {line}" for line in _without(new, old))
    return "\n".join([*gone, *added])


def strings(value: Any) -> Iterator[str]:
    """Yield the texts in a JSON value in their order, however deep; not the names of its members."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            left.extend(reversed([*one.values()]))
        elif isinstance(one, list):
            left.extend(reversed(one))


def _without(lines: Iterable[str], others: Iterable[str]) -> Iterator[str]:
    """Yield the lines that aren't among the others, as often as they come more often than there."""
    there = Counter(others)
    for line in lines:
        if there[line] > 0:
            there[line] -= 1
        else:
            yield line
