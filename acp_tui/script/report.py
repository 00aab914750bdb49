"""Reports of a script's results: as text, JSON and JUnit XML. Secrets are masked."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from acp_tui.formatting import counted, duration
from acp_tui.junit import JUnitCase, format_suite
from acp_tui.masking.redactor import Redactor
from acp_tui.script.outcome import ScriptOutcome, StepResult

_MARKS = {True: "✓", False: "✗"}


def format_result(result: StepResult, file: str) -> Iterator[str]:
    """Format a step's result as lines; `file` is the script's name."""
    number = f"{result.number} " if result.number else ""
    name = Redactor().text(result.name, "name")
    if result.skipped:
        yield f"- {number}{name}: skipped"
        return
    seconds = f" ({duration(result.seconds)})" if result.number else ""
    yield f"{_MARKS[result.passed]} {number}{name}{seconds}"
    for words in format_failures(result, file):
        yield f"    {words}"


def format_failures(result: StepResult, file: str) -> Iterator[str]:
    """Format a step's failures: what was expected, and what was found. Secrets are masked."""
    redactor = Redactor()
    if result.trouble:
        yield from _masked(redactor, f"{file}:{result.line}: {result.trouble}")
    for one in result.unanswered:
        yield from _masked(
            redactor, f"{file}:{result.line}: rejected, for want of an answer: {one}"
        )
    for failure in result.failures:
        yield from _masked(redactor, f"{file}:{failure.line}: {failure.words}")
        for line in failure.there:
            yield from (f"  | {one}" for one in _masked(redactor, line))


def _masked(redactor: Redactor, text: str) -> list[str]:
    return redactor.text(text, "words").splitlines() or [""]


def count_passed(played: ScriptOutcome) -> str:
    """Format the number of steps that passed."""
    steps = [one for one in played.results if one.number]
    held = sum(one.passed for one in steps)
    end = [one for one in played.results if not one.number]
    more = "" if all(one.passed for one in end) else "; what is expected at the end doesn't"
    return f"{held} of {counted(len(steps), 'step')} hold{'s' * (len(steps) == 1)}{more}"


def results_object(played: ScriptOutcome, file: str) -> dict[str, Any]:
    """Return all results as one JSON object."""
    redactor = Redactor()
    return {
        "acp-tui-script": 1,
        "file": file,
        "name": redactor.text(played.name, "name"),
        "agent": played.agent,
        "exitCode": int(played.code),
        "trouble": redactor.text(played.trouble, "words") or None,
        "steps": [_step_json(one, redactor) for one in played.results],
    }


def _step_json(result: StepResult, redactor: Redactor) -> dict[str, Any]:
    def masked(text: str) -> str:
        return redactor.text(text, "words")

    return {
        "number": result.number or None,
        "name": masked(result.name),
        "line": result.line or None,
        "outcome": "skipped" if result.skipped else "held" if result.passed else "failed",
        "seconds": result.seconds,
        "trouble": masked(result.trouble) or None,
        "unanswered": list(map(masked, result.unanswered)),
        "asked": list(map(masked, result.asked)),
        "failures": [
            {
                "line": one.line,
                "words": masked(one.words),
                "there": list(map(masked, one.there)),
            }
            for one in result.failures
        ],
    }


def script_junit(played: ScriptOutcome, file: str) -> str:
    """Format the results as JUnit XML, a test case for each step; a step that could not be played
    is an error.
    """
    results = list(played.results)
    if played.trouble:
        trouble = StepResult(0, "the session", 1, trouble=played.trouble, code=int(played.code))
        results.insert(0, trouble)
    name = Redactor().text(played.name, "name")
    return format_suite(name, [_case(one, file) for one in results])


def _case(result: StepResult, file: str) -> JUnitCase:
    number = f"{result.number} " if result.number else ""
    name = number + Redactor().text(result.name, "name")
    case = JUnitCase(file, name, seconds=result.seconds)
    if result.skipped:
        return replace(case, outcome="skipped")
    if result.passed:
        return case
    lines = list(format_failures(result, file))
    outcome: Literal["error", "failure"] = "error" if result.trouble else "failure"
    return replace(case, outcome=outcome, message=lines[0], output="\n".join(lines))
