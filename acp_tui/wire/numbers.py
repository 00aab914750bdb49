"""Many durations in little room, and what a log says about its turns."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import ceil, exp, floor, log

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.wire.log import Log

_STEP = log(1.02)
"""Values that differ by 2 % share a bucket: a percentile is off by 1 % at most."""
_LEAST = 1e-6
_CHUNKS = ("agent_message_chunk", "agent_thought_chunk")
_BARS = "▁▂▃▄▅▆▇█"


class Histogram:
    """How often which values came; two of them can be added."""

    def __init__(self, buckets: Iterable[tuple[int, int]] = ()) -> None:
        self.buckets: Counter[int] = Counter(dict(buckets))

    @property
    def count(self) -> int:
        """How many values there are."""
        return self.buckets.total()

    def add(self, value: float) -> None:
        """Add a value."""
        self.buckets[floor(log(max(value, _LEAST)) / _STEP)] += 1

    def merge(self, other: "Histogram") -> None:
        """Add the values of another one."""
        self.buckets.update(other.buckets)

    def percentile(self, share: float) -> float:
        """The value below which `share` of all values lie, by nearest rank; there must be one."""
        buckets = sorted(self.buckets)
        ranks = [*accumulate(self.buckets[one] for one in buckets)]
        bucket = buckets[bisect_left(ranks, ceil(share * ranks[-1]))]
        return exp((bucket + 0.5) * _STEP)


class TurnNumbers(NamedTuple):
    """One turn: seconds to its first chunk and its answer, and chunks a second; None if unknown."""

    first_chunk: float | None
    seconds: float | None
    rate: float | None


def turn_numbers(records: Log) -> Iterator[TurnNumbers]:
    """Measure all turns, by what the columns of a log say."""
    codes = {code for code, name in enumerate(records.names) if name in _CHUNKS}
    chunks: dict[int, list[int]] = {}
    for index, kind in enumerate(records.kinds):
        if kind in codes:
            chunks.setdefault(records.sessions[index], []).append(index)
    for prompt, later in _with_next(records):
        answer = records.partners[prompt]
        said = chunks.get(records.sessions[prompt], [])
        first = bisect_right(said, prompt)
        count = bisect_left(said, answer if answer > prompt else later) - first
        start = records.times[prompt]
        seconds = records.times[answer] - start if answer > prompt else None
        if count <= 0:
            yield TurnNumbers(None, seconds, None)
            continue
        begun, ended = (records.times[said[at]] for at in (first, first + count - 1))
        rate = (count - 1) / (ended - begun) if ended - begun else None
        yield TurnNumbers(begun - start, seconds, rate)


def _with_next(records: Log) -> list[tuple[int, int]]:
    """Return where prompts are, each with the next one of its session, or the end."""
    found: list[tuple[int, int]] = []
    following: dict[int, int] = {}
    for prompt in reversed([*records.prompts]):
        session = records.sessions[prompt]
        found.append((prompt, following.get(session, len(records))))
        following[session] = prompt
    return found[::-1]


def sparkline(values: Iterable[float | None], width: int) -> str:
    """Draw values as a row of bars, the last ones if there are more than fit; a blank where one is None."""
    shown = [*values][-width:]
    most = max((one for one in shown if one is not None), default=0.0)
    return "".join(" " if one is None else _bar(one, most) for one in shown)


def _bar(value: float, most: float) -> str:
    return _BARS[min(len(_BARS) - 1, int(value / most * len(_BARS)))] if most > 0 else _BARS[0]
