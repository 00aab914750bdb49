"""Makes the checks of a plan, some of them side by side."""

import time
from collections.abc import Callable
from dataclasses import replace

import anyio

from acp_tui.check.bench import Bench, Stage
from acp_tui.check.breaches import with_breaches
from acp_tui.check.connection import CannotStart
from acp_tui.check.evidence import excerpts
from acp_tui.check.model import Check, Outcome, Result, Skip, Verdict, Why, by_tier
from acp_tui.check.plan import Plan
from acp_tui.check.scenes import HANDSHAKE

LONGEST = 600.0
"""Seconds that a check may take."""
SILENT = 10.0
"""Seconds that an agent gets for an answer that gave none at its first start."""

Tell = Callable[[Result | None, int, int], None]
"""Told of each result (None: the run begins), how many there are by now, and how many there will be."""


Again = Callable[[Check], str]
"""Makes the command line that shows a check again."""


async def make(
    plan: Plan, stage: Stage, *, jobs: int = 1, again: Again, tell: Tell
) -> list[Result]:
    """Make the checks; return their results in the order of the plan. Raises CannotStart, OSError.

    The first contact is made for all: an agent that can't be started has no results.
    """
    stage.model = plan.model
    take = await Bench(stage, "first-contact").take(HANDSHAKE)
    launch = stage.launch
    if (launch.place or launch.remote) and take.probe.gone and not take.probe.heard:
        where = f"in {launch.place}: " if launch.place else ""
        raise CannotStart(f"{where}{take.probe.gone}")
    if not take.probe.heard:
        stage.patience = min(stage.patience, SILENT)
    info = take.probe.initialized.get("agentInfo")
    if isinstance(info, dict):
        stage.agent, stage.agent_version = (str(info.get(name, "")) for name in ("name", "version"))
    total = len(plan.checks) + len(plan.unaffordable)
    done: dict[str, Result] = {}
    limiter = anyio.CapacityLimiter(jobs)

    async def one(check: Check) -> None:
        async with limiter:
            done[check.id] = await _result(check, stage, again)
            tell(done[check.id], len(done), total)

    tell(None, 0, total)
    async with anyio.create_task_group() as tasks:
        for check in plan.checks:
            tasks.start_soon(one, check, name=check.id)
    for check in plan.unaffordable:
        verdict = Verdict(Outcome.SKIPPED, "--max-turns is reached", why=Why.BUDGET)
        done[check.id] = Result(check, verdict, command=again(check))
    results = [done[check.id] for check in (*plan.checks, *plan.unaffordable)]
    return with_breaches(stage.probes, results)


async def _result(check: Check, stage: Stage, again: Again) -> Result:
    if stage.version not in check.versions:
        words = f"of version {check.versions[0]}"
        return Result(check, Verdict(Outcome.SKIPPED, words, why=Why.OTHER_VERSION))
    bench = Bench(stage, check.id)
    began = time.monotonic()
    try:
        with anyio.fail_after(LONGEST):
            verdict = by_tier(check, await check.run(bench))
    except Skip as skip:
        verdict = Verdict(Outcome.SKIPPED, skip.words, why=skip.why)
    except CannotStart as error:
        verdict = Verdict(Outcome.SKIPPED, str(error), why=Why.BLOCKED)
    except TimeoutError:
        words = f"the check was not done within {LONGEST:g} s"
        verdict = Verdict(Outcome.SKIPPED, words, why=Why.BLOCKED)
    except Exception as error:
        words = f"the check itself failed: {type(error).__name__}: {error}"
        verdict = Verdict(Outcome.SKIPPED, words, why=Why.OWN_FAULT)
    if verdict.outcome is Outcome.PASS and not verdict.frames:
        words = "no message shows whether the agent does it"
        verdict = Verdict(Outcome.SKIPPED, words, why=Why.BLOCKED)
    shown = bench.shown
    if shown is not None:
        verdict = replace(verdict, recording=shown.recording)
    evidence = () if shown is None else excerpts(shown, verdict.frames)
    return Result(check, verdict, time.monotonic() - began, again(check), evidence)
