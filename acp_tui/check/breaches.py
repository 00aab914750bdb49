"""Rules of the wire that the agent broke in any recording of a run, each by the check that it fails."""

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
"""The linter's rules that count against each check. Rules about timing are missing: a check applies those only to
what it provoked itself.
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
"""Rules whose breach is a warning: the client copes with it, it may be intended, or a status alone shows it."""
_ANSWERS = {
    "protocolVersion": "A3",
    "agentCapabilities": "A6",
    "sessionId": "A9",
    "stopReason": "A12",
}
"""The checks of fields of results, whose form the schema states, too."""
_PLACES: dict[tuple[str, ...], str] = {
    **{
        (rule, "result", name): check
        for rule in ("schema", "schema-salvaged")
        for name, check in _ANSWERS.items()
    },
    ("unadvertised", "method"): "A18",
    ("unadvertised", "params", "mode"): "A46",
}
"""The checks of rules that count against several, by the rule and the first names of the path."""
_BLAMED = (CheckOutcome.FAIL, CheckOutcome.WARNING)
_OPENING = ("session/new", "session/fork")
"""What is answered with the id of a new session; some agents also name one that is loaded again."""
_SHOWN_FRAMES = 3
"""Frames of one kind of breach that are shown."""


@dataclass(frozen=True, slots=True)
class Breach:
    """Findings of one connection that count against one check."""

    check: str
    probe: Probe
    findings: tuple[Finding, ...]

    @property
    def warns(self) -> bool:
        """Return whether no breach fails the check."""
        return all(one.rule.id in _WARNED or one.rule.guess for one in self.findings)

    @property
    def verdict(self) -> CheckVerdict:
        """The verdict of the check, about the first finding that fails it."""
        return verdict_of(self.probe, self.findings, warns=self.warns)


def verdict_of(probe: Probe, found: Iterable[Finding], *, warns: bool = False) -> CheckVerdict:
    """Return a verdict about findings: the first in words, and the frames of some."""
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
    """Return the id of the check that a finding counts against; empty if there is none."""
    if finding.severity is Severity.INFO:
        return ""
    for length in (1, 2):
        if found := _PLACES.get((finding.rule.id, *map(str, finding.path[:length]))):
            return found
    return _CHECKS.get(finding.rule.id, "")


def find_breaches(probes: Sequence[Probe], results: Sequence[CheckResult]) -> Iterator[Breach]:
    """Yield the broken rules of each connection, except in frames that a failed check already shows:
    they would be blamed twice.
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
    """Return the first session id that two processes gave to a new session, as a verdict of A9."""
    given: dict[str, Probe] = {}
    for probe in probes:
        for request in probe.messages:
            if request.direction is not Direction.OUT or request.method not in _OPENING:
                continue
            answer = probe.answered(request.body.get("id"))
            id = None if answer is None else answer.result.get("sessionId")
            if answer is None or not isinstance(id, str) or not id:
                continue
            other = given.setdefault(id, probe)
            if other is not probe:
                words = f"the session id {id!r} was also given by another process of the run"
                return probe, failed(f"{words}: {other.recording.name}", answer.number)
    return None


def with_breaches(probes: Sequence[Probe], results: Sequence[CheckResult]) -> list[CheckResult]:
    """Return the results, with a verdict about what was broken wherever that is worse than their own."""
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
