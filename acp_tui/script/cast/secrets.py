"""Finds secrets on a screen: whole, wrapped, cut off, or typed only in part."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from acp_tui.wire.recording import Record
from acp_tui.wire.report.json_parts import Way
from acp_tui.wire.report.redaction import Redactor
from acp_tui.wire.report.secrets import MASK, is_secret, secrets

_PIECE = 6
"""Characters of a secret that are masked wherever they stand; of a short one it is half of it."""
_LEAST = 3
_SHORTEST = 4
"""Characters of the shortest text that is looked for: shorter ones are in every other word."""
_FRAMES = range(0x2500, 0x2900)
"""Lines, blocks and patterns, which stand between the parts of what is wrapped."""


class Collector(Redactor):
    """A redactor that keeps what it masks."""

    def __init__(self) -> None:
        super().__init__(environments=False)
        self.found: set[str] = set()
        self._spread = ""
        """What was seen so far of a secret that is spread over several records."""

    def text(self, text: str, where: str) -> str:
        """Mask a text."""
        self.found.update(text[start:end] for start, end in secrets(text))
        return super().text(text, where)

    def argv(self, argv: Any) -> list[str]:
        """Mask a command line."""
        given = list(map(str, argv))
        cleaned = super().argv(given)
        for word, left in zip(given, cleaned, strict=True):
            begin, mask, end = left.partition(MASK)
            if mask and MASK not in word:
                self.found.add(word[len(begin) : len(word) - len(end)])
        return cleaned

    def _plain(self, value: Any, where: str, way: Way) -> Any:
        if way is Way.MASK and isinstance(value, str):
            self.found.add(value)
        return super()._plain(value, where, way)

    def _cut(self, record: Record, text: str, where: str) -> str:
        for start, end, first in self._cuts.get(record, ()):
            begun = "" if first else self._spread
            self.found.discard(begun)
            self._spread = begun + text[start:end]
            self.found.add(self._spread)
        return super()._cut(record, text, where)


def secrets_of(
    records: Sequence[Record], facts: Mapping[str, Any], texts: Iterable[str]
) -> set[str]:
    """Return the secrets of a recording, of some texts, and of our own variables."""
    collector = Collector()
    collector.look_at(records)
    collector.facts(dict(facts))
    for record in records:
        collector.record(record)
    for text in texts:
        collector.text(text, "")
    own = {value for name, value in os.environ.items() if is_secret(name)}
    return collector.found | own


class Finder:
    """Finds the secrets that are known, and what looks like one, in rows of cells."""

    def __init__(self, known: Iterable[str]) -> None:
        self._pieces: dict[int, set[str]] = {}
        self._whole: set[str] = set()
        self._looked_at: dict[str, list[tuple[int, int]]] = {}
        for one in known:
            self.add(one)

    def add(self, secret: str) -> None:
        """Know one more."""
        plain = "".join(char for char in secret if _counts(char))
        if len(plain) < _SHORTEST or plain in self._whole:
            return
        self._whole.add(plain)
        size = max(_LEAST, min(_PIECE, len(plain) // 2))
        pieces = self._pieces.setdefault(size, set())
        pieces.update(plain[at : at + size] for at in range(len(plain) - size + 1))

    def learn(self, rows: Sequence[Sequence[str]]) -> None:
        """Look in rows of cells for what looks like a secret and isn't known yet."""
        for row in map("".join, rows):
            for start, end in self._spans(row):
                self.add(row[start:end])

    def _spans(self, row: str) -> list[tuple[int, int]]:
        found = self._looked_at.get(row)
        if found is None:
            found = self._looked_at[row] = secrets(row)
        return found

    def places(self, rows: Sequence[Sequence[str]]) -> set[tuple[int, int]]:
        """Return the cells, as y and x, that show a part of a secret."""
        at: list[tuple[int, int]] = []
        chars: list[str] = []
        for y, cells in enumerate(rows):
            for x, data in enumerate(cells):
                for char in data:
                    if _counts(char):
                        chars.append(char)
                        at.append((y, x))
        text = "".join(chars)
        hidden: set[tuple[int, int]] = set()
        for size, pieces in self._pieces.items():
            for start in range(len(text) - size + 1):
                if text[start : start + size] in pieces:
                    hidden.update(at[start : start + size])
        return hidden

    def shows(self, rows: Sequence[Sequence[str]]) -> bool:
        """Return whether a secret can be read."""
        text = "".join(char for cells in rows for data in cells for char in data if _counts(char))
        return any(one in text for one in self._whole)


def _counts(char: str) -> bool:
    """Whether a character belongs to what is read, and not to the space around it."""
    return not char.isspace() and ord(char) not in _FRAMES and char not in "…⋯"
