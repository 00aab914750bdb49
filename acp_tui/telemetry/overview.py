"""The numbers of many recordings, part by part in the order of time, and those of some agents alone."""

from collections import Counter
from itertools import pairwise

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.telemetry.number_cache import Told
from acp_tui.wire.recorded_numbers import Numbers

_MOST = 100
"""Names of one kind that a part has: more than these nobody looks through."""


class Part(NamedTuple):
    """Recordings that were written one after another: when the first of them was, and their numbers."""

    written: float
    numbers: Numbers


class Overview:
    """Takes recordings one by one, and adds up those that are asked for."""

    def __init__(self) -> None:
        self._told: list[Told] = []
        self._is_sorted = True

    def add(self, one: Told) -> None:
        """Take the numbers of a recording."""
        self._told.append(one)
        self._is_sorted = False

    @property
    def agents(self) -> list[str]:
        """The agents with their versions, the one with the most recordings first."""
        found: Counter[str] = Counter()
        for one in self._told:
            found.update(one.numbers.agents)
        return [name for name, _ in found.most_common()]

    def parts(self, agent: str, since: float, most: int) -> list[Part]:
        """Add up the recordings of agents with `agent` in their names that were written `since`, in at most
        so many parts with as many recordings each.
        """
        if not self._is_sorted:
            self._told.sort(key=lambda one: one.written)
            self._is_sorted = True
        wanted = agent.casefold()
        chosen = [
            one
            for one in self._told
            if one.written >= since
            and any(wanted in name.casefold() for name in one.numbers.agents)
        ]
        count = min(most, len(chosen))
        bounds = [len(chosen) * at // count for at in range(count + 1)] if count else []
        return [_part(chosen[start:end]) for start, end in pairwise(bounds)]


def _part(told: list[Told]) -> Part:
    found = Numbers()
    for one in told:
        found.merge(one.numbers)
    found.bound(_MOST)
    return Part(told[0].written, found)
