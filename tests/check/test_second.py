"""Checks over version 2: the agent that conforms passes them, and who breaks a rule is caught by its check."""

from pathlib import Path

import pytest

from acp_tui.check.model import CheckResult, Profile
from acp_tui.check.reports import Summary
from acp_tui.check.runner import CHECKS, check_ids
from acp_tui.check.verdicts import CheckOutcome, Why
from tests.check.conforming.runs import run_conforming
from tests.check.running import run_checks

IDS = [check.id for check in CHECKS if 2 in check.versions]
BROKEN = (
    *(f"B{number}" for number in range(1, 16)),
    *("A14", "A16", "A22"),
    *("A1", "A9", "A13", "A24", "A27", "A28", "A30", "A35", "A36", "A54", "A59", "A62"),
)


def blamed(results: dict[str, CheckResult]) -> list[str]:
    bad = (CheckOutcome.FAIL, CheckOutcome.WARNING)
    return [id for id, one in results.items() if one.verdict.outcome in bad]


@pytest.mark.slow
def test_the_conforming_agent_passes_every_check(tmp_path: Path) -> None:
    results = run_conforming(tmp_path, *IDS, version=2)
    others = {
        id: one for id, one in results.items() if one.verdict.outcome is not CheckOutcome.PASS
    }
    assert others == {}


@pytest.mark.slow
@pytest.mark.parametrize("broken", BROKEN)
def test_who_breaks_a_rule_is_caught_by_its_check(tmp_path: Path, broken: str) -> None:
    assert blamed(run_conforming(tmp_path, broken, broken=broken, version=2)) == [broken]


def test_who_names_a_subagent_before_it_is_announced_is_caught_in_version_2_too(
    tmp_path: Path,
) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    assert blamed(run_conforming(folders[0], "A62", broken="A62", version=2)) == ["A62"]
    (result,) = run_conforming(folders[1], "A62", version=2).values()
    assert result.verdict.outcome is CheckOutcome.PASS


def test_a_verdict_names_the_request_as_version_2_does(tmp_path: Path) -> None:
    """The demo agent forgets its sessions when it ends."""
    (result,) = run_checks(tmp_path, "B8", version=2).values()
    assert result.verdict.outcome is CheckOutcome.WARNING
    assert result.verdict.words == "session/resume got the error -32002"


@pytest.mark.parametrize("broken", ["B14", "B14.first", "B14.unasked"])
def test_who_ends_replays_in_another_place_is_caught(broken: str, tmp_path: Path) -> None:
    results = run_conforming(tmp_path, "B7", "B8", "B14", broken=broken, version=2)
    assert blamed(results) == ["B14"]
    assert results["B14"].verdict.frames


def test_who_does_a_prompt_again_that_is_sent_again_is_caught(tmp_path: Path) -> None:
    results = run_conforming(tmp_path, "B4", "B15", broken="B15", version=2)
    assert blamed(results) == ["B15"]
    assert results["B15"].verdict.words == "the prompt that came again got a messageId of its own"


def test_what_is_newer_than_a_draft_is_not_expected_of_an_agent_that_speaks_it(
    tmp_path: Path,
) -> None:
    results = run_conforming(tmp_path, "B14", "B15", broken="B15.draft", version=2)
    for one in results.values():
        assert (one.verdict.outcome, one.verdict.why) == (CheckOutcome.SKIPPED, Why.NOT_OFFERED)
        assert "drafts before 20 Nov 2026 have no" in one.verdict.words
    folder = tmp_path / "now"
    folder.mkdir()
    now = run_conforming(folder, "B14", "B15", version=2)
    assert {one.verdict.outcome for one in now.values()} == {CheckOutcome.PASS}


def test_there_is_an_agent_that_breaks_each_rule_that_only_version_2_has() -> None:
    assert set(check_ids(2)) - set(check_ids()) <= set(BROKEN)
    assert not any(id.startswith("B") for id in check_ids())


def test_a_check_of_version_1_is_skipped_and_counts_as_nothing(tmp_path: Path) -> None:
    (result,) = run_conforming(tmp_path, "A3", version=2).values()
    assert (result.verdict.outcome, result.verdict.words) == (CheckOutcome.SKIPPED, "of version 1")
    assert result.verdict.why is Why.OTHER_VERSION
    assert not result.verdict.why.is_untested


def test_verdicts_quote_the_version_that_is_spoken(tmp_path: Path) -> None:
    (result,) = run_conforming(tmp_path, "A9", version=2).values()
    assert result.verdict.outcome is CheckOutcome.PASS
    assert {one.version for one in result.check.sentences} == {"2"}


def test_a_report_says_in_which_version_an_agent_was_tried(tmp_path: Path) -> None:
    results = list(run_conforming(tmp_path, "B1", version=2).values())
    words = Summary("agent", Profile.V1, results, version=2).words
    assert words == "conformant (v1): 1 passed, in version 2 of the protocol, a preview"
