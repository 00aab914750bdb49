"""Statistics of recordings: computed from a recording, stored in the index, and queried."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from sqlite3 import Connection

from acp_tui.debug.log import Log
from acp_tui.debug.numbers import turn_numbers
from acp_tui.recordings.recorded_numbers import (
    COUNTERS,
    DURATIONS,
    FIRST_CHUNK,
    RATE,
    WAITED,
    Numbers,
)
from acp_tui.telemetry.activities import RecordedRun
from acp_tui.telemetry.session_activities import TURN_TOKENS, Activity, ActivityKind

_MOST_NAMES = 300
"""Most names of one kind that are stored for a recording: of tools, of methods."""
_UNNAMED = "an agent without a name"
_LARGEST_COUNT = 10**18
"""The largest count stored: SQLite can't hold more, and an agent may report any number of tokens."""


def read_numbers(run: RecordedRun, log: Log) -> Numbers:
    """Compute the statistics of a recording; `log` has its records and its findings."""
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
    if run.end == run.start:  # a log without times
        found.answers, found.spans, found.tools, found.subagents = {}, {}, {}, {}
    found.bound(_MOST_NAMES)
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
            _add_value(found.answers, name, value)
    for turn in turn_numbers(log):
        if turn.first_chunk is not None:
            _add_value(found.spans, FIRST_CHUNK, turn.first_chunk)
        if turn.rate is not None:
            _add_value(found.spans, RATE, turn.rate)


def _activity(found: Numbers, one: Activity) -> None:
    if one.kind is ActivityKind.TURN:
        found.sums["turns"] += 1
        found.sums.update({name: one.facts[name] for name in TURN_TOKENS if name in one.facts})
        found.models.update(one.facts.get("model_tokens", {}))
        if "quota_used" in one.facts:
            _add_value(found.quota, one.facts["quota_window"], one.facts["quota_used"])
    elif one.kind is ActivityKind.SUBAGENT:
        _add_value(found.subagents, one.name, one.seconds)
        tokens = one.facts.get("totalTokens", one.facts.get("context_used"))
        if tokens is not None:
            found.subagent_tokens[one.name] += tokens
    elif one.kind is ActivityKind.TOOL_CALL:
        _add_value(found.tools, one.name, one.seconds)
        found.failed[one.name] += one.error is not None
    elif one.kind is ActivityKind.PERMISSION:
        found.outcomes[one.facts.get("outcome") or "no answer"] += 1
        if "rule" not in one.facts:
            _add_value(found.spans, WAITED, one.seconds)


def _add_value(values: dict[str, list[float]], name: str, value: float) -> None:
    values.setdefault(name, []).append(value)


# In the index


def number_rows(found: Numbers) -> Iterator[tuple[str, str, float]]:
    """Yield the rows of the index for the statistics of a recording: kind, name, and value."""
    for kind in COUNTERS:
        for name, count in getattr(found, kind).items():
            yield kind, name, max(-_LARGEST_COUNT, min(_LARGEST_COUNT, count))
    for kind in DURATIONS:
        for name, values in getattr(found, kind).items():
            for value in values:
                yield kind, name, value


def agents_by_recordings(database: Connection) -> list[str]:
    """List the agents with their versions, the one with the most recordings first."""
    rows = database.execute(
        "select name from numbers where kind = 'agents' group by name order by sum(value) desc, name"
    )
    return [name for (name,) in rows]


def number_parts(
    database: Connection, agent: str = "", since: float = 0.0, most: int = 1
) -> list[tuple[float, Numbers]]:
    """Add up the statistics of recordings in at most `most` parts of equal size, oldest first.

    These are the recordings written `since`, of agents with `agent` in their names. Each part comes
    with the time at which its first recording was written.
    """
    chosen = database.execute(
        "select id, written / 1e9 from recordings where written >= ? and exists (select 1 from numbers"
        " where recording = id and kind = 'agents' and instr(lower(name), lower(?)) > 0)"
        " order by written, id",
        (int(since * 1e9), agent),
    ).fetchall()
    count = min(most, len(chosen))
    bounds = [len(chosen) * at // count for at in range(count + 1)] if count else []
    return [
        (chosen[start][1], _sum(database, [row for row, _ in chosen[start:end]]))
        for start, end in pairwise(bounds)
    ]


def _sum(database: Connection, rows: Sequence[int]) -> Numbers:
    """Add up the statistics of these recordings."""
    found = Numbers()
    for row in rows:
        for kind, name, value in database.execute(
            "select kind, name, value from numbers where recording = ?", (row,)
        ):
            if kind in COUNTERS:
                getattr(found, kind)[name] += int(value)
            else:
                getattr(found, kind).setdefault(name, []).append(value)
    return found
