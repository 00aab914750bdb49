"""Statistics of one or many recordings: durations and counts. They can be merged."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

COUNTERS = (
    "sums",
    "agents",
    "messages",
    "failed",
    "outcomes",
    "findings",
    "models",
    "subagent_tokens",
)
DURATIONS = ("answers", "spans", "tools", "quota", "subagents")
FIRST_CHUNK, RATE, WAITED = "first chunk", "chunks a second", "waited for an answer"
OTHERS = "other names"
HEADS = ("p50", "p95", "p99", "max")
SHARES = (0.5, 0.95, 0.99, 1.0)
"""The percentiles that are shown, in the order of `HEADS`."""


@dataclass(slots=True)
class Numbers:
    """Statistics of one or many recordings.

    `sums` are plain totals. `answers` are durations of responses by `METHOD (by WHOM)`, `spans`
    those of the spans named above, `tools` those of tool calls by name. `findings` are counted by
    severity, rule, and the agent with its version. `models` are the tokens that each model used.
    `quota` is how much of a plan's limit was used up by the end of each turn, in percent, by limit.
    `subagents` are durations of the work of subagents by name, `subagent_tokens` the tokens that
    each reported.
    """

    sums: Counter[str] = field(default_factory=Counter)
    agents: Counter[str] = field(default_factory=Counter)
    messages: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    subagent_tokens: Counter[str] = field(default_factory=Counter)
    answers: dict[str, list[float]] = field(default_factory=dict)
    spans: dict[str, list[float]] = field(default_factory=dict)
    tools: dict[str, list[float]] = field(default_factory=dict)
    quota: dict[str, list[float]] = field(default_factory=dict)
    subagents: dict[str, list[float]] = field(default_factory=dict)

    def merge(self, other: "Numbers") -> None:
        """Add other statistics."""
        for name in COUNTERS:
            getattr(self, name).update(getattr(other, name))
        for name in DURATIONS:
            mine = getattr(self, name)
            for key, values in getattr(other, name).items():
                mine.setdefault(key, []).extend(values)

    def bound(self, most: int, longest: int = 200) -> None:
        """Keep the `most` frequent names of each kind, each cut to `longest`, as agents choose
        them.

        The others are merged.
        """
        for name in COUNTERS[1:]:
            counted = getattr(self, name)
            names = _most_frequent(counted, most, longest)
            bounded: Counter[str] = Counter()
            for key, count in counted.items():
                bounded[names.get(key, OTHERS)] += count
            setattr(self, name, bounded)
        for name in DURATIONS:
            values = getattr(self, name)
            names = _most_frequent({key: len(one) for key, one in values.items()}, most, longest)
            durations: dict[str, list[float]] = {}
            for key, one in values.items():
                durations.setdefault(names.get(key, OTHERS), []).extend(one)
            setattr(self, name, durations)

    @property
    def tokens(self) -> dict[str, int]:
        """The tokens used, by kind."""
        ending = "Tokens"
        kinds = {name: count for name, count in self.sums.items() if name.endswith(ending)}
        return {name.removesuffix(ending): count for name, count in kinds.items() if count}

    def tool(self, name: str) -> str:
        """Format a tool's name with its number of failures."""
        failed = self.failed[name]
        return f"{name} ({failed:,} failed)" if failed else name


def _most_frequent(counts: Mapping[str, int], most: int, longest: int) -> dict[str, str]:
    """Return the most frequent names, each with its shortened form."""
    names = sorted(counts, key=lambda one: (one == OTHERS, -counts[one], one))
    return {one: one if len(one) <= longest else f"{one[:longest]}…" for one in names[:most]}


class NumbersProgress(NamedTuple):
    """The progress of reading many recordings: `done` of `total`, and `parts` of the statistics so
    far, by start time.
    """

    done: int
    total: int
    agents: list[str]
    parts: list[tuple[float, Numbers]]
