"""Statistics of a log as text."""

from collections import Counter
from collections.abc import Iterable, Iterator

from acp_tui.cli.table import fit
from acp_tui.formatting import exact_duration, narrow_size
from acp_tui.text import clean_line
from acp_tui.wire.log import Log
from acp_tui.wire.rows import Row


def stats(log: Log) -> Iterator[str]:
    """Format counts, latencies, and what was never answered."""
    rows = [log[index] for index in range(len(log))]
    for name, direction in (("to the agent", "out"), ("from the agent", "in")):
        of = [row for row in rows if row.direction == direction]
        yield f"{len(of):>8,} frames {name}, {narrow_size(sum(row.size for row in of))} bytes"
    yield f"{sum(not row.direction for row in rows):>8,} local events"
    yield f"{(rows[-1].time if rows else 0):>8.1f} seconds"
    yield f"{log.unanswered:>8,} requests without an answer, {log.orphans:,} orphan answers"
    yield ""
    yield from _counts(rows)
    if latencies := log.latencies():
        yield f"{'answered':<34}{'count':>7}{'p50':>9}{'p95':>9}{'max':>9}"
        for one in latencies:
            spans = "".join(
                f"{exact_duration(span):>9}" for span in (one.p50, one.p95, one.longest)
            )
            by = "agent" if one.direction == "out" else "client"
            name = clean_line(f"{one.method} ({by})")
            yield f"{fit(name, 34)}{one.count:>7}{spans}"


def _counts(rows: Iterable[Row]) -> Iterator[str]:
    told = (row for row in rows if row.direction and not row.is_answer and not row.is_part)
    counts = Counter(row.kind or row.method for row in told)
    for name, count in counts.most_common():
        yield f"{count:>8,} {clean_line(name) or 'unreadable'}"
    yield ""
