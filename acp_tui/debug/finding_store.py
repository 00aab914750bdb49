"""Stores findings in a few bytes each: an agent may break the same rule a million times."""

from array import array
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator

from acp_tui.protocol.findings import Finding, JsonPath, ProtocolRule, Severity

MOST_TOLD = 50_000
"""How many different findings are kept in full; of later ones only the rule."""
_What = tuple[ProtocolRule, str, JsonPath]


class FindingStore:
    """Findings by the index of their record."""

    def __init__(self) -> None:
        self.places = array("Q")
        """The records that have any, in their order."""
        self.severities = dict.fromkeys(Severity, 0)
        self._indexes = array("Q")
        self._kinds = array("I")
        self._kind_of: dict[_What, int] = {}
        self._whats: list[_What] = []

    def __len__(self) -> int:
        return len(self._indexes)

    def __iter__(self) -> Iterator[Finding]:
        """Iterate over all findings, in the order of the records."""
        return (self._finding(at) for at in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FindingStore) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it grows

    def note(self, finding: Finding) -> None:
        """Add a finding; nearly always it is about the last record so far."""
        index, kind = finding.index, self._kind(finding)
        at = bisect_right(self._indexes, index)
        if not at or self._indexes[at - 1] != index:
            insort(self.places, index)
        self._indexes.insert(at, index)
        self._kinds.insert(at, kind)
        self.severities[finding.severity] += 1

    def of(self, index: int) -> list[Finding]:
        """Return the findings of the record at an index."""
        if not self.places or index > self.places[-1]:
            return []
        first = bisect_left(self._indexes, index)
        return [self._finding(at) for at in range(first, bisect_right(self._indexes, index, first))]

    def last(self, *severities: Severity) -> int | None:
        """Return the index of the last record with one of these findings, or None."""
        for at in range(len(self) - 1, -1, -1):
            if self._whats[self._kinds[at]][0].severity in severities:
                return self._indexes[at]
        return None

    def _kind(self, finding: Finding) -> int:
        what: _What = (finding.rule, finding.message, finding.path)
        kind = self._kind_of.get(what)
        if kind is None and len(self._whats) >= MOST_TOLD:
            what = (finding.rule, "as others before", ())
            kind = self._kind_of.get(what)
        if kind is None:
            kind = self._kind_of[what] = len(self._whats)
            self._whats.append(what)
        return kind

    def _finding(self, at: int) -> Finding:
        rule, message, path = self._whats[self._kinds[at]]
        return Finding(rule, self._indexes[at], message, path)
