"""Reports of a run of checks, with its overall result: text, JSON, JUnit, Markdown and SARIF,
without secrets.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any

from acp_tui.check.model import Check, CheckResult, Profile, Tier
from acp_tui.check.verdicts import CheckOutcome
from acp_tui.formatting import counted
from acp_tui.junit import JUnitCase, format_suite
from acp_tui.masking.redactor import Redactor
from acp_tui.protocol import schema
from acp_tui.text import clean_line, reveal_escapes
from acp_tui.version import __version__

_NAMES = {
    CheckOutcome.PASS: "passed",
    CheckOutcome.FAIL: "failed",
    CheckOutcome.WARNING: "with a warning",
    CheckOutcome.SKIPPED: "skipped",
}
_WORDS = {
    CheckOutcome.PASS: "pass",
    CheckOutcome.FAIL: "FAIL",
    CheckOutcome.WARNING: "warn",
    CheckOutcome.SKIPPED: "skip",
}
_INDENT = " " * 6
LINE_WIDTH = 110
"""Widest line of the text report, in columns."""
FORMAT = 1
"""Version of the JSON format. Adding a field doesn't change it."""
_SIGNS = {
    CheckOutcome.PASS: "✅",
    CheckOutcome.FAIL: "❌",
    CheckOutcome.WARNING: "⚠️",
    CheckOutcome.SKIPPED: "–",
}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_PAGE = "https://github.com/acp-tui/acp-tui/blob/main/docs/check.md"
_LEVELS = {CheckOutcome.FAIL: "error", CheckOutcome.WARNING: "warning"}
_PLACE = {"physicalLocation": {"artifactLocation": {"uri": "acp-agent"}}}
"""The location of each result: SARIF viewers require a file, which an agent isn't."""


@dataclass(frozen=True)
class Summary:
    """The results of a run, and its overall verdict. A check that was not run never counts as
    passed.
    """

    agent: str
    profile: Profile
    results: Sequence[CheckResult]
    agent_version: str = ""
    turns: int = 0
    whole: bool = True
    """Whether all checks of the profile were requested."""
    version: int = 1
    """The protocol version that was spoken."""
    may_leave_out: bool = False
    """Whether the user accepts that required checks were not tested (`--untested ok`)."""

    @property
    def counts(self) -> Counter[CheckOutcome]:
        """The number of results by outcome."""
        return Counter(one.verdict.outcome for one in self.results)

    @property
    def untested(self) -> list[CheckResult]:
        """The skipped checks whose rules may apply to the agent."""
        return [one for one in self.results if one.verdict.why and one.verdict.why.is_untested]

    @property
    def broken(self) -> list[CheckResult]:
        """The failed checks, and with `strict` those with a warning."""
        bad = {CheckOutcome.FAIL}
        if self.profile is Profile.STRICT:
            bad.add(CheckOutcome.WARNING)
        return [one for one in self.results if one.verdict.outcome in bad]

    @property
    def undecided(self) -> list[CheckResult]:
        """The required checks among the untested ones."""
        return [one for one in self.untested if one.check.tier in (Tier.MUST, Tier.CAPABILITY)]

    @property
    def is_conformant(self) -> bool:
        """Whether something passed, nothing is broken, and no MUST was left untested."""
        return bool(self.counts[CheckOutcome.PASS]) and not self.broken and not self.undecided

    @property
    def is_accepted(self) -> bool:
        """Whether something passed, nothing is broken, and no MUST was left untested unless the
        user accepts that.
        """
        passed = bool(self.counts[CheckOutcome.PASS]) and not self.broken
        return passed and (self.may_leave_out or not self.undecided)

    @property
    def words(self) -> str:
        """The summary in one line, which begins with the overall verdict."""
        counts = self.counts
        parts = [f"{counts[one]} {name}" for one, name in _NAMES.items() if counts[one]]
        untested = len(self.untested)
        if untested:
            parts.append(f"{untested} of those not tested")
        if self.turns:
            parts.append(f"{counted(self.turns, 'turn')} of the model")
        if self.version != 1:
            parts.append(f"in version {self.version} of the protocol, a preview")
        return f"{self._head}: {', '.join(parts)}"

    @property
    def _head(self) -> str:
        """The overall verdict. For a subset of the checks, it says only whether they found
        anything.
        """
        counts = self.counts
        if self.broken:
            return f"not conformant ({self.profile})"
        if not self.whole:
            nothing = not counts[CheckOutcome.PASS] and not counts[CheckOutcome.WARNING]
            return "nothing was tested" if nothing else "nothing wrong in these checks"
        if self.is_conformant:
            return f"conformant ({self.profile})"
        if self.is_accepted:
            return f"conformant in what was tested ({self.profile})"
        return f"not shown to be conformant ({self.profile}), as not all was tested"


