"""Counts broken rules of the linter, in any recording of a run, against the checks that cover them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from acp_tui.check.model import CheckResult, by_tier, rules
from acp_tui.check.probe import Probe, format_frames
from acp_tui.check.verdicts import CheckOutcome, CheckVerdict, Why, failed, warned
from acp_tui.protocol.findings import Finding, Severity, format_path
from acp_tui.protocol.frames import Direction

RULES: dict[str, tuple[str, ...]] = {
    check: tuple(rule.get("findings", ())) for check, rule in rules().items()
}
"""The linter's rules that count against each check. Rules about timing are missing: a check applies
them only to what it provoked itself.
"""
_CHECKS = {rule: check for check, named in RULES.items() for rule in named}
_WARNED = frozenset(
    {
        "schema-salvaged",
        "unknown-method",
        "plan-shrinks",
        "no-capabilities",
        "rejected-but-running",
        "not-approved-but-running",
        "begun-after-cancel",
    }
)
"""Rules whose breach is only a warning: the client can cope, it may be intended, or the only
evidence is a status.
"""
_ANSWERS = {
    "protocolVersion": "A3",
    "agentCapabilities": "A6",
    "sessionId": "A9",
    "stopReason": "A12",
}
"""Fields of results, with the checks that cover them although the schema does, too."""
_PLACES: dict[tuple[str, ...], str] = {
    **{
        (rule, "result", name): check
        for rule in ("schema", "schema-salvaged")
        for name, check in _ANSWERS.items()
    },
    ("unadvertised", "method"): "A18",
    ("unadvertised", "params", "mode"): "A46",
}
"""The checks of rules that count against more than one, by the rule and the beginning of the
finding's path.
"""
_BLAMED = (CheckOutcome.FAIL, CheckOutcome.WARNING)
_OPENING = ("session/new", "session/fork")
"""Requests that are answered with the id of a new session; some agents also return one from
`session/load`.
"""
_SHOWN_FRAMES = 3
"""Most frames that are shown for one check's breaches."""


@dataclass(frozen=True, slots=True)
class Breach:
    """One connection's findings that count against one check."""

    check: str
    probe: Probe
    findings: tuple[Finding, ...]

    @property
    def warns(self) -> bool:
        """Whether these findings only warn, and none fails the check."""
        return all(one.rule.id in _WARNED or one.rule.guess for one in self.findings)

    @property
    def verdict(self) -> CheckVerdict:
        """The check's verdict: the first finding that fails it, in words."""
        return verdict_of(self.probe, self.findings, warns=self.warns)


def verdict_of(probe: Probe, found: Iterable[Finding], *, warns: bool = False) -> CheckVerdict:
    """Return a verdict about findings: the first in words, and some of their frames."""
    found = list(found)
    if not warns:
        found.sort(key=lambda one: one.rule.id in _WARNED or one.rule.guess)
    first = found[0]
    where = f"{format_path(first.path)}: " if first.path else ""
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    guess = "perhaps: " if first.rule.guess else ""
    frames = [number for one in found if (number := probe.frame(one))][:_SHOWN_FRAMES]
    make = warned if warns else failed
    return make(f"{guess}{where}{first.message}{more}", *dict.fromkeys(frames))


def check_of(finding: Finding) -> str:
    """Return the id of the check that a finding counts against, or ""."""
    if finding.severity is Severity.INFO:
        return ""
    for length in (1, 2):
        if found := _PLACES.get((finding.rule.id, *map(str, finding.path[:length]))):
            return found
    return _CHECKS.get(finding.rule.id, "")


def find_breaches(probes: Sequence[Probe], results: Sequence[CheckResult]) -> Iterator[Breach]:
    """Yield each connection's broken rules by check, except in frames that a failed check cites
    already: they would count twice.
    """
    shown = {
        (one.verdict.recording, frame)
        for one in results
        if one.verdict.outcome in _BLAMED
        for frame in one.verdict.frames
    }
    for probe in probes:
        by_check: dict[str, list[Finding]] = {}
        for finding in probe.findings():
            if (probe.recording, probe.frame(finding)) not in shown:
                by_check.setdefault(check_of(finding), []).append(finding)
        by_check.pop("", None)
        for check, found in by_check.items():
            yield Breach(check, probe, tuple(found))


def repeated_session(probes: Sequence[Probe]) -> tuple[Probe, CheckVerdict] | None:
    """Return the first session id that two processes returned for new sessions, as a verdict of A9."""
    owners: dict[str, Probe] = {}
    for probe in probes:
        for request in probe.messages:
            if request.direction is not Direction.OUT or request.method not in _OPENING:
                continue
            answer = probe.answered(request.body.get("id"))
            id = None if answer is None else answer.result.get("sessionId")
            if answer is None or not isinstance(id, str) or not id:
                continue
            other = owners.setdefault(id, probe)
            if other is not probe:
                words = f"the session id {id!r} was also given by another process of the run"
                return probe, failed(f"{words}: {other.recording.name}", answer.number)
    return None


def with_breaches(probes: Sequence[Probe], results: Sequence[CheckResult]) -> list[CheckResult]:
    """Return the results, each replaced by a verdict about broken rules if that is worse."""
    found: dict[str, tuple[Probe, CheckVerdict]] = {}
    for one in find_breaches(probes, results):
        before = found.get(one.check)
        if before is None or (before[1].outcome is CheckOutcome.WARNING and not one.warns):
            found[one.check] = one.probe, one.verdict
    if (again := repeated_session(probes)) is not None:
        found.setdefault("A9", again)
    return [_worse(result, *found.get(result.check.id, (None, None))) for result in results]


def _worse(result: CheckResult, probe: Probe | None, verdict: CheckVerdict | None) -> CheckResult:
    own = result.verdict
    if probe is None or verdict is None or own.why is Why.OTHER_VERSION:
        return result
    verdict = by_tier(result.check, verdict)
    if own.outcome is CheckOutcome.FAIL or own.outcome is verdict.outcome:
        return result
    verdict = replace(verdict, recording=probe.recording)
    return replace(result, verdict=verdict, excerpts=format_frames(probe, verdict.frames))
