"""Verdicts of checks: how a check ended, what was seen, and why it was skipped."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from acp_tui.errors import AcpTuiError


class CheckOutcome(StrEnum):
    """How a check ended."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    WARNING = "warning"
    SKIPPED = "skipped"


class Why(StrEnum):
    """The reason why a check was skipped."""

    OTHER_VERSION = "of another version"
    NOT_OFFERED = "not offered"
    """The agent doesn't say that it can do this, or doesn't use it: the rule says nothing of it."""
    SIGN_IN = "wants a sign-in"
    NOT_ALLOWED = "not allowed"
    """It would change something of the person's."""
    NOT_ACTED = "the model did not act"
    NO_PROMPT = "no prompt"
    BUDGET = "no turns left"
    TIME = "no time left"
    BLOCKED = "not reached"
    """Something before it went wrong, which another check judges."""
    ELSEWHERE = "not on this machine"
    """What shows it is where the agent runs."""
    OWN_FAULT = "a fault of acp-tui"

    @property
    def is_untested(self) -> bool:
        """Return whether a requirement was left untested."""
        return self not in (Why.NOT_OFFERED, Why.OTHER_VERSION)


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """The result of a check: its outcome, what was seen, in words, and the numbers of the `frames`
    that show it.
    """

    outcome: CheckOutcome
    words: str = ""
    frames: tuple[int, ...] = ()
    why: Why | None = None
    recording: Path | None = None
    """Where those frames are; the runner fills this in."""


class Skip(AcpTuiError):  # noqa: N818 - a way out, no error
    """A check can't be made; raised from wherever that is known."""

    def __init__(self, why: Why, words: str = "") -> None:
        super().__init__(words or str(why))
        self.why = why
        self.words = words


def passed(words: str = "", *frames: int) -> CheckVerdict:
    """Return a verdict that the agent passes."""
    return CheckVerdict(CheckOutcome.PASS, words, frames)


def failed(words: str, *frames: int) -> CheckVerdict:
    """Return the verdict that the agent doesn't; for a SHOULD, or a heuristic, the runner makes it
    a warning.
    """
    return CheckVerdict(CheckOutcome.FAIL, words, frames)


def warned(words: str, *frames: int) -> CheckVerdict:
    """Return a warning: no MUST is broken, but a person should know."""
    return CheckVerdict(CheckOutcome.WARNING, words, frames)
