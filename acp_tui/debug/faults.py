"""Injected faults: parses their specs, such as `out:drop=10%`, and plans which frames they hit.

With the same seed, the same frames of a direction get the same faults, whatever the other side
sends in between.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from random import Random
from typing import NamedTuple

from acp_tui.debug.filters.language import FilterError, parse_filter
from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.debug.rows import LogRow
from acp_tui.errors import AcpTuiError
from acp_tui.formatting import exact_duration
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Failure, Id, Response


class FaultKind(StrEnum):
    """Faults that can be injected between a client and an agent."""

    FRAGMENT = "fragment"
    DELAY = "delay"
    DROP = "drop"
    DUPLICATE = "duplicate"
    REORDER = "reorder"
    GARBAGE = "garbage"
    TRUNCATE = "truncate"
    KILL = "kill-midturn"
    STALL = "stall-stdin"
    LATE = "late-answer"
    WRONG_ID = "wrong-id"


SECONDS = {FaultKind.DELAY: 0.2, FaultKind.STALL: 5.0, FaultKind.LATE: 5.0}
"""The faults that have a duration, each with its default in seconds."""
SHARE = 0.1
"""The share of all frames that a fault hits if it names neither a filter nor a share."""
LONGEST_DELAY = 3600.0
"""The longest duration of a fault, in seconds."""
_ALWAYS = (FaultKind.FRAGMENT, FaultKind.DELAY)
"""The kinds that hit every frame if they name neither."""
_ONCE = (FaultKind.KILL, FaultKind.STALL)
"""The kinds that hit one frame only if they name neither."""
_SPEC = re.compile(r"(?:(in|out):)?([a-z-]+)(?:=([^:]*))?(?::(.*))?", re.DOTALL)
_TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m)")
_UNITS = {"ms": 1e-3, "s": 1.0, "m": 60.0}
_SHARE = re.compile(r"(\d+(?:\.\d+)?)%")
_NUMBER = re.compile(r"#(\d{1,9})")


class FaultError(AcpTuiError):
    """A fault's spec is invalid; the message says why, and what would be valid."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, as specified in `text`. It hits a `share` of the frames that pass its filter, or
    only the one with this `number` among them; with neither, the plan chooses one.
    """

    text: str
    kind: FaultKind
    direction: Direction | None = None
    filter: str = ""
    shortest: float = 0.0
    longest: float = 0.0
    share: float | None = None
    number: int | None = None


def read_fault(text: str) -> Fault:
    """Parse `[in:|out:]NAME[=VALUE,...][:FILTER]`. Raises FaultError."""
    text = text.strip()
    found = _SPEC.fullmatch(text)
    if found is None:
        raise FaultError(
            f"{text!r} is not a fault: write [in:|out:]NAME[=VALUE][:FILTER], as drop=10%"
        )
    side, name, values, condition = found.groups()
    kind = _parse_kind(name)
    condition = (condition or "").strip()
    _check_condition(text, condition)
    seconds, share, number = None, None, None
    for value in map(str.strip, [] if values is None else values.split(",")):
        if timed := _parse_seconds(kind, value):
            seconds = timed
        elif found := _SHARE.fullmatch(value):
            share = float(found[1]) / 100
        elif found := _NUMBER.fullmatch(value):
            number = int(found[1])
        else:
            raise FaultError(f"{text!r}: {kind} has no value {value!r}; {_expected_values(kind)}")
    if share is not None and not 0 < share <= 1:
        raise FaultError(f"{text!r}: a share is more than 0% and at most 100%")
    if number == 0:
        raise FaultError(f"{text!r}: the first frame is #1")
    if share is None and number is None:
        share, number = _default_frequency(kind, condition)
    shortest, longest = seconds or (SECONDS.get(kind, 0.0),) * 2
    direction = Direction(side) if side else Direction.OUT if kind is FaultKind.STALL else None
    return Fault(text, kind, direction, condition, shortest, longest, share, number)


def _parse_kind(name: str) -> FaultKind:
    try:
        return FaultKind(name)
    except ValueError:
        near = get_close_matches(name, [*FaultKind], 1, 0.6)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(FaultKind)}"
        raise FaultError(f"there is no fault {name!r}; {hint}") from None


def _check_condition(text: str, condition: str) -> None:
    try:
        if condition:
            parse_filter(condition)
    except FilterError as error:
        where = text.rindex(condition)
        moved = FilterError(error.message, error.start + where, error.end + where)
        raise FaultError(f"\n{moved.pointed(text)}") from None


def _parse_seconds(kind: FaultKind, value: str) -> tuple[float, float] | None:
    """Parse a duration, or a range of them; None if it is neither, or the kind has no duration."""
    ends = [_TIME.fullmatch(end) for end in value.split("-")]
    if kind not in SECONDS or len(ends) > 2 or None in ends:
        return None
    times = [float(end[1]) * _UNITS[end[2]] for end in ends if end is not None]
    if times[0] > times[-1] or times[-1] > LONGEST_DELAY:
        raise FaultError(f"{value!r}: the shorter time comes first, and an hour is the most")
    return times[0], times[-1]


def _expected_values(kind: FaultKind) -> str:
    often = "how many are hit (10%), or which one (#3)"
    if kind in SECONDS:
        return f"it takes a time (200ms, 2s, 1s-3s), and {often}"
    return f"it takes {often}"


def _default_frequency(kind: FaultKind, condition: str) -> tuple[float | None, int | None]:
    """Return the default share and number of a fault that names neither."""
    if kind is FaultKind.KILL and not condition:
        return None, None
    if kind in _ONCE:
        return None, 1
    return (1.0 if condition or kind in _ALWAYS else SHARE), None


GARBAGE = (
    b"acp-tui --fault garbage: this is no JSON",
    b'{"acp-tui --fault garbage": "no end',
    b"acp-tui --fault garbage: no UTF-8 either \xff\xfe\x00",
    b"[]",
)
MOST_PIECES = 8
"""Most pieces into which a frame is split."""
_EARLY = 3
"""Highest number drawn for a fault that has none: low enough to hit a frame of a short turn."""


class Injection(NamedTuple):
    """A fault that was applied to a frame: its spec, its kind, and what it did, in words."""

    fault: str
    kind: FaultKind
    words: str


@dataclass(slots=True)
class Fate:
    """What happens to a frame: its `lines` are forwarded after `seconds`.

    If it is `in_order`, later frames wait, too. Otherwise they overtake it; if it is `swapped`,
    exactly one does. `cuts` are the positions at which the first line is split.
    """

    lines: list[bytes]
    injections: list[Injection] = field(default_factory=list)
    seconds: float = 0.0
    in_order: bool = True
    swapped: bool = False
    cuts: tuple[int, ...] = ()
    stall: float = 0.0
    kill: bool = False

    def is_stopped(self, raw: bytes) -> bool:
        """Return whether the frame is changed, delayed or dropped."""
        return self.lines[:1] != [raw] or self.seconds > 0 or self.swapped


class FaultPlan:
    """Decides the fate of each frame. Switching one fault on or off doesn't affect the others."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._planned: dict[str, _Planned] = {}

    def __bool__(self) -> bool:
        """Return whether any fault is enabled."""
        return any(one.on for one in self._planned.values())

    @property
    def faults(self) -> list[str]:
        """Return all faults, enabled or not."""
        return list(self._planned)

    @property
    def missed(self) -> list[str]:
        """The enabled faults that haven't hit anything."""
        return [text for text, one in self._planned.items() if one.on and not one.has_hit]

    def set(self, fault: Fault, *, on: bool = True) -> None:
        """Add a fault, or switch it on or off."""
        self._planned.setdefault(fault.text, _Planned(fault, self.seed)).on = on

    def remove(self, text: str) -> None:
        """Remove a fault."""
        self._planned.pop(text, None)

    def decide(
        self, row: LogRow, raw: bytes, *, in_turn: bool, in_pieces: bool = True
    ) -> Fate | None:
        """Return what happens to the next frame; None if no fault hits it.

        Unless lines can arrive `in_pieces` on this wire, none is fragmented.
        """
        fate = Fate([raw])
        for one in self._planned.values():
            if not in_pieces and one.fault.kind is FaultKind.FRAGMENT:
                continue
            if fate.lines and one.hits(row, in_turn=in_turn) and one.on:
                one.apply(fate, row)
        return fate if fate.injections else None


