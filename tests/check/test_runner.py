"""What is no fault of an agent is not told as one, and ends no other check."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from acp_tui.check import runner
from acp_tui.check.bench import Bench
from acp_tui.check.connection import CannotStart
from acp_tui.check.model import Check, Profile, Tier
from acp_tui.check.runner import CheckPlan, chosen_checks, plan_checks, run_plan
from acp_tui.check.verdicts import CheckOutcome, CheckVerdict, Why, passed
from tests.check.running import DEMO, stage_in

pytestmark = pytest.mark.anyio


async def fails(_: Bench) -> CheckVerdict:
    raise TypeError("unhashable")


async def goes_well(_: Bench) -> CheckVerdict:
    return passed("", 1)


async def sees_nothing(_: Bench) -> CheckVerdict:
    return passed("all is well")


async def test_a_check_that_fails_itself_blames_nobody_and_ends_no_other(tmp_path: Path) -> None:
    checks = tuple(
        Check(name, "t", Tier.MUST, (), "", run) for name, run in (("X1", fails), ("X2", goes_well))
    )
    first, second = await run_plan(
        CheckPlan(checks, (), 1),
        stage_in(tmp_path, DEMO),
        again=lambda check: check.id,
        report=lambda *_: None,
    )
    assert (first.verdict.outcome, first.verdict.why) == (CheckOutcome.SKIPPED, Why.OWN_FAULT)
    assert "TypeError: unhashable" in first.verdict.words
    assert first.verdict.why is not None
    assert first.verdict.why.is_untested
    assert second.verdict.outcome is CheckOutcome.PASS


async def test_no_check_passes_without_a_frame_that_shows_it(tmp_path: Path) -> None:
    check = Check("X1", "t", Tier.MUST, (), "", sees_nothing)
    stage = stage_in(tmp_path, DEMO)
    (result,) = await run_plan(
        CheckPlan((check,), (), 1), stage, again=lambda check: check.id, report=lambda *_: None
    )
    assert (result.verdict.outcome, result.verdict.why) == (CheckOutcome.SKIPPED, Why.BLOCKED)


async def test_a_run_ends_in_the_time_that_it_has(tmp_path: Path) -> None:
    stage = stage_in(tmp_path, ("sleep", "60"))
    made = plan_checks(chosen_checks(Profile.REGISTRY, ["A3", "A9"]), 1)
    with anyio.fail_after(20):
        results = await run_plan(
            made,
            stage,
            longest=runner.STOPPING + 0.5,
            again=lambda check: check.id,
            report=lambda *_: None,
        )
    assert {one.verdict.why for one in results} == {Why.TIME}
    assert results[0].verdict.words == "the run may take 15s, and that was over"


async def test_the_progress_names_the_checks_that_still_run(tmp_path: Path) -> None:
    told: list[tuple[int, int, tuple[str, ...]]] = []
    other_ended = anyio.Event()

    async def waits(_: Bench) -> CheckVerdict:
        await other_ended.wait()
        return passed("", 1)

    def report(done: int, total: int, running: Iterable[str]) -> None:
        told.append((done, total, tuple(running)))
        if done:
            other_ended.set()

    checks = tuple(
        Check(name, "t", Tier.MUST, (), "", run) for name, run in (("X1", waits), ("X2", goes_well))
    )
    await run_plan(
        CheckPlan(checks, (), 1),
        stage_in(tmp_path, DEMO),
        jobs=2,
        again=lambda check: check.id,
        report=report,
    )
    assert told[0] == (0, 2, ())
    assert (1, 2, ("X1",)) in told
    assert told[-1] == (2, 2, ())


async def test_a_place_that_is_not_there_is_no_fault_of_the_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    podman = tmp_path / "bin" / "podman"
    podman.parent.mkdir()
    podman.write_text("#!/bin/sh\necho 'Error: no such image' >&2\nexit 125\n")
    podman.chmod(0o755)
    monkeypatch.setenv("PATH", f"{podman.parent}:/usr/bin:/bin")
    stage = stage_in(tmp_path, ("agent",))
    stage.launch = replace(stage.launch, place="podman:none")
    made = plan_checks(chosen_checks(Profile.REGISTRY, ["A3"]), 1)
    with pytest.raises(CannotStart, match=r"in podman:none: .*code 125.*no such image"):
        await run_plan(made, stage, again=lambda check: check.id, report=lambda *_: None)


async def test_an_agent_that_says_nothing_is_not_waited_for_so_long_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "SILENT", 0.1)
    stage = stage_in(tmp_path, ("sleep", "60"), patience=0.5)
    made = plan_checks(chosen_checks(Profile.REGISTRY, ["A9"]), 1)
    (result,) = await run_plan(made, stage, again=lambda check: check.id, report=lambda *_: None)
    assert result.verdict.words == "no answer to initialize in time"
    assert stage.patience == 0.1
