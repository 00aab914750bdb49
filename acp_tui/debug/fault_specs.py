"""Faults as a person writes them: `drop=10%:method:session/update`, `out:delay=50ms-2s`."""

import re
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum

from acp_tui.debug.filters.language import FilterError, parse
from acp_tui.errors import AcpTuiError
from acp_tui.protocol.frames import Direction


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


MEANINGS = {
    FaultKind.FRAGMENT: "a line arrives in several pieces, cut anywhere",
    FaultKind.DELAY: "a frame, and all behind it, arrives later (200ms)",
    FaultKind.DROP: "a frame is lost",
    FaultKind.DUPLICATE: "a frame arrives twice",
    FaultKind.REORDER: "a frame arrives after the one behind it",
    FaultKind.GARBAGE: "a line that is not JSON follows a frame",
    FaultKind.TRUNCATE: "a line is cut off",
    FaultKind.KILL: "the agent is killed while a turn runs",
    FaultKind.STALL: "nothing more is read for a while (5s)",
    FaultKind.LATE: "an answer arrives late, and all else before it (5s)",
    FaultKind.WRONG_ID: "an answer has an id that nobody waits for",
}
SECONDS = {FaultKind.DELAY: 0.2, FaultKind.STALL: 5.0, FaultKind.LATE: 5.0}
"""The kinds that take a time, and how long it is if none is given."""
SHARE = 0.1
"""The share of all frames that a fault hits if it names neither a filter nor a share."""
LONGEST_DELAY = 3600.0
_ALWAYS = (FaultKind.FRAGMENT, FaultKind.DELAY)
"""The kinds that hit every frame if they name neither."""
_ONCE = (FaultKind.KILL, FaultKind.STALL)
_SPEC = re.compile(r"(?:(in|out):)?([a-z-]+)(?:=([^:]*))?(?::(.*))?", re.DOTALL)
_TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m)")
_UNITS = {"ms": 1e-3, "s": 1.0, "m": 60.0}
_SHARE = re.compile(r"(\d+(?:\.\d+)?)%")
_NUMBER = re.compile(r"#(\d{1,9})")


class FaultError(AcpTuiError):
    """A fault can't be parsed; the message says why, and what would be valid."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault as it was asked for in `text`. It hits a `share` of the frames that its filter
    passes, or only the one of this `number`; with neither, the plan chooses one.
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
    """Read `[in:|out:]NAME[=VALUE,...][:FILTER]`. Raises FaultError."""
    text = text.strip()
    found = _SPEC.fullmatch(text)
    if found is None:
        raise FaultError(
            f"{text!r} is not a fault: write [in:|out:]NAME[=VALUE][:FILTER], as drop=10%"
        )
    side, name, values, condition = found.groups()
    kind = _kind(name)
    condition = (condition or "").strip()
    _check(text, condition)
    seconds, share, number = None, None, None
    for value in map(str.strip, [] if values is None else values.split(",")):
        if timed := _seconds(kind, value):
            seconds = timed
        elif found := _SHARE.fullmatch(value):
            share = float(found[1]) / 100
        elif found := _NUMBER.fullmatch(value):
            number = int(found[1])
        else:
            raise FaultError(f"{text!r}: {kind} has no value {value!r}; {_wanted(kind)}")
    if share is not None and not 0 < share <= 1:
        raise FaultError(f"{text!r}: a share is more than 0% and at most 100%")
    if number == 0:
        raise FaultError(f"{text!r}: the first frame is #1")
    if share is None and number is None:
        share, number = _how_often(kind, condition)
    shortest, longest = seconds or (SECONDS.get(kind, 0.0),) * 2
    direction = Direction(side) if side else Direction.OUT if kind is FaultKind.STALL else None
    return Fault(text, kind, direction, condition, shortest, longest, share, number)


def _kind(name: str) -> FaultKind:
    try:
        return FaultKind(name)
    except ValueError:
        near = get_close_matches(name, [*FaultKind], 1, 0.6)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(FaultKind)}"
        raise FaultError(f"there is no fault {name!r}; {hint}") from None


def _check(text: str, condition: str) -> None:
    try:
        if condition:
            parse(condition)
    except FilterError as error:
        where = text.rindex(condition)
        moved = FilterError(error.message, error.start + where, error.end + where)
        raise FaultError(f"\n{moved.pointed(text)}") from None


def _seconds(kind: FaultKind, value: str) -> tuple[float, float] | None:
    """A time, or a range of times; None if it is none, or the kind takes none."""
    ends = [_TIME.fullmatch(end) for end in value.split("-")]
    if kind not in SECONDS or len(ends) > 2 or None in ends:
        return None
    times = [float(end[1]) * _UNITS[end[2]] for end in ends if end is not None]
    if times[0] > times[-1] or times[-1] > LONGEST_DELAY:
        raise FaultError(f"{value!r}: the shorter time comes first, and an hour is the most")
    return times[0], times[-1]


def _wanted(kind: FaultKind) -> str:
    often = "how many are hit (10%), or which one (#3)"
    if kind in SECONDS:
        return f"it takes a time (200ms, 2s, 1s-3s), and {often}"
    return f"it takes {often}"


def _how_often(kind: FaultKind, condition: str) -> tuple[float | None, int | None]:
    """The share and the number of a fault that says neither."""
    if kind is FaultKind.KILL and not condition:
        return None, None
    if kind in _ONCE:
        return None, 1
    return (1.0 if condition or kind in _ALWAYS else SHARE), None
