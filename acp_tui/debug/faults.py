"""Faults on purpose: a plan of what goes wrong with which frame.

The same frames of a direction meet the same faults with the same seed, whatever comes between them
from the other side.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from acp_tui.debug.fault_specs import Fault, FaultKind
from acp_tui.debug.filters.predicates import compile_filter
from acp_tui.debug.rows import LogRow
from acp_tui.formatting import exact_duration
from acp_tui.protocol import jsonrpc
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.jsonrpc import Failure, Id, Response

GARBAGE = (
    b"acp-tui --fault garbage: this is no JSON",
    b'{"acp-tui --fault garbage": "no end',
    b"acp-tui --fault garbage: no UTF-8 either \xff\xfe\x00",
    b"[]",
)
MOST_PIECES = 8
_EARLY = 3
"""A turn's end is hit within so many frames of the agent's."""


class Injection(NamedTuple):
    """A fault that was done to a frame, as it was asked for, and in words what was done."""

    fault: str
    kind: FaultKind
    words: str


@dataclass(slots=True)
class Fate:
    """The fate of a frame: these `lines` are passed on, `seconds` later.

    What is behind it waits, too, if it is kept `in_order`; else it is passed on meanwhile, or, if
    the frame is `swapped`, exactly the next one. `cuts` are where the first line is taken apart.
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
    """Decides frame by frame. Faults can be switched off and on; the others don't change by that."""

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
        """The faults that are on and have hit nothing."""
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
        """Return what becomes of the next frame; None if nothing is done to it.

        A line can't be taken apart where nothing is left `in_pieces` on its way.
        """
        fate = Fate([raw])
        for one in self._planned.values():
            if not in_pieces and one.fault.kind is FaultKind.FRAGMENT:
                continue
            if fate.lines and one.hits(row, in_turn=in_turn) and one.on:
                one.do(fate, row)
        return fate if fate.injections else None


class _Planned:
    """One fault, with a source of chance for each direction."""

    def __init__(self, fault: Fault, seed: int) -> None:
        self.fault = fault
        self.on = True
        self.has_hit = False
        self._passes = compile_filter(fault.filter)
        self._random = {
            side: Random(f"{seed} {side} {fault.text}")  # noqa: S311 - it is to come out the same
            for side in Direction
        }
        self._seen = dict.fromkeys(Direction, 0)
        self._number = fault.number
        if fault.share is None and fault.number is None:
            self._number = self._random[Direction.IN].randint(1, _EARLY)

    def hits(self, row: LogRow, *, in_turn: bool) -> bool:
        """Return whether the fault applies to the next frame."""
        fault, side = self.fault, Direction(row.direction)
        if fault.direction not in (None, side) or not _CONCERNS[fault.kind](row, in_turn):
            return False
        if not self._passes(row):
            return False
        self._seen[side] += 1
        if self._number is not None:
            return self._seen[side] == self._number
        assert fault.share is not None
        return self._random[side].random() < fault.share

    def do(self, fate: Fate, row: LogRow) -> None:
        """Do it to the frame."""
        words = _DO[self.fault.kind](fate, self.fault, self._random[Direction(row.direction)])
        if words:
            self.has_hit = True
            fate.injections.append(Injection(self.fault.text, self.fault.kind, words))


def _any(_row: LogRow, _in_turn: bool) -> bool:
    return True


def _answers(row: LogRow, _in_turn: bool) -> bool:
    return row.is_answer


def _in_turns(row: LogRow, in_turn: bool) -> bool:
    return in_turn and row.direction == Direction.IN


_CONCERNS: dict[FaultKind, Callable[[LogRow, bool], bool]] = {
    **dict.fromkeys(FaultKind, _any),
    FaultKind.LATE: _answers,
    FaultKind.WRONG_ID: _answers,
    FaultKind.KILL: _in_turns,
}


def _fragment(fate: Fate, _: Fault, random: Random) -> str:
    line = fate.lines[0]
    if len(line) < 2:
        return ""
    places = range(1, len(line))
    count = min(len(places), random.randint(1, MOST_PIECES - 1))
    fate.cuts = tuple(sorted(random.sample(places, count)))
    return f"in {count + 1} pieces"


def _wait(fate: Fate, fault: Fault, random: Random) -> str:
    seconds = random.uniform(fault.shortest, fault.longest)
    fate.seconds += seconds
    fate.in_order = fate.in_order and fault.kind is FaultKind.DELAY
    return f"{exact_duration(seconds)} later"


def _drop(fate: Fate, _: Fault, __: Random) -> str:
    fate.lines.clear()
    return "dropped"


def _duplicate(fate: Fate, _: Fault, __: Random) -> str:
    fate.lines.append(fate.lines[0])
    return "twice"


def _reorder(fate: Fate, _: Fault, __: Random) -> str:
    fate.swapped = True
    return "after the frame behind it"


def _garbage(fate: Fate, _: Fault, random: Random) -> str:
    fate.lines.append(random.choice(GARBAGE))
    return "a line of garbage follows"


def _truncate(fate: Fate, _: Fault, random: Random) -> str:
    line = fate.lines[0]
    if len(line) < 2:
        return ""
    kept = random.randrange(1, len(line))
    fate.lines[0], fate.cuts = line[:kept], tuple(cut for cut in fate.cuts if cut < kept)
    return f"cut off after {kept:,} of {len(line):,} bytes"


def _kill(fate: Fate, _: Fault, __: Random) -> str:
    fate.kill = True
    return "the agent is killed"


def _stall(fate: Fate, fault: Fault, random: Random) -> str:
    fate.stall = random.uniform(fault.shortest, fault.longest)
    return f"nothing more is read for {exact_duration(fate.stall)}"


def _wrong_id(fate: Fate, _: Fault, random: Random) -> str:
    message = jsonrpc.parse(fate.lines[0])
    if not isinstance(message, Response | Failure):
        return ""
    wrong = _other(message.id, random)
    fate.lines[0], fate.cuts = jsonrpc.encode(message._replace(id=wrong)), ()
    return f"with the id {wrong!r} in place of {message.id!r}"


def _other(id: Id, random: Random) -> Id:
    """An id of the same type that nobody uses."""
    stray = random.randrange(10**8, 10**9)
    return f"{id}-{stray}" if isinstance(id, str) else stray


_DO: dict[FaultKind, Callable[[Fate, Fault, Random], str]] = {
    FaultKind.FRAGMENT: _fragment,
    FaultKind.DELAY: _wait,
    FaultKind.DROP: _drop,
    FaultKind.DUPLICATE: _duplicate,
    FaultKind.REORDER: _reorder,
    FaultKind.GARBAGE: _garbage,
    FaultKind.TRUNCATE: _truncate,
    FaultKind.KILL: _kill,
    FaultKind.STALL: _stall,
    FaultKind.LATE: _wait,
    FaultKind.WRONG_ID: _wrong_id,
}