def mask_results(results: Iterable[CheckResult], redactor: Redactor) -> list[CheckResult]:
    """Mask secrets in results; their commands have none."""
    return [
        replace(
            one,
            verdict=replace(one.verdict, words=redactor.text(one.verdict.words, "words")),
            excerpts=tuple(redactor.text(line, "frames") for line in one.excerpts),
        )
        for one in results
    ]


def format_text(summary: Summary, width: int = LINE_WIDTH) -> Iterator[str]:
    """Format the results as lines, with the evidence below each failure and warning.

    What the agent did without consent comes first. Commands, which are for copying, aren't wrapped.
    """

    def is_urgent(result: CheckResult) -> bool:
        return result.check.urgent and result.verdict.outcome is CheckOutcome.FAIL

    for result in sorted(summary.results, key=is_urgent, reverse=True):
        yield from _wrapped(_headline(result), "", width)
        if result.verdict.outcome in (CheckOutcome.FAIL, CheckOutcome.WARNING):
            yield from _wrapped(result.verdict.words, _INDENT, width)
            for part in _evidence(result):
                is_copied = part.startswith("$ ")
                yield from [f"{_INDENT}{part}"] if is_copied else _wrapped(part, _INDENT, width)
    yield ""
    yield f"Checked by {schema.WORDS}."
    yield from _wrapped(summary.words, "", width)
    if summary.undecided and not summary.broken:
        ids = ", ".join(one.check.id for one in summary.undecided)
        reason = f"every MUST has to be tested, and not all could be: {ids}"
        if not summary.is_accepted:
            reason = f"exit code 1: {reason}; --untested ok accepts that"
        yield from _wrapped(reason, "", width)


def _headline(result: CheckResult) -> str:
    """Format a result in one line."""
    check, verdict = result.check, result.verdict
    line = f"{_WORDS[verdict.outcome]}  {check.id:<4} {check.tier:<10} {check.title}"
    if verdict.outcome in (CheckOutcome.FAIL, CheckOutcome.WARNING):
        return line
    words = verdict.words or str(verdict.why or "")
    return f"{line}: {words}" if words else line


def _evidence(result: CheckResult) -> Iterator[str]:
    """Yield the evidence for a verdict: sentences, frames, the usual fix, and commands."""
    check = result.check
    for sentence in check.sentences:
        yield f"“{sentence.text}” ({sentence.source})"
    yield from result.excerpts
    yield f"Usual fix: {check.mend}."
    yield f"$ {result.command}"
    if result.verdict.recording is not None:
        yield f"$ acp-tui replay {result.verdict.recording}"


def _wrapped(line: str, indent: str, width: int) -> Iterator[str]:
    further = indent or " " * 22
    yield from wrap(
        line, width, initial_indent=indent, subsequent_indent=further, break_on_hyphens=False
    )


def format_json(summary: Summary) -> str:
    """Format all results as one JSON object."""
    body = {
        "acp-tui-check": FORMAT,
        "version": __version__,
        "agent": summary.agent,
        "agentVersion": summary.agent_version,
        "profile": summary.profile.value,
        "protocol": summary.version,
        "schema": schema.RELEASE,
        "schemaDate": schema.DATE,
        "conformant": summary.is_conformant if summary.whole else None,
        "words": summary.words,
        "turns": summary.turns,
        "counts": {outcome.value: count for outcome, count in summary.counts.items()},
        "checks": [_json_result(one) for one in summary.results],
    }
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def _json_result(result: CheckResult) -> dict[str, Any]:
    check, verdict = result.check, result.verdict
    return {
        "id": check.id,
        "title": check.title,
        "tier": check.tier.value,
        "outcome": verdict.outcome.value,
        "why": None if verdict.why is None else verdict.why.value,
        "words": verdict.words,
        "sentences": [
            {
                "text": one.text,
                "section": one.section,
                "version": one.version,
                "link": one.link,
            }
            for one in check.sentences
        ],
        "frames": list(verdict.frames),
        "excerpts": list(result.excerpts),
        "recording": None if verdict.recording is None else str(verdict.recording),
        "command": result.command,
        "mend": check.mend,
        "acp-tck": [name for name in check.tck.split(", ") if name],
        "seconds": round(result.seconds, 3),
    }


