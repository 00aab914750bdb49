"""The checks of a run, and how many turns of the model they may take."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acp_tui.check.model import Check, Profile
from acp_tui.check.prompts import ModelAct
from acp_tui.check.scenes import CheckScene
from acp_tui.check.table import CHECKS, rank

_ANSWERS = 3
"""Answers of a check that may be waited for until the end, beside those to prompts."""
_SHORTEST_RUN = 60.0
"""Seconds that even a short run gets: agents take some to start and to leave."""


@dataclass(frozen=True)
class CheckPlan:
    """Checks to make, and those that there are too few turns for."""

    checks: tuple[Check, ...]
    unaffordable: tuple[Check, ...]
    tries: int
    model: bool = True
    """Whether the model may be asked at all."""

    @property
    def scenes(self) -> tuple[CheckScene, ...]:
        """The scenes that are played."""
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
        """List the prompts of the run, as the name of a scene or check and its act, without further tries."""
        scenes = [(scene.name, act) for scene in self.scenes for act in scene.acts]
        asked = [one for one in self.checks if self.model or Profile.REGISTRY not in one.profiles]
        return scenes + [(check.id, act) for check in asked for act in check.acts]

    @property
    def turns(self) -> int:
        """Return the maximum number of turns of the whole run."""
        return sum(turns_of((act,), self.tries) for _, act in self.prompts)


def longest_run(plan: CheckPlan, patience: float, jobs: int) -> float:
    """Return how many seconds a run may take: each turn, and a few answers for each check, if none
    comes before the person has waited for it.
    """
    waits = plan.turns + _ANSWERS * len(plan.checks)
    return max(_SHORTEST_RUN, waits * patience / min(jobs, max(1, len(plan.checks))))


def chosen_checks(
    profile: Profile, only: Sequence[str] = (), version: int = 1
) -> tuple[Check, ...]:
    """Return the checks of a profile, or those that are named, by their ids, as a version has them.

    Raises ValueError, which names what is no check.
    """
    known = {check.id.lower(): check.of(version) for check in _known(version)}
    unknown = [name for name in only if name.lower() not in known]
    if unknown:
        raise ValueError(
            f"no such check: {', '.join(unknown)}; there are: {', '.join(ids(version))}"
        )
    if only:
        return tuple(known[name.lower()] for name in dict.fromkeys(only))
    return tuple(check for check in known.values() if profile in check.profiles)


def ids(version: int = 1) -> list[str]:
    """Return the ids of all checks of a version, and of version 1."""
    return [check.id for check in _known(version)]


def _known(version: int) -> list[Check]:
    """Return the checks, in their order; those of version 2 only where that is spoken."""
    return sorted((one for one in CHECKS if version == 2 or 1 in one.versions), key=rank)


def plan(
    checks: Iterable[Check], tries: int, most: int | None = None, *, model: bool = True
) -> CheckPlan:
    """Plan checks, in their order, as long as there are turns: what comes later is left out."""
    taken: list[Check] = []
    left: list[Check] = []
    for check in checks:
        fits = most is None or CheckPlan((*taken, check), (), tries, model).turns <= most
        (taken if fits else left).append(check)
    return CheckPlan(tuple(taken), tuple(left), tries, model)


def turns_of(acts: Iterable[ModelAct], tries: int) -> int:
    """Return the maximum number of turns for `acts`: an agent that only has to reply needs one."""
    return sum(1 if act is ModelAct.SAY else tries for act in acts)
