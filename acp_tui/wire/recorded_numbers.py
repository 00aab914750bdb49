"""The numbers of a recording, or of many: what took how long, and how often it came. Those of two can be
added.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from acp_tui.lazy_named_tuple import NamedTuple
from acp_tui.wire.numbers import Histogram

COUNTERS = ("sums", "agents", "messages", "failed", "outcomes", "findings")
HISTOGRAMS = ("answers", "spans", "tools")
FIRST_CHUNK, RATE, WAITED = "first chunk", "chunks a second", "waited for an answer"
OTHERS = "other names"
HEADS = ("p50", "p95", "p99", "max")
SHARES = (0.5, 0.95, 0.99, 1.0)
"""The percentiles that are shown, by their heads."""


@dataclass(slots=True)
class Numbers:
    """Of one recording, or of many.

    `sums` has what is only added up. `answers` has durations of answers by `METHOD (by WHOM)`, `spans` the
    named ones above, `tools` those of tool calls by their names. `findings` are counted by severity, rule,
    and the agent with its version.
    """

    sums: Counter[str] = field(default_factory=Counter)
    agents: Counter[str] = field(default_factory=Counter)
    messages: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    answers: dict[str, Histogram] = field(default_factory=dict)
    spans: dict[str, Histogram] = field(default_factory=dict)
    tools: dict[str, Histogram] = field(default_factory=dict)

    def merge(self, other: "Numbers") -> None:
        """Add those of another."""
        for name in COUNTERS:
            getattr(self, name).update(getattr(other, name))
        for name in HISTOGRAMS:
            mine = getattr(self, name)
            for key, values in getattr(other, name).items():
                mine.setdefault(key, Histogram()).merge(values)

    def plain(self) -> dict[str, Any]:
        """Return them as JSON has them."""
        return {
            **{name: dict(getattr(self, name)) for name in COUNTERS},
            **{
                name: {
                    key: [*values.buckets.items()] for key, values in getattr(self, name).items()
                }
                for name in HISTOGRAMS
            },
        }

    def bound(self, most: int, longest: int = 200) -> None:
        """Keep so many names of each kind, those that came most, and so many characters of each: agents choose
        them. The others are put together.
        """
        for name in COUNTERS[1:]:
            counted = getattr(self, name)
            kept = _kept(counted, most, longest)
            bounded: Counter[str] = Counter()
            for key, count in counted.items():
                bounded[kept.get(key, OTHERS)] += count
            setattr(self, name, bounded)
        for name in HISTOGRAMS:
            values = getattr(self, name)
            kept = _kept({key: one.count for key, one in values.items()}, most, longest)
            histograms: dict[str, Histogram] = {}
            for key, one in values.items():
                histograms.setdefault(kept.get(key, OTHERS), Histogram()).merge(one)
            setattr(self, name, histograms)

    @property
    def tokens(self) -> dict[str, int]:
        """The tokens that were used, by their kinds."""
        ending = "Tokens"
        kinds = {name: count for name, count in self.sums.items() if name.endswith(ending)}
        return {name.removesuffix(ending): count for name, count in kinds.items() if count}

    def tool(self, name: str) -> str:
        """Say how often a tool failed, after its name."""
        failed = self.failed[name]
        return f"{name} ({failed:,} failed)" if failed else name


def _kept(counts: Mapping[str, int], most: int, longest: int) -> dict[str, str]:
    """The names that are kept, and how they are called then."""
    names = sorted(counts, key=lambda one: (one == OTHERS, -counts[one], one))
    return {one: one if len(one) <= longest else f"{one[:longest]}…" for one in names[:most]}


def read_numbers(plain: dict[str, Any]) -> Numbers:
    """Read what `plain` wrote. Raises KeyError, TypeError or ValueError for anything else."""
    found = Numbers()
    for name in COUNTERS:
        setattr(found, name, Counter(plain[name]))
    for name in HISTOGRAMS:
        histograms = {key: Histogram(map(tuple, pairs)) for key, pairs in plain[name].items()}
        setattr(found, name, histograms)
    return found


class News(NamedTuple):
    """How far reading many recordings has come: so many are `done` of those that are `due`; and the numbers
    so far, `parts` in the order of time with when each begins. None where they are as before.
    """

    done: int
    due: int
    agents: list[str]
    parts: list[tuple[float, Numbers]] | None


def read_news(plain: dict[str, Any]) -> News:
    """Read news as JSON has them."""
    parts = plain["parts"]
    read = None if parts is None else [(at, read_numbers(one)) for at, one in parts]
    return News(plain["done"], plain["due"], plain["agents"] or [], read)
