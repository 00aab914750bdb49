"""The demo agent does as the protocol says."""

from pathlib import Path

import pytest

from acp_tui.check.verdicts import CheckOutcome
from tests.check.running import run_checks


@pytest.mark.slow
def test_no_check_fails_with_the_demo_agent(tmp_path: Path) -> None:
    results = run_checks(tmp_path)
    bad = (CheckOutcome.FAIL, CheckOutcome.WARNING)
    assert [one for one in results.values() if one.verdict.outcome in bad] == []
    assert results["A3"].verdict.outcome is CheckOutcome.PASS
    assert results["A3"].verdict.recording is not None
    assert results["A3"].verdict.recording.exists()
