"""Shrinks a recording to a minimal one that still shows a finding, by delta debugging.

Each candidate must show the finding at the same record, and no finding that the recording doesn't
have. So the handshake stays, and the result is a conversation that could have happened.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from acp_tui.debug.lint.linter import Linter
from acp_tui.debug.log import Log
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.events import Abandoned, NotSent, Record, TimedOut
from acp_tui.protocol.findings import Finding, JsonPath
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.process_events import Connecting, ProcessStarted
from acp_tui.recordings.recording import RecordingError

Unit = TypeVar("Unit")
_REQUIRED_FIELDS = ("jsonrpc", "id", "method")
"""Fields of a message that are never cut."""
_SHORT = 16
"""Characters to which a longer text is cut if it can't be emptied."""


class RecordPlace(NamedTuple):
    """A record, and its index in the whole recording."""

    origin: int
    record: Record


class _StopSearch(Exception):  # noqa: N818  not an error: time is up
    """Raised when `should_continue` stops the search."""


@dataclass(slots=True)
class Shrunk:
    """The remaining records, the finding in them, and the number of tries; `whole` if not stopped."""

    records: list[Record]
    finding: Finding
    tries: int
    whole: bool


class Shrinker:
    """Shrinks `records`. Before each try, `should_continue` gets the number of tries and of remaining
    records; it returns whether to continue.

    Raises RecordingError if nothing breaks the rule.
    """

    def __init__(
        self,
        records: Sequence[Record],
        rule: str,
        linter: Callable[[], Linter],
        should_continue: Callable[[int, int], bool],
    ) -> None:
        self._linter = linter
        self._should_continue = should_continue
        self._tries = 0
        self._best = [RecordPlace(index, record) for index, record in enumerate(records)]
        self._log = self._read_places(self._best)
        found = [one for one in self._log.findings if one.rule.id == rule]
        if not found:
            rules = ", ".join(sorted({one.rule.id for one in self._log.findings}))
            raise RecordingError(
                f"nothing in it breaks the rule {rule}; there is: {rules or 'nothing'}"
            )
        self._finding = found[0]
        self._known = {(one.rule.id, one.index) for one in self._log.findings}
        self._required = _request_of(records, self._finding.index)

    def shrink(self) -> Shrunk:
        """Cut turns, then exchanges and records until none can be cut, then fields."""
        whole = True
        try:
            self._cut_units(self._turns())
            before = 0
            while before != len(self._best):
                before = len(self._best)
                self._cut_units(self._exchanges())
                self._cut_units([[place] for place in self._best])
            self._cut_fields()
        except _StopSearch:
            whole = False
        index = self._at_target(self._best)
        finding = next(
            one for one in self._read_places(self._best).findings
            if one.index == index and one.rule == self._finding.rule
        )  # fmt: skip
        return Shrunk([one.record for one in self._best], finding, self._tries, whole)

    # Candidates

    def _read_places(self, places: Sequence[RecordPlace]) -> Log:
        return Log.of_all([one.record for one in places], self._linter())

    def _at_target(self, places: Sequence[RecordPlace]) -> int:
        """Return the current index of the record that the finding is about; -1 if it was cut."""
        indexes = [one.origin for one in places]
        return indexes.index(self._finding.index) if self._finding.index in indexes else -1

    def _try_places(self, places: list[RecordPlace]) -> bool:
        """Return whether records still show the finding, and none that is new; keep them if so."""
        if not self._should_continue(self._tries, len(self._best)):
            raise _StopSearch
        self._tries += 1
        origins = {one.origin for one in places}
        if not {self._finding.index, self._required} <= origins:
            return False
        found = {
            (one.rule.id, places[one.index].origin) for one in self._read_places(places).findings
        }
        if not found <= self._known or (self._finding.rule.id, self._finding.index) not in found:
            return False
        self._best = places
        return True

    # Records

    def _turns(self) -> list[list[RecordPlace]]:
        """Return the pieces that may be cut: each record before the first prompt, and each turn."""
        units: list[list[RecordPlace]] = []
        prompts = set(self._log.prompts)
        for place in self._best:
            if place.origin in prompts or not prompts or place.origin < min(prompts):
                units.append([])
            units[-1].append(place)
        return units

    def _exchanges(self) -> list[list[RecordPlace]]:
        """Return each request with its response, and all other records one by one."""
        units: dict[int, list[RecordPlace]] = {}
        for place in self._best:
            partner = self._log.partners[place.origin]
            first = partner if partner in units else place.origin
            units.setdefault(first, []).append(place)
        return list(units.values())

    def _cut_units(self, units: list[list[RecordPlace]]) -> None:
        """Leave out as many units as possible; the start of the agent always stays."""
        kept = [place for unit in units for place in unit if _is_required(place.record)]
        rest = [[one for one in unit if not _is_required(one.record)] for unit in units]

        def reproduces(some: list[list[RecordPlace]]) -> bool:
            return self._try_places(sorted([*kept, *(place for unit in some for place in unit)]))

        ddmin([unit for unit in rest if unit], reproduces)

    # Fields

    def _cut_fields(self) -> None:
        for at in range(len(self._best)):
            record = self._best[at].record
            value = jsonrpc.decode(record.raw) if isinstance(record, Frame) else None
            if not isinstance(value, dict):
                continue
            assert isinstance(record, Frame)
            self._cut_value(at, record, value)

    def _cut_value(self, at: int, frame: Frame, value: dict[str, Any]) -> None:
        """Cut the content of one frame, outermost values first, as much at once as possible."""

        def reproduces(cut: dict[str, Any]) -> bool:
            raw = json.dumps(cut, separators=(",", ":")).encode()
            place = RecordPlace(self._best[at].origin, frame._replace(raw=raw, size=len(raw)))
            is_less = len(raw) < len(frame.raw)
            return is_less and self._try_places([*self._best[:at], place, *self._best[at + 1 :]])

        paths: list[JsonPath] = [()]
        for path in paths:
            value = _cut_part(value, path, reproduces)
            paths += [(*path, key) for key in _keys(_at(value, path), path)]


