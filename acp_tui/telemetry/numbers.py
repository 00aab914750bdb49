"""Reads the numbers of a recording."""

from acp_tui.extensions import extensions
from acp_tui.telemetry.activity import Activity, Kind
from acp_tui.telemetry.runs import Run
from acp_tui.wire.log import Log
from acp_tui.wire.numbers import Histogram, turn_numbers
from acp_tui.wire.recorded_numbers import FIRST_CHUNK, RATE, WAITED, Numbers

_TOKENS = ("inputTokens", "outputTokens", "totalTokens", "cachedReadTokens", "thoughtTokens")
_MOST = 300
"""Names of one kind that are kept of a recording: of tools, of methods."""
_UNNAMED = "an agent without a name"


def numbers(run: Run) -> Numbers:
    """Read a recording."""
    log = Log(run.opened.records, extensions.linter())
    log.catch_up()
    log.finish()
    found = Numbers()
    for one in run.activities():
        _activity(found, one)
    program = run.command.partition(" ")[0].rpartition("/")[2]
    agent = " ".join(run.agent.values()) or program or _UNNAMED
    found.agents[agent] += 1
    found.sums["recordings"] = 1
    found.sums["seconds"] = round(run.end - run.start)
    for finding in log.findings:
        found.findings[f"{finding.severity} {finding.rule.id} {agent}"] += 1
    _traffic(found, log)
    _times(found, log)
    if run.end == run.start:  # the log of a program that writes no times
        found.answers, found.spans, found.tools = {}, {}, {}
    found.bound(_MOST)
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