class _Planned:
    """One fault, with a random generator for each direction."""

    def __init__(self, fault: Fault, seed: int) -> None:
        self.fault = fault
        self.on = True
        self.has_hit = False
        self._passes = compile_filter(fault.filter)
        self._random = {
            side: Random(f"{seed} {side} {fault.text}")  # noqa: S311 - reproducible by its seed
            for side in Direction
        }
        self._seen = dict.fromkeys(Direction, 0)
        self._number = fault.number
        if fault.share is None and fault.number is None:
            self._number = self._random[Direction.IN].randint(1, _EARLY)

    def hits(self, row: LogRow, *, in_turn: bool) -> bool:
        """Return whether the fault applies to the next frame."""
        fault, side = self.fault, Direction(row.direction)
        if fault.direction not in (None, side) or not _HITS[fault.kind](row, in_turn):
            return False
        if not self._passes(row):
            return False
        self._seen[side] += 1
        if self._number is not None:
            return self._seen[side] == self._number
        assert fault.share is not None
        return self._random[side].random() < fault.share

    def apply(self, fate: Fate, row: LogRow) -> None:
        """Apply the fault to the frame."""
        words = _APPLY[self.fault.kind](fate, self.fault, self._random[Direction(row.direction)])
        if words:
            self.has_hit = True
            fate.injections.append(Injection(self.fault.text, self.fault.kind, words))


