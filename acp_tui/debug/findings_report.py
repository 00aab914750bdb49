"""Formats findings as text, JSON and JUnit, with secrets masked, as reports are shared."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from acp_tui.debug.columns import excerpt_record
from acp_tui.debug.lint.consent import FIRST
from acp_tui.debug.log import Log
from acp_tui.debug.rows import LogRow
from acp_tui.junit import JUnitCase, format_suite
from acp_tui.masking.redactor import Redactor
from acp_tui.masking.secrets import MASK, is_secret
from acp_tui.protocol import schema
from acp_tui.protocol.findings import Finding, ProtocolRule, Severity, protocol_rules
from acp_tui.text import clean_line

_SHOWN_FRAMES = 5
"""Most frames that are listed for a rule."""


def findings_text(log: Log, findings: Sequence[Finding]) -> Iterator[str]:
    """Format findings by rule, each with its sentence and first occurrences. Rules about consent
    come first, then the most severe.
    """
    for rule, group in _by_rule(findings):
        times = f" x{len(group)}" if len(group) > 1 else ""
        yield f"{rule.severity.upper()} {rule.id}{times}"
        yield f"    {rule.basis}"
        for finding in group[:_SHOWN_FRAMES]:
            yield f"    {_place_of_row(log[finding.index])} {_describe(finding)}"
        if len(group) > _SHOWN_FRAMES:
            yield f"    and {len(group) - _SHOWN_FRAMES} more: --filter finding:{rule.id}"
        yield ""
    spoken = log.spoken
    by = "" if spoken is None else f" by {spoken.words}"
    yield f"Checked by {schema.WORDS}."
    yield f"{_summary(findings)}{by}"


def findings_json(log: Log, findings: Sequence[Finding]) -> Iterator[str]:
    """Format findings as JSON, one per line."""
    for finding in findings:
        row = log[finding.index]
        body = {
            "severity": finding.severity.value,
            "rule": finding.rule.id,
            "message": masked_message(finding),
            "where": _masked(finding.where),
            "frame": row.number or None,
            "time": round(row.time, 6),
            "direction": row.direction or "local",
            "method": _masked(row.method),
            "sentence": finding.rule.sentence,
            "guess": finding.rule.guess,
            "schema": schema.RELEASE,
            "schemaDate": schema.DATE,
            **version_fields(log, finding.index),
        }
        yield json.dumps(body)


def version_fields(log: Log, index: int) -> dict[str, Any]:
    """Return the protocol version of a record's connection, as fields for JSON."""
    spoken = None if log.linter is None else log.linter.spoken_at(index)
    return {
        "protocolVersion": None if spoken is None else spoken.version,
        "versionIsGuess": spoken is not None and spoken.guessed,
    }


def findings_junit(log: Log, findings: Sequence[Finding]) -> str:
    """Make a JUnit report: a test case per rule; errors are failures, everything else is output."""
    by_rule = dict(_by_rule(findings))
    rules = dict.fromkeys([*protocol_rules(), *by_rule])  # including those of extensions
    cases = [_case(log, rule, by_rule.get(rule, [])) for rule in rules]
    return format_suite("acp-tui log", cases, {"schema": schema.WORDS})


def _case(log: Log, rule: ProtocolRule, findings: list[Finding]) -> JUnitCase:
    case = JUnitCase(f"acp.{rule.severity}", rule.id)
    if not findings:
        return case
    lines = [f"{_place_of_row(log[one.index])} {_describe(one)}" for one in findings]
    output = "\n".join([rule.basis, *lines])
    if rule.severity is Severity.ERROR:
        return replace(case, outcome="failure", message=_describe(findings[0]), output=output)
    return replace(case, output=output)


def _by_rule(findings: Sequence[Finding]) -> list[tuple[ProtocolRule, list[Finding]]]:
    worst = list(Severity)
    order = {rule.id: place for place, rule in enumerate(protocol_rules())}

    def rank(finding: Finding) -> tuple[bool, int, int, str]:
        rule = finding.rule.id
        return rule not in FIRST, worst.index(finding.severity), order.get(rule, len(order)), rule

    return [
        (group[0].rule, group)
        for group in (list(one) for _, one in groupby(sorted(findings, key=rank), key=rank))
    ]


def masked_message(finding: Finding) -> str:
    """Return a finding's message with secrets masked, and values of fields with a secret's name."""
    steps = [step for step in finding.path if isinstance(step, str)]
    subject, separator, _ = finding.message.partition(": ")
    if separator and steps and is_secret(steps[-1]):
        return f"{subject}: {MASK}"
    return _masked(finding.message)


def _masked(text: str) -> str:
    return Redactor().text(text, "")


def _place_of_row(row: LogRow) -> str:
    if row.number:
        return f"#{row.number} {row.time:.3f}s"
    return f"{row.time:.3f}s {_masked(clean_line(excerpt_record(row.record)))[:40]}"


def _describe(finding: Finding) -> str:
    where = f"{_masked(finding.where)}: " if finding.path else ""
    return clean_line(f"{where}{masked_message(finding)}")


def _summary(findings: Sequence[Finding]) -> str:
    counts = Counter(finding.severity for finding in findings)
    names = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
    counted = (
        f"{counts[one]} {name}{'' if counts[one] == 1 else 's'}" for one, name in names.items()
    )
    return ", ".join(counted)