def ddmin(units: list[Unit], reproduces: Callable[[list[Unit]], bool]) -> list[Unit]:
    """Return a minimal subset of the units for which `reproduces` is true: none of them can be left out."""
    size = max(1, len(units) // 2)
    while units:
        for start in range(0, len(units), size):
            rest = [*units[:start], *units[start + size :]]
            if reproduces(rest):
                units = rest
                size = max(1, min(size, len(units) // 2))
                break
        else:
            if size == 1:
                return units
            size = max(1, size // 2)
    return units


def _request_of(records: Sequence[Record], index: int) -> int:
    """Return the index of the request that the record at `index` gives up; else that index itself.

    Without its request, a time-out wouldn't show what the agent left unanswered.
    """
    gives_up = records[index]
    if not isinstance(gives_up, TimedOut | Abandoned | NotSent):
        return index
    before = range(index - 1, -1, -1)
    return next((at for at in before if _is_request(records[at], gives_up.id)), index)


def _is_request(record: Record, id: jsonrpc.Id) -> bool:
    """Return whether a record is the client's request with this id."""
    is_ours = isinstance(record, Frame) and record.direction is Direction.OUT
    message = jsonrpc.parse(record.raw) if isinstance(record, Frame) and is_ours else None
    return isinstance(message, jsonrpc.Request) and message.id == id


def _is_required(record: Record) -> bool:
    return isinstance(record, ProcessStarted | Connecting)


def _keys(value: Any, path: JsonPath) -> list[Any]:
    """Return the keys or indexes of a value's parts that may be cut; of a list, the last first."""
    if isinstance(value, dict):
        return [key for key in value if path or key not in _REQUIRED_FIELDS]
    return [*reversed(range(len(value)))] if isinstance(value, list) else []


def _with_parts(holder: Any, keys: list[Any], path: JsonPath) -> Any:
    """Return a copy of a value without the parts that may be cut, except those at `keys`."""
    kept = set(keys)
    if isinstance(holder, list):
        return [one for at, one in enumerate(holder) if at in kept]
    required = () if path else _REQUIRED_FIELDS
    return {key: one for key, one in holder.items() if key in kept or key in required}


def _cut_part(value: Any, path: JsonPath, reproduces: Callable[[Any], bool]) -> Any:
    """Cut the value at a path: as many parts of an object or list at once as possible, or a text."""
    part = _at(value, path)
    if isinstance(part, str):
        texts = ("", part[:_SHORT]) if len(part) > _SHORT else ()
        return next(filter(reproduces, (_changed(value, path, text) for text in texts)), value)
    keys = _keys(part, path)

    def with_parts(some: list[Any]) -> Any:
        return _changed(value, path, _with_parts(part, some, path))

    return with_parts(ddmin(keys, lambda some: reproduces(with_parts(some)))) if keys else value


def _at(value: Any, path: JsonPath) -> Any:
    for step in path:
        value = value[step]
    return value


def _changed(value: Any, path: JsonPath, part: Any) -> Any:
    """Copy a value with the part at a path replaced; everything off the path is shared."""
    if not path:
        return part
    copy = value.copy()
    holder = copy
    for step in path[:-1]:
        inner = holder[step].copy()
        holder[step] = inner
        holder = inner
    holder[path[-1]] = part
    return copy
