"""Plans and runs checks: all known checks, the selection for a run with its prompts, and their
results.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from types import ModuleType

import anyio

from acp_tui.check.bench import Bench, CheckScene, Stage
from acp_tui.check.breaches import with_breaches
from acp_tui.check.checks import (
    cancellation,
    client_use,
    history,
    initialization,
    permissions,
    robustness,
    settings,
    several,
    surroundings,
    tools,
    turns,
    version_2,
    wire,
)
from acp_tui.check.connection import CannotStart
from acp_tui.check.model import Check, CheckResult, Profile, by_tier
from acp_tui.check.probe import format_frames
from acp_tui.check.prompts import ModelAct
from acp_tui.check.scenes import HANDSHAKE
from acp_tui.check.verdicts import CheckOutcome, CheckVerdict, Skip, Why
from acp_tui.formatting import duration

SUBJECTS: tuple[ModuleType, ...] = (
    wire,
    initialization,
    turns,
    cancellation,
    client_use,
    robustness,
    surroundings,
    history,
    settings,
    tools,
    permissions,
    several,
    version_2,
)
"""Modules of checks; each has `CHECKS`."""

CHECKS: tuple[Check, ...] = tuple(check for subject in SUBJECTS for check in subject.CHECKS)


def check_order(check: Check) -> tuple[str, int, str]:
    """Return the sort key of a check's id: A2 comes before A10."""
    letters = check.id.rstrip("0123456789")
    digits = check.id[len(letters) :]
    return letters, int(digits or 0), check.id


_ANSWERS = 3
"""Responses per check, besides those to prompts, that may take the whole timeout; it
determines a run's time limit.
"""
_SHORTEST_RUN = 60.0
"""Least seconds allowed for a run: agents take time to start and to exit."""


@dataclass(frozen=True)
class CheckPlan:
    """The checks to run, and those that would take too many turns."""

    checks: tuple[Check, ...]
    unaffordable: tuple[Check, ...]
    tries: int
    model: bool = True
    """Whether the model may be prompted at all."""

    @property
    def scenes(self) -> tuple[CheckScene, ...]:
        """The scenes that will be played."""
        return tuple(
            dict.fromkeys(
                scene
                for check in self.checks
                for scene in check.scenes
                if self.model or not scene.acts or Profile.REGISTRY not in check.profiles
            )
        )

    @property
    def prompts(self) -> list[tuple[str, ModelAct]]:
        """The prompts of the run, as the name of a scene or check and its act, without retries."""
        scenes = [(scene.name, act) for scene in self.scenes for act in scene.acts]
        prompting = [
            one for one in self.checks if self.model or Profile.REGISTRY not in one.profiles
        ]
        return scenes + [(check.id, act) for check in prompting for act in check.acts]

    @property
    def turns(self) -> int:
        """The maximum number of turns of the run."""
        return sum(most_turns((act,), self.tries) for _, act in self.prompts)


def longest_run(plan: CheckPlan, patience: float, jobs: int) -> float:
    """Return how many seconds a run may take: every turn, and a few responses of each check, with
    the full timeout.
    """
    waits = plan.turns + _ANSWERS * len(plan.checks)
    return max(_SHORTEST_RUN, waits * patience / min(jobs, max(1, len(plan.checks))))


def chosen_checks(
    profile: Profile, only: Sequence[str] = (), version: int = 1
) -> tuple[Check, ...]:
    """Return the checks of a profile, or those with the ids in `only`, with the sentences of a
    protocol version.

    Raises ValueError, which names the unknown ids.
    """
    known = {check.id.lower(): check.of(version) for check in _known(version)}
    unknown = [name for name in only if name.lower() not in known]
    if unknown:
        raise ValueError(
            f"no such check: {', '.join(unknown)}; there are: {', '.join(check_ids(version))}"
        )
    if only:
        return tuple(known[name.lower()] for name in dict.fromkeys(only))
    return tuple(check for check in known.values() if profile in check.profiles)


