"""How many lines come and go from one content to another."""

from difflib import SequenceMatcher

_LOOKED_AT = 8000
"""Bytes at the begin of a content that tell whether it is a text, as git does it."""
_MUCH = 4_000_000
"""Pairs of lines that are compared one by one in a fraction of a second."""

Counts = tuple[int | None, int | None]


def count_lines(old: bytes, new: bytes) -> Counts:
    """Return how many lines are added and removed; None for both where one is no text.

    Where there is too much to compare, all lines between the first and the last change count.
    """
    if any(b"\0" in one[:_LOOKED_AT] for one in (old, new)):
        return None, None
    before, after = _lines(old), _lines(new)
    head = _common(before, after)
    before, after = before[head:], after[head:]
    tail = _common(before[::-1], after[::-1])
    before, after = before[: len(before) - tail], after[: len(after) - tail]
    same = 0
    if len(before) * len(after) <= _MUCH:
        blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
        same = sum(block.size for block in blocks)
    return len(after) - same, len(before) - same


def _lines(content: bytes) -> list[bytes]:
    """A line ends with a line feed, as in git; the last one may lack it."""
    *whole, rest = content.split(b"\n")
    return [*(line + b"\n" for line in whole), *([rest] if rest else [])]


def _common(some: list[bytes], others: list[bytes]) -> int:
    """Return with how many equal lines both begin."""
    least = min(len(some), len(others))
    return next((at for at in range(least) if some[at] != others[at]), least)
