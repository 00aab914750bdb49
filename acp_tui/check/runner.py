"""Makes the checks of a plan, some of them side by side."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf

import anyio

from acp_tui.check.bench import Bench, Stage
from acp_tui.check.breaches import with_breaches
from acp_tui.check.connection import CannotStart
from acp_tui.check.model import Check, CheckResult, by_tier
from acp_tui.check.plan import CheckPlan
from acp_tui.check.probe import excerpts
from acp_tui.check.scenes import HANDSHAKE
from acp_tui.check.verdicts import CheckOutcome, CheckVerdict, Skip, Why
from acp_tui.formatting import duration

LONGEST_CHECK_SECONDS = 600.0
"""Seconds that a check may take."""
STOPPING = 15.0
"""Seconds before the end of a run at which its agents are ended: they may be slow to leave."""
SILENT = 10.0
"""Seconds that an agent gets for an answer that gave none at its first start."""

Tell = Callable[[int, int, Sequence[str]], None]
"""Called with how many results there are, how many there will be, and the ids of the checks that run."""


Again = Callable[[Check], str]
"""Makes the command line that shows a check again."""


async def make(
    plan: CheckPlan, stage: Stage, *, jobs: int = 1, longest: float = inf, again: Again, tell: Tell
) -> list[CheckResult]:
    """Make the checks; return their results in the order of the plan. Raises CannotStart, OSError.

    After the `longest` time, in seconds, what isn't done is skipped.
    """
    stage.model = plan.model
    done: dict[str, CheckResult] = {}
    with anyio.move_on_after(longest - STOPPING):
        await _make_all(plan, stage, done, jobs, again, tell)
    for check in plan.checks:
        if check.id not in done:
            words = f"the run may take {duration(longest)}, and that was over"
            done[check.id] = _skipped(check, again, Why.TIME, words)
    for check in plan.unaffordable:
        done[check.id] = _skipped(check, again, Why.BUDGET, "--max-turns is reached")
    results = [done[check.id] for check in (*plan.checks, *plan.unaffordable)]
    return with_breaches(stage.probes, results)


async def _make_all(
    plan: CheckPlan, stage: Stage, done: dict[str, CheckResult], jobs: int, again: Again, tell: Tell
) -> None:
    """Make the checks. The first contact is made for all: an agent that can't be started has no
    results. Raises CannotStart, OSError.
    """
    take = await Bench(stage, "first-contact").play_scene(HANDSHAKE)
    launch = stage.launch
    if (launch.place or launch.remote) and take.probe.gone and not take.probe.heard:
        where = f"in {launch.place}: " if launch.place else ""
        raise CannotStart(f"{where}{take.probe.gone}")
    if not take.probe.heard:
        stage.patience = min(stage.patience, SILENT)
    stage.initialized = bool(take.probe.initialized)
    info = take.probe.initialized.get("agentInfo")
    if isinstance(info, dict):
        stage.agent, stage.agent_version = (str(info.get(name, "")) for name in ("name", "version"))
    total = len(plan.checks) + len(plan.unaffordable)
    limiter = anyio.CapacityLimiter(jobs)
    running: dict[str, None] = {}

    async def one(check: Check) -> None:
        async with limiter:
            running[check.id] = None
            tell(len(done), total, tuple(running))
            done[check.id] = await _result(check, stage, again)
            del running[check.id]
            tell(len(done), total, tuple(running))

    tell(0, total, ())
    async with anyio.create_task_group() as tasks:
        for check in plan.checks:
            tasks.start_soon(one, check, name=check.id)


def _skipped(check: Check, again: Again, why: Why, words: str) -> CheckResult:
    return CheckResult(
        check, CheckVerdict(CheckOutcome.SKIPPED, words, why=why), command=again(check)
    )


async def _result(check: Check, stage: Stage, again: Again) -> CheckResult:
    if stage.version not in check.versions:
        words = f"of version {check.versions[0]}"
        return CheckResult(check, CheckVerdict(CheckOutcome.SKIPPED, words, why=Why.OTHER_VERSION))
    bench = Bench(stage, check.id)
    began = time.monotonic()
    try:
        with anyio.fail_after(LONGEST_CHECK_SECONDS):
            verdict = by_tier(check, await check.run(bench))
    except Skip as skip:
        verdict = CheckVerdict(CheckOutcome.SKIPPED, skip.words, why=skip.why)
    except CannotStart as error:
        verdict = CheckVerdict(CheckOutcome.SKIPPED, str(error), why=Why.BLOCKED)
    except TimeoutError:
        words = f"the check was not done within {LONGEST_CHECK_SECONDS:g} s"
        verdict = CheckVerdict(CheckOutcome.SKIPPED, words, why=Why.BLOCKED)
    except Exception as error:
        words = f"the check itself failed: {type(error).__name__}: {error}"
        verdict = CheckVerdict(CheckOutcome.SKIPPED, words, why=Why.OWN_FAULT)
    if verdict.outcome is CheckOutcome.PASS and not verdict.frames:
        words = "no message shows whether the agent does it"
        verdict = CheckVerdict(CheckOutcome.SKIPPED, words, why=Why.BLOCKED)
    shown = bench.shown
    if shown is not None:
        verdict = replace(verdict, recording=shown.recording)
    evidence = () if shown is None else excerpts(shown, verdict.frames)
    return CheckResult(check, verdict, time.monotonic() - began, again(check), evidence)
