"""Results as SARIF, which code hosts show beside the code."""

import json
from typing import Any

from acp_tui import __version__
from acp_tui.check.model import Check, Outcome, Result
from acp_tui.check.summary import Summary

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_PAGE = "https://github.com/acp-tui/acp-tui/blob/main/docs/check.md"
_LEVELS = {Outcome.FAIL: "error", Outcome.WARNING: "warning"}
_PLACE = {"physicalLocation": {"artifactLocation": {"uri": "acp-agent"}}}
"""The agent is no file; those who show results want one."""


def sarif(summary: Summary) -> str:
    """Format what is wrong; what was not tested is a notification."""
    driver = {
        "name": "acp-tui check",
        "version": __version__,
        "informationUri": _PAGE,
        "rules": [_rule(one.check) for one in summary.results],
    }
    wrong = [
        _result(index, one)
        for index, one in enumerate(summary.results)
        if one.verdict.outcome in _LEVELS
    ]
    invocation = {
        "executionSuccessful": True,
        "toolExecutionNotifications": [_notification(one) for one in summary.untested],
    }
    body = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "invocations": [invocation], "results": wrong}],
    }
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def _rule(check: Check) -> dict[str, Any]:
    words = "\n".join(f"“{one.text}” ({one.source})" for one in check.sentences)
    return {
        "id": check.id,
        "shortDescription": {"text": check.title},
        "fullDescription": {"text": words or check.title},
        "help": {"text": check.mend},
        "helpUri": _PAGE,
        "properties": {"tags": [check.tier.value]},
    }


def _result(index: int, result: Result) -> dict[str, Any]:
    verdict = result.verdict
    lines = [verdict.words or result.check.title, *result.excerpts, f"Again: {result.command}"]
    return {
        "ruleId": result.check.id,
        "ruleIndex": index,
        "level": _LEVELS[verdict.outcome],
        "message": {"text": "\n".join(lines)},
        "locations": [_PLACE],
    }


def _notification(result: Result) -> dict[str, Any]:
    words = f"{result.check.id} was not tested: {result.verdict.words or result.verdict.why}"
    return {"level": "note", "message": {"text": words}, "associatedRule": {"id": result.check.id}}
