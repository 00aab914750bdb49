"""Who checks the checks: an agent that breaks one rule is caught by the check of that rule, and by no other."""

import sys
from pathlib import Path

import pytest

from acp_tui.check.model import Outcome, Result
from acp_tui.check.plan import ids
from tests.check.conforming.runs import run_conforming

BLAMED = (Outcome.FAIL, Outcome.WARNING)
IDS = ids()
WAITING = ("A2", "A10", "A41")
"""Those that are caught only by what never comes: they are among the slow ones."""


def blamed(results: dict[str, Result]) -> list[str]:
    return [id for id, one in results.items() if one.verdict.outcome in BLAMED]


def test_there_is_a_mutant_for_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(__file__).with_name("conforming")
    monkeypatch.syspath_prepend(str(folder))
    names = {path.stem for path in folder.glob("*.py")}
    before = {name: sys.modules.pop(name, None) for name in names}
    from mutants import MUTANTS

    for name in names:
        sys.modules.pop(name, None)
    sys.modules.update({name: module for name, module in before.items() if module is not None})
    assert list(MUTANTS) == IDS


@pytest.mark.parametrize("id", [one for one in IDS if one not in WAITING])
def test_a_mutant_is_caught_by_its_check(id: str, tmp_path: Path) -> None:
    assert blamed(run_conforming(tmp_path, id, broken=id)) == [id]


@pytest.mark.slow
@pytest.mark.parametrize("id", IDS)
def test_a_mutant_is_caught_by_no_other_check(id: str, tmp_path: Path) -> None:
    assert blamed(run_conforming(tmp_path, *IDS, broken=id)) == [id]
