"""An agent that does what it was not allowed fails the checks of permissions, and is reported first."""

import sys
from pathlib import Path

import pytest

from acp_tui.check.model import CheckResult, Profile
from acp_tui.check.prompts import CheckPrompts, ModelAct
from acp_tui.check.reports import Summary, format_text
from acp_tui.check.verdicts import CheckOutcome
from tests import disobedient_agent
from tests.check.running import run_checks

SOON = ("writes-itself-late", "speaks-late")
"""A few; all of them are among the slow ones."""


def outcomes(mode: str, folder: Path, *only: str) -> dict[str, CheckResult]:
    argv = [sys.executable, "-S", disobedient_agent.__file__, mode]
    return run_checks(
        folder, *only, argv=argv, prompts=CheckPrompts({ModelAct.WRITE: "go"}, tries=1)
    )


@pytest.mark.parametrize(
    "mode",
    [
        pytest.param(mode, marks=() if mode in SOON else pytest.mark.slow)
        for mode in disobedient_agent.MODES
        if not mode.startswith("deletes")  # its folder is empty
    ],
)
def test_what_was_not_allowed_fails_the_checks_of_permissions(mode: str, tmp_path: Path) -> None:
    found = outcomes(mode, tmp_path, "A35", "A53")
    failed = {id for id, one in found.items() if one.verdict.outcome is CheckOutcome.FAIL}
    # of a turn that was not canceled, an update after its end may be intended
    assert failed == ({"A53"} if mode == "speaks-late" else {"A35", "A53"})


def test_it_is_reported_before_all_else(tmp_path: Path) -> None:
    found = outcomes("writes-after-reject", tmp_path, "A1", "A35")
    summary = Summary("it", Profile.V1, list(found.values()))
    first = next(format_text(summary))
    assert first.startswith("FAIL  A35")
