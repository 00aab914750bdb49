"""Results as JUnit's XML, which CI servers show."""

from acp_tui.check.model import Outcome, Result
from acp_tui.check.report.text import evidence
from acp_tui.check.report.xml import attribute, content
from acp_tui.check.summary import Summary


def junit(summary: Summary) -> str:
    """Format all results: a test case for each check; a warning is output, unless it counts."""
    broken = {one.check.id for one in summary.broken}
    skipped = summary.counts[Outcome.SKIPPED]
    cases = "".join(_case(one, failed=one.check.id in broken) for one in summary.results)
    counts = f'tests="{len(summary.results)}" failures="{len(broken)}" skipped="{skipped}"'
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<testsuite name="acp-tui check" {counts}>\n{cases}</testsuite>\n'
    )


def _case(result: Result, *, failed: bool) -> str:
    check, verdict = result.check, result.verdict
    name = attribute(f"{check.id} {check.title}")
    head = f'  <testcase classname="acp.{check.tier}" name={name} time="{result.seconds:.3f}"'
    told = content("\n".join([verdict.words, *evidence(result)]))
    if verdict.outcome is Outcome.SKIPPED:
        words = attribute(verdict.words or str(verdict.why))
        return f"{head}>\n    <skipped message={words}/>\n  </testcase>\n"
    if failed:
        words = attribute(verdict.words)
        return f"{head}>\n    <failure message={words}>{told}</failure>\n  </testcase>\n"
    if verdict.outcome is Outcome.WARNING:
        return f"{head}>\n    <system-out>{told}</system-out>\n  </testcase>\n"
    return f"{head}/>\n"
