"""Many durations in little room, and what a log says about its turns."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import ceil, exp, floor, log
from typing import NamedTuple

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
    chunks = {code for code, name in enumerate(records.names) if name in _CHUNKS}
    prompts = [*records.prompts]
    for at, prompt in enumerate(prompts):
        session, answer = records.sessions[prompt], records.partners[prompt]
        later = (one for one in prompts[at + 1 :] if records.sessions[one] == session)
        end = answer if answer > prompt else next(later, len(records))
        times = [
            records.times[index]
            for index in range(prompt + 1, end)
            if records.kinds[index] in chunks and records.sessions[index] == session
        ]
        start = records.times[prompt]
        seconds = records.times[answer] - start if answer > prompt else None
        spent = times[-1] - times[0] if times else 0.0
        rate = (len(times) - 1) / spent if spent else None
        yield TurnNumbers(times[0] - start if times else None, seconds, rate)


def sparkline(values: Iterable[float | None], width: int) -> str:
    """Draw values as a row of bars, the last ones if there are more than fit; a blank where one is None."""
    shown = [*values][-width:]
    most = max((one for one in shown if one is not None), default=0.0)
    return "".join(" " if one is None else _bar(one, most) for one in shown)


def _bar(value: float, most: float) -> str:
    return _BARS[min(len(_BARS) - 1, int(value / most * len(_BARS)))] if most > 0 else _BARS[0]
