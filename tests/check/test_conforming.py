"""An agent that does all that the protocol says passes all checks, in any order and over any way."""

from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.check.model import CheckResult
from acp_tui.check.runner import check_ids
from acp_tui.check.verdicts import CheckOutcome, Why
from tests.check.conforming.runs import FIELDS, conforming, run_conforming
from tests.check.running import checked
from tests.examples import some_of
from tests.remote.bridge import bridged
from tests.remote.hosts import SCHEMES

SHARING = ("A1", "A5", "A14", "A16", "A20", "A28", "A32", "A34", "A37", "A52")
"""Checks that look at the same scenes."""
REMOTE = ("A3", "A9", "A12", "A15", "A21", "A22", "A23", "A30", "A38", "A39", "A45")


def outcomes(results: dict[str, CheckResult]) -> dict[str, CheckOutcome]:
    return {id: one.verdict.outcome for id, one in results.items()}


@pytest.mark.slow
def test_the_conforming_agent_passes_every_check(tmp_path: Path) -> None:
    results = run_conforming(tmp_path, *check_ids())
    others = {
        id: one for id, one in results.items() if one.verdict.outcome is not CheckOutcome.PASS
    }
    assert others == {}


@pytest.mark.slow
@settings(max_examples=some_of(10))
@given(st.permutations(SHARING), st.integers(1, 4), st.sampled_from(("", "A16", "A34")))
def test_no_order_of_checks_changes_a_verdict(order: list[str], jobs: int, broken: str) -> None:
    with TemporaryDirectory() as folder:
        found = outcomes(run_conforming(Path(folder), *order, broken=broken, jobs=jobs))
    assert found.pop(broken, CheckOutcome.FAIL) in (CheckOutcome.FAIL, CheckOutcome.WARNING)
    assert set(found.values()) == {CheckOutcome.PASS}


def test_a_check_over_a_network_quotes_nothing_about_streams(tmp_path: Path) -> None:
    async def go() -> dict[str, CheckResult]:
        async with bridged(conforming(tmp_path, ""), tmp_path) as bridge:
            return await checked(tmp_path, "A1", "A37", url=bridge.url("ws"), **FIELDS)

    for one in anyio.run(go).values():
        quoted = " ".join(sentence.text for sentence in one.check.sentences)
        assert "custom transports" in quoted
        assert "stdout" not in f"{quoted} {one.check.title}"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("broken", ["A39", ""])
def test_verdicts_are_the_same_over_a_network(tmp_path: Path, scheme: str, broken: str) -> None:
    async def go() -> dict[str, CheckResult]:
        argv = conforming(tmp_path, broken)
        async with bridged(argv, tmp_path) as bridge:
            return await checked(tmp_path, *REMOTE, jobs=4, url=bridge.url(scheme), **FIELDS)

    found = outcomes(anyio.run(go))
    assert found.pop(broken, CheckOutcome.FAIL) is CheckOutcome.FAIL
    assert set(found.values()) == {CheckOutcome.PASS}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_check_blames_the_conforming_agent_over_a_network(tmp_path: Path, scheme: str) -> None:
    async def go() -> dict[str, CheckResult]:
        async with bridged(conforming(tmp_path), tmp_path) as bridge:
            return await checked(tmp_path, *check_ids(), jobs=4, url=bridge.url(scheme), **FIELDS)

    found = anyio.run(go)
    others = [one.verdict for one in found.values() if one.verdict.outcome is not CheckOutcome.PASS]
    assert {one.why for one in others} <= {Why.ELSEWHERE, Why.NOT_OFFERED}, others
    assert len(others) < len(found) / 4


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_needs_the_agents_machine_counts_as_untested(tmp_path: Path, scheme: str) -> None:
    async def go() -> dict[str, CheckResult]:
        async with bridged(conforming(tmp_path), tmp_path) as bridge:
            ids = ("A7", "A10", "A35", "A36")
            return await checked(tmp_path, *ids, jobs=4, url=bridge.url(scheme), **FIELDS)

    found = anyio.run(go)
    assert {id for id, one in found.items() if one.verdict.why is Why.ELSEWHERE} == {
        "A10",
        "A35",
        "A36",
    }
    begins_otherwise = found["A7"].verdict.why is Why.NOT_OFFERED
    assert begins_otherwise == (scheme == "http")
