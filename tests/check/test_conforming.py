"""An agent that does all that the protocol says passes all checks."""

from pathlib import Path

import pytest

from acp_tui.check.model import Outcome
from acp_tui.check.plan import ids
from tests.check.conforming.runs import run_conforming


@pytest.mark.slow
def test_the_conforming_agent_passes_every_check(tmp_path: Path) -> None:
    results = run_conforming(tmp_path, *ids())
    others = {id: one for id, one in results.items() if one.verdict.outcome is not Outcome.PASS}
    assert others == {}
