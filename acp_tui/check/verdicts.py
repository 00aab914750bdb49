"""Verdicts of checks: the outcome, the evidence, and why a check was skipped."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from acp_tui.errors import AcpTuiError


class CheckOutcome(StrEnum):
    """How a check ended."""

    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    WARNING = "warning"
    SKIPPED = "skipped"


class Why(StrEnum):
    """The reason why a check was skipped."""

    OTHER_VERSION = "of another version"
    NOT_OFFERED = "not offered"
    """The agent doesn't offer this, or doesn't use it, so the rule doesn't apply."""
    SIGN_IN = "wants a sign-in"
    NOT_ALLOWED = "not allowed"
    """It would change something of the user's, such as a sign-in."""
    NOT_ACTED = "the model did not act"
    NO_PROMPT = "no prompt"
    BUDGET = "no turns left"
    TIME = "no time left"
    BLOCKED = "not reached"
    """An earlier step failed, which another check judges."""
    ELSEWHERE = "not on this machine"
    """The evidence is on the machine where the agent runs."""
    OWN_FAULT = "a fault of acp-tui"

    @property
    def is_untested(self) -> bool:
        """Whether a rule that may apply to the agent was left untested."""
        return self not in (Why.NOT_OFFERED, Why.OTHER_VERSION)


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """A check's outcome, what was observed in `words`, and the numbers of the `frames` that prove
    it.
    """

    outcome: CheckOutcome
    words: str = ""
    frames: tuple[int, ...] = ()
    why: Why | None = None
    recording: Path | None = None
    """The recording that has these frames; set by the runner."""


class Skip(AcpTuiError):  # noqa: N818 - a way out, not an error
    """Skips a check; raised wherever the reason is found."""

    def __init__(self, why: Why, words: str = "") -> None:
        super().__init__(words or str(why))
        self.why = why
        self.words = words


def passed(words: str = "", *frames: int) -> CheckVerdict:
    """Return a pass."""
    return CheckVerdict(CheckOutcome.PASS, words, frames)


def failed(words: str, *frames: int) -> CheckVerdict:
    """Return a failure; `by_tier` turns it into a warning if the rule is a SHOULD or a heuristic."""
    return CheckVerdict(CheckOutcome.FAIL, words, frames)


def warned(words: str, *frames: int) -> CheckVerdict:
    """Return a warning: no MUST is broken, but the user should know."""
    return CheckVerdict(CheckOutcome.WARNING, words, frames)