def _hits_any(_row: LogRow, _in_turn: bool) -> bool:
    return True


def _hits_answers(row: LogRow, _in_turn: bool) -> bool:
    return row.is_answer


def _hits_in_turns(row: LogRow, in_turn: bool) -> bool:
    return in_turn and row.direction == Direction.IN


_HITS: dict[FaultKind, Callable[[LogRow, bool], bool]] = {
    **dict.fromkeys(FaultKind, _hits_any),
    FaultKind.LATE: _hits_answers,
    FaultKind.WRONG_ID: _hits_answers,
    FaultKind.KILL: _hits_in_turns,
}


def _fragment_frame(fate: Fate, _: Fault, random: Random) -> str:
    line = fate.lines[0]
    if len(line) < 2:
        return ""
    places = range(1, len(line))
    count = min(len(places), random.randint(1, MOST_PIECES - 1))
    fate.cuts = tuple(sorted(random.sample(places, count)))
    return f"in {count + 1} pieces"


def _delay_frame(fate: Fate, fault: Fault, random: Random) -> str:
    seconds = random.uniform(fault.shortest, fault.longest)
    fate.seconds += seconds
    fate.in_order = fate.in_order and fault.kind is FaultKind.DELAY
    return f"{exact_duration(seconds)} later"


def _drop_frame(fate: Fate, _: Fault, __: Random) -> str:
    fate.lines.clear()
    return "dropped"


def _duplicate_frame(fate: Fate, _: Fault, __: Random) -> str:
    fate.lines.append(fate.lines[0])
    return "twice"


def _reorder_frame(fate: Fate, _: Fault, __: Random) -> str:
    fate.swapped = True
    return "after the frame behind it"


def _insert_garbage(fate: Fate, _: Fault, random: Random) -> str:
    fate.lines.append(random.choice(GARBAGE))
    return "a line of garbage follows"


def _truncate_frame(fate: Fate, _: Fault, random: Random) -> str:
    line = fate.lines[0]
    if len(line) < 2:
        return ""
    length = random.randrange(1, len(line))
    fate.lines[0], fate.cuts = line[:length], tuple(cut for cut in fate.cuts if cut < length)
    return f"cut off after {length:,} of {len(line):,} bytes"


def _kill_agent(fate: Fate, _: Fault, __: Random) -> str:
    fate.kill = True
    return "the agent is killed"


def _stall_side(fate: Fate, fault: Fault, random: Random) -> str:
    fate.stall = random.uniform(fault.shortest, fault.longest)
    return f"nothing more is read for {exact_duration(fate.stall)}"


def _change_id(fate: Fate, _: Fault, random: Random) -> str:
    message = jsonrpc.parse(fate.lines[0])
    if not isinstance(message, Response | Failure):
        return ""
    wrong = _unused_id(message.id, random)
    fate.lines[0], fate.cuts = jsonrpc.encode(message._replace(id=wrong)), ()
    return f"with the id {wrong!r} in place of {message.id!r}"


def _unused_id(id: Id, random: Random) -> Id:
    """Return an unused id of the same type."""
    stray = random.randrange(10**8, 10**9)
    return f"{id}-{stray}" if isinstance(id, str) else stray


_APPLY: dict[FaultKind, Callable[[Fate, Fault, Random], str]] = {
    FaultKind.FRAGMENT: _fragment_frame,
    FaultKind.DELAY: _delay_frame,
    FaultKind.DROP: _drop_frame,
    FaultKind.DUPLICATE: _duplicate_frame,
    FaultKind.REORDER: _reorder_frame,
    FaultKind.GARBAGE: _insert_garbage,
    FaultKind.TRUNCATE: _truncate_frame,
    FaultKind.KILL: _kill_agent,
    FaultKind.STALL: _stall_side,
    FaultKind.LATE: _delay_frame,
    FaultKind.WRONG_ID: _change_id,
}
