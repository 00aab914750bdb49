"""The overall result of a run of checks."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from acp_tui.check.model import CheckResult, Profile, Tier
from acp_tui.check.verdicts import CheckOutcome
from acp_tui.formatting import counted


@dataclass(frozen=True)
class Summary:
    """The results of a run, and what comes of them all. What was not tested never counts as right."""

    agent: str
    profile: Profile
    results: Sequence[CheckResult]
    agent_version: str = ""
    turns: int = 0
    whole: bool = True
    """Whether all checks of the profile were asked for."""
    version: int = 1
    """The version of the protocol that was spoken."""
    may_leave_out: bool = False
    """Whether the person accepts that required checks were not tested."""

    @property
    def counts(self) -> Counter[CheckOutcome]:
        """Count the results by verdict."""
        return Counter(one.verdict.outcome for one in self.results)

    @property
    def untested(self) -> list[CheckResult]:
        """The checks of which it isn't known whether the agent does as it must."""
        return [one for one in self.results if one.verdict.why and one.verdict.why.is_untested]

    @property
    def broken(self) -> list[CheckResult]:
        """Return the failed checks, and with `strict` also the warnings."""
        bad = {CheckOutcome.FAIL}
        if self.profile is Profile.STRICT:
            bad.add(CheckOutcome.WARNING)
        return [one for one in self.results if one.verdict.outcome in bad]

    @property
    def undecided(self) -> list[CheckResult]:
        """The MUSTs of which it isn't known whether the agent keeps them."""
        return [one for one in self.untested if one.check.tier in (Tier.MUST, Tier.CAPABILITY)]

    @property
    def is_conformant(self) -> bool:
        """Return whether nothing is broken, and no MUST was left untested."""
        return bool(self.counts[CheckOutcome.PASS]) and not self.broken and not self.undecided

    @property
    def is_accepted(self) -> bool:
        """Return whether nothing is broken, and everything requested was tested."""
        passed = bool(self.counts[CheckOutcome.PASS]) and not self.broken
        return passed and (self.may_leave_out or not self.undecided)

    @property
    def words(self) -> str:
        """Format the summary in one line, which begins with whether the agent is conformant."""
        counts = self.counts
        told = [f"{counts[one]} {name}" for one, name in _NAMES.items() if counts[one]]
        untested = len(self.untested)
        if untested:
            told.append(f"{untested} of those not tested")
        if self.turns:
            told.append(f"{counted(self.turns, 'turn')} of the model")
        if self.version != 1:
            told.append(f"in version {self.version} of the protocol")
        return f"{self._head}: {', '.join(told)}"

    @property
    def _head(self) -> str:
        """Format the verdict: conformant or not; of a subset of the checks, only whether they found
        anything.
        """
        counts = self.counts
        if self.broken:
            return f"not conformant ({self.profile})"
        if not self.whole:
            nothing = not counts[CheckOutcome.PASS] and not counts[CheckOutcome.WARNING]
            return "nothing was tested" if nothing else "nothing wrong in these checks"
        if self.is_conformant:
            return f"conformant ({self.profile})"
        if self.is_accepted:
            return f"conformant in what was tested ({self.profile})"
        return f"not shown to be conformant ({self.profile}), as not all was tested"


_NAMES = {
    CheckOutcome.PASS: "passed",
    CheckOutcome.FAIL: "failed",
    CheckOutcome.WARNING: "with a warning",
    CheckOutcome.SKIPPED: "skipped",
}