def format_junit(summary: Summary) -> str:
    """Format all results as JUnit XML, a test case for each check. A warning becomes output, or a
    failure if `strict`.
    """
    broken = {one.check.id for one in summary.broken}
    cases = [_junit_case(one, failed=one.check.id in broken) for one in summary.results]
    return format_suite("acp-tui check", cases, {"schema": schema.WORDS})


def _junit_case(result: CheckResult, *, failed: bool) -> JUnitCase:
    check, verdict = result.check, result.verdict
    case = JUnitCase(f"acp.{check.tier}", f"{check.id} {check.title}", seconds=result.seconds)
    if verdict.outcome is CheckOutcome.SKIPPED:
        return replace(case, outcome="skipped", message=verdict.words or str(verdict.why))
    output = "\n".join([verdict.words, *_evidence(result)])
    if failed:
        return replace(case, outcome="failure", message=verdict.words, output=output)
    return replace(case, output=output) if verdict.outcome is CheckOutcome.WARNING else case


def format_markdown(summary: Summary) -> str:
    """Format all results as a Markdown table, with the evidence for failures and warnings below it."""
    name = " ".join(filter(None, (summary.agent or "the agent", summary.agent_version)))
    lines = [
        f"## `acp-tui check` of {_without_markup(name)}",
        "",
        _without_markup(summary.words),
        "",
        f"Checked by acp-tui {__version__}, {schema.WORDS}.",
        "",
    ]
    lines += ["| | check | tier | |", "| --- | --- | --- | --- |"]
    for one in summary.results:
        words = one.verdict.words or str(one.verdict.why or "")
        cells = (f"{one.check.id} {one.check.title}", str(one.check.tier), words)
        row = " | ".join(_without_markup(cell).replace("|", "\\|") for cell in cells)
        lines.append(f"| {_SIGNS[one.verdict.outcome]} | {row} |")
    for one in summary.results:
        if one.verdict.outcome in (CheckOutcome.FAIL, CheckOutcome.WARNING):
            lines += ["", *_markdown_evidence(one)]
    return "\n".join([*lines, ""])


def _markdown_evidence(result: CheckResult) -> Iterator[str]:
    check = result.check
    yield f"### {check.id}: {_without_markup(result.verdict.words)}"
    yield ""
    for one in check.sentences:
        yield f"> {_without_markup(one.text)} ([{one.source}]({one.link}))"
        yield ">"
    if result.excerpts:
        fence = "`" * 3
        while any(fence in line for line in result.excerpts):
            fence += "`"
        yield from ("", fence, *map(clean_line, result.excerpts), fence)
    yield ""
    yield f"Usual fix: {_without_markup(check.mend)}."
    yield ""
    yield f"    {result.command}"


def _without_markup(text: str) -> str:
    """Escape a text so that it has neither Markdown markup nor terminal sequences."""
    text = clean_line(reveal_escapes(text))
    for sign in "\\`*_<>[]":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def format_sarif(summary: Summary) -> str:
    """Format failures and warnings as SARIF; untested checks become notifications."""
    driver = {
        "name": "acp-tui check",
        "version": __version__,
        "informationUri": _PAGE,
        "properties": {"schema": schema.WORDS},
        "rules": [_sarif_rule(one.check) for one in summary.results],
    }
    wrong = [
        _sarif_result(index, one)
        for index, one in enumerate(summary.results)
        if one.verdict.outcome in _LEVELS
    ]
    invocation = {
        "executionSuccessful": True,
        "toolExecutionNotifications": [_sarif_notification(one) for one in summary.untested],
    }
    body = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "invocations": [invocation], "results": wrong}],
    }
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def _sarif_rule(check: Check) -> dict[str, Any]:
    words = "\n".join(f"“{one.text}” ({one.source})" for one in check.sentences)
    return {
        "id": check.id,
        "shortDescription": {"text": check.title},
        "fullDescription": {"text": words or check.title},
        "help": {"text": check.mend},
        "helpUri": _PAGE,
        "properties": {"tags": [check.tier.value]},
    }


def _sarif_result(index: int, result: CheckResult) -> dict[str, Any]:
    verdict = result.verdict
    lines = [verdict.words or result.check.title, *result.excerpts, f"Again: {result.command}"]
    return {
        "ruleId": result.check.id,
        "ruleIndex": index,
        "level": _LEVELS[verdict.outcome],
        "message": {"text": "\n".join(lines)},
        "locations": [_PLACE],
    }


def _sarif_notification(result: CheckResult) -> dict[str, Any]:
    words = f"{result.check.id} was not tested: {result.verdict.words or result.verdict.why}"
    return {"level": "note", "message": {"text": words}, "associatedRule": {"id": result.check.id}}
