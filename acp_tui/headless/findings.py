"""What the agent, or we, did against the rules of the protocol, reported once the turn is over."""

from typing import Any, NamedTuple

from acp_tui.headless.outcome import Ended, ExitCode

WARNING = "warning"


class RunFindings(NamedTuple):
    """What was found: as lines for people, and as an object each for programs."""

    lines: list[str]
    objects: list[dict[str, Any]]
    errors: int
    warnings: int

    def judge(self, ended: Ended, least: str) -> Ended:
        """Judge how a run ends: a good end fails if there is a finding at least this bad."""
        found = self.errors or (least == WARNING and self.warnings)
        well = ended.code is ExitCode.END_TURN
        return Ended(ExitCode.FINDINGS, self.words) if well and found else ended

    @property
    def words(self) -> str:
        """Format how many there are; a warning may be a guess, so nothing is said to be broken."""
        counts = (("error", self.errors), ("warning", self.warnings))
        told = [f"{count} {name}{'s' * (count != 1)}" for name, count in counts if count]
        return f"findings: {' and '.join(told)}"
