"""Results as text."""

from collections.abc import Iterator

from acp_tui.check.model import Outcome, Result
from acp_tui.check.summary import Summary

_SIGNS = {
    Outcome.PASS: "pass",
    Outcome.FAIL: "FAIL",
    Outcome.WARNING: "warn",
    Outcome.SKIPPED: "skip",
}


def text(summary: Summary) -> Iterator[str]:
    """Format all results, each on a line, and below it the evidence where something is wrong."""
    for result in summary.results:
        yield headline(result)
        if result.verdict.outcome in (Outcome.FAIL, Outcome.WARNING):
            yield from (f"        {line}" for line in evidence(result))
    yield ""
    yield summary.words


def headline(result: Result) -> str:
    """Format one result in a line."""
    check, verdict = result.check, result.verdict
    words = f": {verdict.words}" if verdict.words else ""
    why = f" ({verdict.why})" if verdict.why is not None and not words else ""
    return f"{_SIGNS[verdict.outcome]}  {check.id:<4} {check.tier:<10} {check.title}{why}{words}"


def evidence(result: Result) -> Iterator[str]:
    """Tell what a verdict rests on, line by line."""
    check = result.check
    for sentence in check.sentences:
        yield f"“{sentence.text}” ({sentence.source})"
    yield from result.excerpts
    yield f"usually: {check.mend}"
    yield f"again: {result.command}"
    if result.verdict.recording is not None:
        yield f"replay: acp-tui replay {result.verdict.recording}"
