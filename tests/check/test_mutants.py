"""Who checks the checks: an agent that breaks one rule is caught by the check of that rule, and by no other."""

import sys
from pathlib import Path

import pytest

from acp_tui.check.model import CheckResult
from acp_tui.check.runner import check_ids
from acp_tui.check.verdicts import CheckOutcome
from tests.check.conforming.runs import run_conforming

BLAMED = (CheckOutcome.FAIL, CheckOutcome.WARNING)
IDS = check_ids()
SOME = ("A1", "A3", "A15", "A21", "A34", "A52", "A62", "A63", "A64")
"""A few that are caught soon; all of them are among the slow ones."""
OTHERS = (
    "A1.plan",
    "A2.mode",
    "A8.turn",
    "A8.write",
    "A9.again",
    "A10.tools",
    "A25.refused",
    "A25.over",
    "A26.update",
    "A28.suggests",
    "A27.one",
    "A29.steps",
    "A31.initialize",
    "A32.replay",
    "A37.replay",
    "A34.open",
    "A3.fraction",
    "A50.text",
    "A60.twice",
    "A60.slash",
    "A60.base64",
)
"""More mutants, by their checks, and by what they do."""


def blamed(results: dict[str, CheckResult]) -> list[str]:
    return [id for id, one in results.items() if one.verdict.outcome in BLAMED]


def test_there_is_a_mutant_for_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(__file__).with_name("conforming")
    monkeypatch.syspath_prepend(str(folder))
    names = {path.stem for path in folder.glob("*.py")}
    before = {name: sys.modules.pop(name, None) for name in names}
    import mutants

    for name in names:
        sys.modules.pop(name, None)
    sys.modules.update({name: module for name, module in before.items() if module is not None})
    assert list(mutants.MUTANTS) == IDS
    assert tuple(mutants.OTHERS) == OTHERS


@pytest.mark.parametrize("id", SOME)
def test_a_mutant_is_caught_by_its_check(id: str, tmp_path: Path) -> None:
    assert blamed(run_conforming(tmp_path, id, broken=id)) == [id]


@pytest.mark.parametrize(
    ("name", "checks"),
    [
        ("A2.mode", ("A2", "A26")),
        ("A8.write", ("A8",)),
        ("A9.again", ("A9", "A3")),
        ("A25.over", ("A25",)),
        ("A29.steps", ("A29",)),
        ("A31.initialize", ("A31", "A3")),
        ("A37.replay", ("A37", "A21")),
        ("A60", ("A60", "A23")),
    ],
)
def test_what_shows_only_where_another_check_looks_fails_the_check_that_stands_for_it(
    name: str, checks: tuple[str, ...], tmp_path: Path
) -> None:
    assert blamed(run_conforming(tmp_path, *checks, broken=name)) == [checks[0]]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*IDS, *OTHERS])
def test_a_mutant_is_caught_by_no_other_check(name: str, tmp_path: Path) -> None:
    assert blamed(run_conforming(tmp_path, *IDS, broken=name)) == [name.partition(".")[0]]


@pytest.mark.slow
def test_an_agent_that_asks_for_no_tools_is_warned(tmp_path: Path) -> None:
    results = run_conforming(tmp_path, "A10", broken="A10.tools")
    assert results["A10"].verdict.outcome is CheckOutcome.WARNING
