"""Compares two JSON values; differences are paths into them."""

from itertools import zip_longest
from typing import Any, NamedTuple

from acp_tui.debug.compare.counterparts import Counterparts
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.findings import JsonPath, format_path


class _Absent:
    """Stands where one of the two has nothing."""

    def __repr__(self) -> str:
        return "absent"


ABSENT = _Absent()
_LONGEST_VALUE = 80
"""Characters of a value that are told."""
_AROUND = 20
"""Characters of a text that are told before the first one that differs."""


class ValueChange(NamedTuple):
    """A path at which two values differ, with both; `ABSENT` where one has nothing."""

    path: JsonPath
    before: Any
    after: Any


def changes(before: Any, after: Any, counterparts: Counterparts) -> list[ValueChange]:
    """Compare two JSON values, however deep; what is of one run only counts as the same."""
    found: list[ValueChange] = []
    stack: list[tuple[JsonPath, Any, Any]] = [((), before, after)]
    while stack:
        path, one, other = stack.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            pairs = [
                (key, one.get(key, ABSENT), other.get(key, ABSENT)) for key in {**one, **other}
            ]
            stack += [((*path, key), *values) for key, *values in reversed(pairs)]
        elif isinstance(one, list) and isinstance(other, list):
            stack += [((*path, at), *values) for at, *values in reversed(_elements(one, other))]
        elif not counterparts.same(_key(path), one, other):
            found.append(ValueChange(path, one, other))
    return found


def _elements(one: list[Any], other: list[Any]) -> list[tuple[int, Any, Any]]:
    """Pair the elements: those before and after what was put in or taken out, with each other."""
    start = 0
    if len(one) != len(other):
        shorter = min(len(one), len(other))
        while start < shorter and one[start] == other[start]:
            start += 1
        end = 0
        while end < shorter - start and one[-1 - end] == other[-1 - end]:
            end += 1
        one, other = one[: len(one) - end], other[: len(other) - end]
    pairs = zip_longest(one[start:], other[start:], fillvalue=ABSENT)
    return [(at, *values) for at, values in enumerate(pairs, start)]


def _key(path: JsonPath) -> str:
    """The last name on a path."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def told(change: ValueChange) -> str:
    """Describe how a message differs from the recorded one."""
    where = format_path(change.path) or "all of it"
    before, after = excerpts(change)
    if change.after is ABSENT:
        return f"{where} is missing"
    if change.before is ABSENT:
        return f"{where} is new: {after}"
    return f"{where} is {after}, recorded was {before}"


def excerpts(change: ValueChange) -> tuple[str, str]:
    """Both values on one line each, not too long; of long texts where they differ."""
    before, after = change.before, change.after
    if isinstance(before, str) and isinstance(after, str):
        pairs = enumerate(zip(before, after, strict=False))
        same = next((at for at, (one, other) in pairs if one != other), 0)
        start = max(0, same - _AROUND)
        before, after = (f"{'…' if start else ''}{one[start:]}" for one in (before, after))
    return _short(before), _short(after)


def _short(value: Any) -> str:
    text = "nothing" if value is ABSENT else jsonrpc.as_json(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
