"""The numbers of recordings: what took how long, and how often it came. Those of two can be added."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from acp_tui.extensions import extensions
from acp_tui.telemetry.activity import Activity, Kind
from acp_tui.telemetry.runs import Run
from acp_tui.wire.log import Log
from acp_tui.wire.numbers import Histogram, turn_numbers

_TOKENS = ("inputTokens", "outputTokens", "totalTokens", "cachedReadTokens", "thoughtTokens")
_COUNTERS = ("sums", "agents", "messages", "failed", "outcomes", "findings")
FIRST_CHUNK, RATE, WAITED = "first chunk", "chunks a second", "waited for an answer"


@dataclass(slots=True)
class Numbers:
    """Of one recording, or of many.

    `sums` has what is only added up. `spans` has durations: those of answers by `METHOD (by WHOM)`, and
    the named ones above; `tools` those of tool calls by their names. `findings` are counted by severity,
    rule, and the agent with its version.
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
        for name in _COUNTERS:
            getattr(self, name).update(getattr(other, name))
        for mine, theirs in self._pairs(other):
            for key, values in theirs.items():
                mine.setdefault(key, Histogram()).merge(values)

    def _pairs(self, other: "Numbers") -> list[tuple[dict[str, Histogram], dict[str, Histogram]]]:
        return [
            (self.answers, other.answers),
            (self.spans, other.spans),
            (self.tools, other.tools),
        ]

    def plain(self) -> dict[str, Any]:
        """Return them as JSON has them."""
        histograms = {"answers": self.answers, "spans": self.spans, "tools": self.tools}
        return {
            **{name: dict(getattr(self, name)) for name in _COUNTERS},
            **{
                name: {key: [*values.buckets.items()] for key, values in one.items()}
                for name, one in histograms.items()
            },
        }


def read_numbers(plain: dict[str, Any]) -> Numbers:
    """Read what `plain` wrote. Raises KeyError, TypeError or ValueError for anything else."""
    found = Numbers()
    for name in _COUNTERS:
        setattr(found, name, Counter(plain[name]))
    for name in ("answers", "spans", "tools"):
        histograms = {key: Histogram(map(tuple, pairs)) for key, pairs in plain[name].items()}
        setattr(found, name, histograms)
    return found


def numbers(run: Run) -> Numbers:
    """Read a recording."""
    log = Log(run.opened.records, extensions.linter())
    log.catch_up()
    log.finish()
    found = Numbers()
    for one in run.activities():
        _activity(found, one)
    agent = " ".join(run.agent.values()) or run.command.partition(" ")[0].rpartition("/")[2]
    found.agents[agent] += 1
    found.sums["recordings"] = 1
    found.sums["seconds"] = round(run.end - run.start)
    for finding in log.findings:
        found.findings[f"{finding.severity} {finding.rule.id} {agent}"] += 1
    _traffic(found, log)
    _times(found, log)
    if run.end == run.start:  # the log of a program that writes no times
        found.answers, found.spans, found.tools = {}, {}, {}
    return found


def _traffic(found: Numbers, log: Log) -> None:
    found.sums["unanswered"], found.sums["orphans"] = log.unanswered, log.orphans
    for (kind, method, direction), count in log.counts.items():
        if direction:
            found.messages[kind or method or "unreadable"] += count
    for index in range(len(log)):
        if way := log[index].direction:
            found.sums[f"frames {way}"] += 1
            found.sums[f"bytes {way}"] += log.size(index, index)


def _times(found: Numbers, log: Log) -> None:
    for (method, direction), values in log.durations.items():
        name = f"{method} ({'agent' if direction == 'out' else 'client'})"
        for value in values:
            _add(found.answers, name, value)
    for turn in turn_numbers(log):
        if turn.first_chunk is not None:
            _add(found.spans, FIRST_CHUNK, turn.first_chunk)
        if turn.rate is not None:
            _add(found.spans, RATE, turn.rate)


def _activity(found: Numbers, one: Activity) -> None:
    if one.kind is Kind.TURN:
        found.sums["turns"] += 1
        found.sums.update({name: one.facts[name] for name in _TOKENS if name in one.facts})
    elif one.kind is Kind.TOOL_CALL:
        _add(found.tools, one.name, one.seconds)
        found.failed[one.name] += one.error is not None
    elif one.kind is Kind.PERMISSION:
        found.outcomes[one.facts.get("outcome") or "no answer"] += 1
        if "rule" not in one.facts:
            _add(found.spans, WAITED, one.seconds)


def _add(histograms: dict[str, Histogram], name: str, value: float) -> None:
    histograms.setdefault(name, Histogram()).add(value)
