"""Where in a TOML file something stands: its parser doesn't tell."""

import re
from collections import Counter
from collections.abc import Sequence

_TABLE = re.compile(r"\s*(\[\[?)([^\]]+)\]")
_PART = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*""")
_KEY = re.compile(r"""((?:\s*(?:"[^"]*"|'[^']*'|[\w-]+)\s*\.?)+)=""")


def line_of(text: str, place: Sequence[str | int]) -> int:
    """Find the line of what these keys and numbers lead to, or of what contains it; 0 if nothing does."""
    return place_of(text, place)[0]


def place_of(text: str, place: Sequence[str | int]) -> tuple[int, int]:
    """Find the line and the column of the same."""
    table: tuple[str | int, ...] = ()
    counts = Counter[tuple[str | int, ...]]()
    deepest, found = 0, (0, 0)
    for number, line in enumerate(text.splitlines(), 1):
        if header := _TABLE.match(line):
            table = _keys(header[2])
            heres = [table]
            if header[1] == "[[":
                table = (*table, counts[table])
                counts[heres[0]] += 1
                heres.append(table)
        elif key := _KEY.match(line):
            heres = [(*table, *_keys(key[1]))]
        else:
            continue
        for here in heres:
            known = here[: len(place)]  # a table within it makes it, too
            if len(known) > deepest and known == tuple(place[: len(known)]):
                deepest, found = len(known), (number, len(line) - len(line.lstrip()) + 1)
    return found


def _keys(dotted: str) -> tuple[str | int, ...]:
    return tuple("".join(parts) for parts in _PART.findall(dotted))
