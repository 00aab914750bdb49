"""The model of a script: steps, answers to the agent's requests, and expectations.

Each part has its line in the file, for failures.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from acp_tui.protocol.elicitation import Value

STEP_TIMEOUT = 120.0
"""Default timeout of a step, in seconds."""


@dataclass(frozen=True)
class Words:
    """Requirements for a text: all of `contains`, a match of each of `matches`, and none of
    `lacks`.
    """

    line: int
    contains: tuple[str, ...] = ()
    matches: tuple["re.Pattern[str]", ...] = ()
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True)
class TextExpected:
    """Expects a text in the agent's messages."""

    words: Words


@dataclass(frozen=True)
class EndExpected:
    """Expects an end of the turn: a `stop` reason, or an `error` that contains these words."""

    line: int
    stop: str | None = None
    error: str | None = None


@dataclass(frozen=True)
class ToolsExpected:
    """Expects a number of tool calls of a kind, a title and a status; None means any."""

    line: int
    kind: str | None = None
    title: str | None = None
    status: str | None = None
    least: int = 1
    most: int | None = None


@dataclass(frozen=True)
class FileExpected:
    """Expects a file after the step; a relative `path` is in the session's folder."""

    line: int
    path: str
    exists: bool = True
    words: Words | None = None
    sha256: str | None = None
    unchanged: bool = False


@dataclass(frozen=True)
class FindingsExpected:
    """Expects findings: none worse than `worst`, all of `rules`, none of `lacks`.

    A `worst` of "none" allows only notes, "warning" warnings, too; None allows all.
    """

    line: int
    worst: str | None = None
    rules: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


Expectation = TextExpected | EndExpected | ToolsExpected | FileExpected | FindingsExpected


@dataclass(frozen=True)
class ScriptAnswer:
    """The answer to questions that match `asked`, in which `*` matches anything.

    A permission is answered with the option that `choose` names, by its kind, its name or its
    number; a rejection may have `words`, which are the next prompt. A form is filled in with
    `fill`, or accepted unchanged, declined or canceled by `action`. The answer is for `times`
    questions, all of which must be asked; None means any number, even none.
    """

    line: int
    asked: str
    is_permission: bool
    choose: str | int = ""
    words: str = ""
    fill: Mapping[str, Value] | None = None
    action: str = ""
    times: int | None = 1


@dataclass(frozen=True)
class CancelAfter:
    """When to cancel the turn: after a text, after a tool call with a title, or after some seconds."""

    line: int
    text: str | None = None
    tool: str | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class ScriptStep:
    """A prompt with its answers and expectations."""

    line: int
    name: str
    prompt: str
    files: tuple[str, ...] = ()
    """Files that the prompt mentions in addition to those in its text."""
    answers: tuple[ScriptAnswer, ...] = ()
    cancel: CancelAfter | None = None
    timeout: float = STEP_TIMEOUT
    expect: tuple[Expectation, ...] = ()


@dataclass(frozen=True)
class PromptScript:
    """A whole script; `expect` is checked after the last step."""

    name: str
    steps: tuple[ScriptStep, ...]
    expect: tuple[Expectation, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether the script answers elicitations: only then is elicitation advertised."""
        return any(not one.is_permission for step in self.steps for one in step.answers)


def is_like(text: str, pattern: str) -> bool:
    """Return whether the whole text matches a pattern, in which `*` matches anything."""
    parts = (re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(".*".join(parts), text, re.DOTALL) is not None
