"""What a run of checks says, in each of its forms."""

import argparse
import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from acp_tui.check.model import Check, CheckResult, Profile
from acp_tui.check.reports import (
    Summary,
    format_json,
    format_junit,
    format_markdown,
    format_sarif,
    format_text,
    mask_results,
)
from acp_tui.check.runner import CHECKS
from acp_tui.check.verdicts import CheckOutcome, CheckVerdict, Why
from acp_tui.cli import check
from acp_tui.masking.redactor import Redactor

BY_ID = {check.id: check for check in CHECKS}


def result(id: str, outcome: CheckOutcome, words: str = "", why: Why | None = None) -> CheckResult:
    verdict = CheckVerdict(outcome, words, (2,), why, Path("/there/A.jsonl"))
    return CheckResult(
        BY_ID[id],
        verdict,
        0.5,
        f"acp-tui check --only {id} -- agent",
        ("#2 <- <b>]]>\x1b",),
    )


GOOD = result("A3", CheckOutcome.PASS)
BAD = result("A9", CheckOutcome.FAIL, "two sessions have | the id <x>")
WARNED = result("A5", CheckOutcome.WARNING, "no name")
NOT_ACTED = result("A20", CheckOutcome.SKIPPED, "the model did nothing", Why.NOT_ACTED)
NOT_OFFERED = result("A20", CheckOutcome.SKIPPED, "no terminal", Why.NOT_OFFERED)


def summary(*results: CheckResult, profile: Profile = Profile.V1, whole: bool = True) -> Summary:
    return Summary("an agent", profile, results, "1.2", 3, whole)


def test_what_was_not_tested_never_counts_as_right() -> None:
    assert summary(GOOD).is_conformant
    assert summary(GOOD, WARNED).is_conformant
    assert summary(GOOD, NOT_OFFERED).is_conformant
    assert not summary(GOOD, NOT_ACTED).is_conformant
    assert not summary(NOT_OFFERED).is_conformant
    assert not summary(GOOD, BAD).is_conformant
    assert "not conformant" in summary(GOOD, BAD).words
    words = summary(GOOD, NOT_ACTED).words
    assert words.startswith("not shown to be conformant (v1), as not all was tested")
    assert summary(GOOD).words.startswith("conformant (v1)")


def test_what_had_to_be_tested_and_was_not_explains_the_exit_code() -> None:
    *_, last = format_text(summary(GOOD, NOT_ACTED))
    left_out = "every MUST has to be tested, and not all could be: A20"
    assert last == f"exit code 1: {left_out}; --untested ok accepts that"
    *_, last = format_text(replace(summary(GOOD, NOT_ACTED), may_leave_out=True))
    assert last == left_out
    for others in ([GOOD], [GOOD, NOT_OFFERED], [GOOD, BAD, NOT_ACTED]):
        assert "exit code" not in "".join(format_text(summary(*others)))


def test_of_some_checks_nothing_is_said_about_all() -> None:
    some = summary(GOOD, whole=False)
    assert some.is_conformant
    assert "conformant" not in some.words
    assert json.loads(format_json(some))["conformant"] is None


def test_who_accepts_what_was_not_tested_accepts_nothing_that_is_broken() -> None:
    def accepted(*results: CheckResult) -> Summary:
        return replace(summary(*results), may_leave_out=True)

    assert accepted(GOOD, NOT_ACTED).is_accepted
    assert not accepted(GOOD, NOT_ACTED).is_conformant
    assert accepted(GOOD, NOT_ACTED).words.startswith(
        "conformant in what was tested (v1): 1 passed"
    )
    assert not accepted(GOOD, BAD, NOT_ACTED).is_accepted
    assert not accepted(NOT_ACTED).is_accepted
    assert not summary(GOOD, NOT_ACTED).is_accepted


def test_to_be_strict_a_warning_is_a_failure() -> None:
    assert not summary(GOOD, WARNED, profile=Profile.STRICT).is_conformant


def test_a_failure_comes_with_its_evidence() -> None:
    told = "\n".join(format_text(summary(GOOD, BAD), 200))
    for part in (
        "The Agent MUST respond with a unique Session ID that identifies",
        "ACP 1, Session Setup",
        "#2 <-",
        "acp-tui check --only A9 -- agent",
        "acp-tui replay /there/A.jsonl",
        BY_ID["A9"].mend,
    ):
        assert part in told


def test_lines_fit_but_for_what_is_copied() -> None:
    told = list(format_text(summary(GOOD, BAD, WARNED, NOT_ACTED), 60))
    assert all(len(line) <= 60 for line in told if "$ " not in line)
    assert sum("$ acp-tui check --only" in line for line in told) == 2


def test_junit_counts_what_is_broken() -> None:
    root = ElementTree.fromstring(format_junit(summary(GOOD, BAD, WARNED, NOT_ACTED)))
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("4", "1", "1")
    assert [case.find("failure") is not None for case in root.iter("testcase")] == [
        False,
        True,
        False,
        False,
    ]
    assert root.find("properties/property[@name='schema']") is not None
    strict = summary(GOOD, WARNED, profile=Profile.STRICT)
    assert ElementTree.fromstring(format_junit(strict)).get("failures") == "1"


def test_sarif_has_what_is_wrong_and_notes_what_was_not_tested() -> None:
    run = json.loads(format_sarif(summary(GOOD, BAD, WARNED, NOT_ACTED, NOT_OFFERED)))["runs"][0]
    told = [(one["ruleId"], one["level"]) for one in run["results"]]
    assert told == [("A9", "error"), ("A5", "warning")]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[one["ruleIndex"]]["id"] for one in run["results"]] == ["A9", "A5"]
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["associatedRule"] == {"id": "A20"}


def test_markdown_has_a_row_for_each_and_no_markup_of_the_agents() -> None:
    told = format_markdown(summary(GOOD, BAD))
    rows = [line for line in told.splitlines() if line.startswith("|")]
    assert len(rows) == 4
    assert "\\| the id \\<x\\>" in told


def test_no_file_for_people_has_a_sequence_of_the_agents() -> None:
    hostile = replace(BAD, verdict=replace(BAD.verdict, words="\x1b[31m\u202eid"))
    told = Summary("\x1b]0;x\x07", Profile.V1, (hostile,), "\x1b[2J", 3, True)
    for made in (format_markdown(told), format_junit(told)):
        assert not re.search("[\x07\x1b\u202e]", made)


def test_secrets_are_masked() -> None:
    secret = "sk-ant-api03-" + "a1B2" * 12
    told = mask_results([replace(BAD, excerpts=(f"#2 <- {secret}",))], Redactor())
    assert secret not in format_json(summary(*told))


@pytest.mark.parametrize("one", CHECKS, ids=lambda one: one.id)
def test_each_check_says_what_it_rests_on(one: Check) -> None:
    assert one.mend
    assert one.sentences or one.tier == "heuristic"


def test_no_two_checks_have_one_id() -> None:
    assert len(BY_ID) == len(CHECKS)


def test_the_examples_for_ci_name_options_that_there_are() -> None:
    parser = argparse.ArgumentParser()
    check.configure(parser)
    job = Path("examples/github-action.yml").read_text()
    hook = Path(".pre-commit-hooks.yaml").read_text()
    for name in re.findall(r"(--[a-z][a-z-]+)", f"{job}{hook}"):
        assert name == "--acp" or name in parser.format_help()
