"""Findings and statistics as text, JSON and JUnit."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from acp_tui.debug.table import fit
from acp_tui.protocol.findings import Finding, Rule, Severity
from acp_tui.text import clean_line
from acp_tui.wire.columns import amount, duration
from acp_tui.wire.excerpts import excerpt
from acp_tui.wire.lint.linter import RULES
from acp_tui.wire.log import Log
from acp_tui.wire.rows import Row

_SHOWN = 5
_NO_XML = re.compile("[\ufffe\uffff]")


def findings_text(log: Log, findings: Sequence[Finding]) -> Iterator[str]:
    """Findings by rule, the worst first, each rule with its sentence and the first places."""
    for rule, group in _by_rule(findings):
        times = f" x{len(group)}" if len(group) > 1 else ""
        yield f"{rule.severity.upper()} {rule.id}{times}"
        yield f"    {rule.basis}"
        for finding in group[:_SHOWN]:
            yield f"    {_place(log[finding.index])} {_told(finding)}"
        if len(group) > _SHOWN:
            yield f"    and {len(group) - _SHOWN} more: --filter finding:{rule.id}"
        yield ""
    yield _summary(findings)


def findings_json(log: Log, findings: Sequence[Finding]) -> Iterator[str]:
    """One finding a line."""
    for finding in findings:
        row = log[finding.index]
        body = {
            "severity": finding.severity.value,
            "rule": finding.rule.id,
            "message": finding.message,
            "where": finding.where,
            "frame": row.number or None,
            "time": round(row.time, 6),
            "direction": row.direction or "local",
            "method": row.method,
            "sentence": finding.rule.sentence,
            "guess": finding.rule.guess,
        }
        yield json.dumps(body)


def junit(log: Log, findings: Sequence[Finding]) -> str:
    """A JUnit report: one test case a rule; errors are failures, all else is its output."""
    by_rule = dict(_by_rule(findings))
    failed = sum(rule.severity is Severity.ERROR for rule in by_rule)
    cases = "".join(_case(log, rule, by_rule.get(rule, [])) for rule in RULES)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<testsuite name="acp-tui log" tests="{len(RULES)}" failures="{failed}">\n'
        f"{cases}</testsuite>\n"
    )


def _case(log: Log, rule: Rule, findings: list[Finding]) -> str:
    head = f'  <testcase classname="acp.{rule.severity}" name={quoteattr(rule.id)}'
    if not findings:
        return f"{head}/>\n"
    lines = [f"{_place(log[one.index])} {_told(one)}" for one in findings]
    told = escape(_NO_XML.sub("", "\n".join([rule.basis, *lines])))
    if rule.severity is Severity.ERROR:
        message = quoteattr(_NO_XML.sub("", _told(findings[0])))
        return f"{head}>\n    <failure message={message}>{told}</failure>\n  </testcase>\n"
    return f"{head}>\n    <system-out>{told}</system-out>\n  </testcase>\n"


def stats(log: Log) -> Iterator[str]:
    """How much went which way, how long answers took, and what has none."""
    rows = [log[index] for index in range(len(log))]
    for name, direction in (("to the agent", "out"), ("from the agent", "in")):
        of = [row for row in rows if row.direction == direction]
        yield f"{len(of):>8,} frames {name}, {amount(sum(row.size for row in of))} bytes"
    yield f"{sum(not row.direction for row in rows):>8,} local events"
    yield f"{(rows[-1].time if rows else 0):>8.1f} seconds"
    yield f"{log.unanswered:>8,} requests without an answer, {log.orphans:,} orphan answers"
    yield ""
    yield from _counts(rows)
    if latencies := log.latencies():
        yield f"{'answered':<34}{'count':>7}{'p50':>9}{'p95':>9}{'max':>9}"
        for one in latencies:
            spans = "".join(f"{duration(span):>9}" for span in (one.p50, one.p95, one.longest))
            by = "agent" if one.direction == "out" else "client"
            name = clean_line(f"{one.method} ({by})")
            yield f"{fit(name, 34)}{one.count:>7}{spans}"


def _counts(rows: Iterable[Row]) -> Iterator[str]:
    told = (row for row in rows if row.direction and not row.is_answer and not row.is_part)
    counts = Counter(row.kind or row.method for row in told)
    for name, count in counts.most_common():
        yield f"{count:>8,} {clean_line(name) or 'unreadable'}"
    yield ""


def _by_rule(findings: Sequence[Finding]) -> list[tuple[Rule, list[Finding]]]:
    worst = list(Severity)
    order = {rule.id: place for place, rule in enumerate(RULES)}

    def rank(finding: Finding) -> tuple[int, int]:
        return worst.index(finding.severity), order[finding.rule.id]

    return [
        (group[0].rule, group)
        for group in (list(one) for _, one in groupby(sorted(findings, key=rank), key=rank))
    ]


def _place(row: Row) -> str:
    if row.number:
        return f"#{row.number} {row.time:.3f}s"
    return f"{row.time:.3f}s {clean_line(excerpt(row.record))[:40]}"


def _told(finding: Finding) -> str:
    where = f"{finding.where}: " if finding.path else ""
    return clean_line(f"{where}{finding.message}")


def _summary(findings: Sequence[Finding]) -> str:
    counts = Counter(finding.severity for finding in findings)
    names = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    told = (f"{counts[one]} {name}{'' if counts[one] == 1 else 's'}" for one, name in names.items())
    return ", ".join(told)
