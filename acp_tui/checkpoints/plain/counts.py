"""How many lines come and go from one content to another: in little time, whatever they are."""

from acp_tui.checkpoints.checkpoint import Counted, Lines

_LOOKED_AT = 8000
"""Bytes at the begin of a content that tell whether it is a text, as git does it."""
_MUCH = 1_000_000
"""Bytes between the first change and the last one that are compared line by line."""
_STEPS = 500_000
"""Steps to find what stayed, which take a fraction of a second."""


def count_lines(old: bytes, new: bytes) -> Lines:
    """Return how many lines are added and removed; None for both where one is no text.

    Where there is too much to compare, all lines between the first and the last change count.
    """
    if not (is_text(old) and is_text(new)):
        return None, None, Counted.NO_TEXT
    head = old.rfind(b"\n", 0, _common_head(old, new)) + 1
    old, new = old[head:], new[head:]
    tail = _common_tail(old, new)
    begin = old.find(b"\n", len(old) - tail) + 1 if tail else 0
    tail = len(old) - begin if begin else 0
    old, new = old[: len(old) - tail], new[: len(new) - tail]
    if not old or not new:
        return _number(new), _number(old), Counted.EXACTLY
    if len(old) + len(new) > _MUCH:
        return _number(new), _number(old), Counted.AT_MOST
    same = _same(_lines(old), _lines(new))
    how = Counted.EXACTLY if same is not None else Counted.AT_MOST
    return _number(new) - (same or 0), _number(old) - (same or 0), how


def is_text(content: bytes) -> bool:
    """Whether git would count its lines."""
    return b"\0" not in content[:_LOOKED_AT]


def _common_head(some: bytes, others: bytes) -> int:
    """Return with how many equal bytes both begin, by halves: each byte is compared about once."""
    least, most = 0, min(len(some), len(others))
    while least < most:
        middle = (least + most + 1) // 2
        if some[least:middle] == others[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def _common_tail(some: bytes, others: bytes) -> int:
    """Return with how many equal bytes both end."""
    return _common_head(some[::-1], others[::-1])


def _number(content: bytes) -> int:
    """A line ends with a line feed, as in git; the last one may lack it."""
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))


def _lines(content: bytes) -> list[bytes]:
    *whole, rest = content.split(b"\n")
    return [*(line + b"\n" for line in whole), *([rest] if rest else [])]


def _same(before: list[bytes], after: list[bytes]) -> int | None:
    """Return how many lines stay, in their order; None if that takes too many steps."""
    numbers = {line: number for number, line in enumerate({*before} & {*after})}
    old = [numbers[line] for line in before if line in numbers]
    new = [numbers[line] for line in after if line in numbers]
    distance = _distance(old, new)
    return None if distance is None else (len(old) + len(new) - distance) // 2


def _distance(old: list[int], new: list[int]) -> int | None:
    """Return the fewest lines that come and go, found as Myers does it; None for too many steps.

    A diagonal is by how much one is further in the old lines than in the new ones.
    """
    furthest, left = {1: 0}, _STEPS
    for distance in range(len(old) + len(new) + 1):
        for diagonal in range(-distance, distance + 1, 2):
            below, above = furthest.get(diagonal - 1, -1) + 1, furthest.get(diagonal + 1, 0)
            begin = at = max(below, above)
            while at < len(old) and at - diagonal < len(new) and old[at] == new[at - diagonal]:
                at += 1
            if at >= len(old) and at - diagonal >= len(new):
                return distance
            furthest[diagonal] = at
            left -= 1 + at - begin
            if left < 0:
                return None
    return None