def check_ids(version: int = 1) -> list[str]:
    """Return the ids of all checks for a protocol version; version 2 includes those of version 1."""
    return [check.id for check in _known(version)]


def _known(version: int) -> list[Check]:
    """Return the checks in order; those of version 2 only if it is spoken."""
    return sorted((one for one in CHECKS if version == 2 or 1 in one.versions), key=check_order)


def plan_checks(
    checks: Iterable[Check], tries: int, most: int | None = None, *, model: bool = True
) -> CheckPlan:
    """Plan checks in order while they fit into `most` turns; the others are left out."""
    planned: list[Check] = []
    unaffordable: list[Check] = []
    for check in checks:
        fits = most is None or CheckPlan((*planned, check), (), tries, model).turns <= most
        (planned if fits else unaffordable).append(check)
    return CheckPlan(tuple(planned), tuple(unaffordable), tries, model)


def most_turns(acts: Iterable[ModelAct], tries: int) -> int:
    """Return the maximum number of turns for `acts`: one for `SAY`, which needs no retry, `tries`
    for others.
    """
    return sum(1 if act is ModelAct.SAY else tries for act in acts)


LONGEST_CHECK_SECONDS = 600.0
"""Most seconds that a check may take."""
STOPPING = 15.0
"""Seconds before a run's time limit at which its agents are stopped: they may be slow to exit."""
SILENT = 10.0
"""Timeout in seconds, for all further responses of an agent that sent nothing after its first
start.
"""

ReportChecks = Callable[[int, int, Sequence[str]], None]
"""Called with the number of results, the total number of checks, and the ids of the running checks."""


Again = Callable[[Check], str]
"""Returns the command line that repeats a check."""


async def run_plan(
    plan: CheckPlan,
    stage: Stage,
    *,
    jobs: int = 1,
    longest: float = inf,
    again: Again,
    report: ReportChecks,
) -> list[CheckResult]:
    """Run the checks; return their results in the order of the plan. Raises CannotStart or OSError.

    Checks that aren't done after `longest` seconds are skipped.
    """
    stage.model = plan.model
    done: dict[str, CheckResult] = {}
    with anyio.move_on_after(longest - STOPPING):
        await _run_all(plan, stage, done, jobs, again, report)
    for check in plan.checks:
        if check.id not in done:
            words = f"the run may take {duration(longest)}, and that was over"
            done[check.id] = _skipped(check, again, Why.TIME, words)
    for check in plan.unaffordable:
        done[check.id] = _skipped(check, again, Why.BUDGET, "--max-turns is reached")
    results = [done[check.id] for check in (*plan.checks, *plan.unaffordable)]
    return with_breaches(stage.probes, results)


async def _run_all(
    plan: CheckPlan,
    stage: Stage,
    done: dict[str, CheckResult],
    jobs: int,
    again: Again,
    report: ReportChecks,
) -> None:
    """Run the checks concurrently, after one first contact for all.

    An agent that can't be started has no results. Raises CannotStart or OSError.
    """
    take = await Bench(stage, "first-contact").play_scene(HANDSHAKE)
    launch = stage.launch
    if (launch.place or launch.remote) and take.probe.exit_reason and not take.probe.agent_messages:
        where = f"in {launch.place}: " if launch.place else ""
        raise CannotStart(f"{where}{take.probe.exit_reason}")
    if not take.probe.agent_messages:
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
            report(len(done), total, tuple(running))
            here = check if launch.remote is None else check.on_network()
            done[check.id] = await _result(here, stage, again)
            del running[check.id]
            report(len(done), total, tuple(running))

    report(0, total, ())
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
    shown = bench.cited
    if shown is not None:
        verdict = replace(verdict, recording=shown.recording)
    evidence = () if shown is None else format_frames(shown, verdict.frames)
    return CheckResult(check, verdict, time.monotonic() - began, again(check), evidence)
