"""The outcome of a script: the result of each step, and the exit code."""

from dataclasses import dataclass, field

from acp_tui.headless.outcome import ExitCode
from acp_tui.script.verdicts import ScriptFailure

FAILED = 7
"""The exit code for a failed expectation."""


@dataclass
class StepResult:
    """The result of a step; `number` is 0 for the expectations at the end of the script."""

    number: int
    name: str
    line: int
    seconds: float = 0.0
    failures: list[ScriptFailure] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    """Each question with its answer."""
    trouble: str = ""
    """Why the step could not be played to its end, or ""."""
    code: int = 0
    skipped: bool = False

    @property
    def passed(self) -> bool:
        return not (self.code or self.skipped)


@dataclass
class ScriptOutcome:
    """The result of a script: its steps' results, and the exit code."""

    name: str
    results: list[StepResult] = field(default_factory=list)
    agent: str = ""
    trouble: str = ""
    """Why no session could be opened, or ""."""
    code: int = 0

    def end(self, code: int) -> None:
        """Set the exit code, unless a more important one is set."""
        order = (130, ExitCode.TIMEOUT, ExitCode.NOBODY_TO_ASK, ExitCode.ERROR, FAILED, 0)
        self.code = min(self.code, code, key=order.index)
