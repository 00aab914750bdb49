"""Results as text."""

from collections.abc import Iterator
from textwrap import wrap

from acp_tui.check.model import Outcome, Result
from acp_tui.check.summary import Summary

_SIGNS = {
    Outcome.PASS: "pass",
    Outcome.FAIL: "FAIL",
    Outcome.WARNING: "warn",
    Outcome.SKIPPED: "skip",
}
_INDENT = " " * 6
WIDEST = 110
"""Cells of a line of words."""


def text(summary: Summary, width: int = WIDEST) -> Iterator[str]:
    """Format all results, each on a line, and below it the evidence where something is wrong. What the
    agent did without consent comes first.

    Lines that one copies, such as commands, are as long as they are.
    """
    for result in sorted(summary.results, key=lambda one: not _is_urgent(one)):
        yield from _wrapped(headline(result), "", width)
        if result.verdict.outcome in (Outcome.FAIL, Outcome.WARNING):
            yield from _wrapped(result.verdict.words, _INDENT, width)
            yield from (line for part in evidence(result) for line in _shown(part, width))
    yield ""
    yield from _wrapped(summary.words, "", width)
    if summary.undecided and not summary.broken:
        ids = ", ".join(one.check.id for one in summary.undecided)
        told = f"every MUST has to be tested, and not all could be: {ids}"
        if not summary.is_accepted:
            told = f"exit code 1: {told}; --untested ok accepts that"
        yield from _wrapped(told, "", width)


def _is_urgent(result: Result) -> bool:
    return result.check.urgent and result.verdict.outcome is Outcome.FAIL


def headline(result: Result) -> str:
    """Format one result in a line."""
    check, verdict = result.check, result.verdict
    line = f"{_SIGNS[verdict.outcome]}  {check.id:<4} {check.tier:<10} {check.title}"
    if verdict.outcome in (Outcome.FAIL, Outcome.WARNING):
        return line
    words = verdict.words or str(verdict.why or "")
    return f"{line}: {words}" if words else line


def evidence(result: Result) -> Iterator[str]:
    """Tell what a verdict rests on, line by line."""
    check = result.check
    for sentence in check.sentences:
        yield f"“{sentence.text}” ({sentence.source})"
    yield from result.excerpts
    yield f"Usual fix: {check.mend}."
    yield f"$ {result.command}"
    if result.verdict.recording is not None:
        yield f"$ acp-tui replay {result.verdict.recording}"


def _shown(line: str, width: int) -> Iterator[str]:
    if line.startswith("$ "):
        yield f"{_INDENT}{line}"
    else:
        yield from _wrapped(line, _INDENT, width)


def _wrapped(line: str, indent: str, width: int) -> Iterator[str]:
    further = indent or " " * 22
    yield from wrap(
        line, width, initial_indent=indent, subsequent_indent=further, break_on_hyphens=False
    )
