"""The content of a script: its steps, the answers to the agent's requests, and expectations.

Each part knows its line, which failures name.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from acp_tui.protocol.elicitation import Value

STEP_TIMEOUT = 120.0
"""Seconds that a step may take where the script says nothing else."""


@dataclass(frozen=True)
class Words:
    """Requirements of a text: all of `contains`, a match of each of `matches`, and none of `lacks`."""

    line: int
    contains: tuple[str, ...] = ()
    matches: tuple["re.Pattern[str]", ...] = ()
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True)
class TextExpected:
    """An expectation about the agent's messages."""

    words: Words


@dataclass(frozen=True)
class EndExpected:
    """An expectation about the end of the turn: a `stop` reason, or an `error` with these words."""

    line: int
    stop: str | None = None
    error: str | None = None


@dataclass(frozen=True)
class ToolsExpected:
    """An expectation about the number of tool calls of a kind, a title and a status; None means any."""

    line: int
    kind: str | None = None
    title: str | None = None
    status: str | None = None
    least: int = 1
    most: int | None = None


@dataclass(frozen=True)
class FileExpected:
    """An expectation about a file afterward; a relative `path` is in the session's folder."""

    line: int
    path: str
    exists: bool = True
    words: Words | None = None
    sha256: str | None = None
    unchanged: bool = False


@dataclass(frozen=True)
class FindingsExpected:
    """Rules of the protocol that may be broken: nothing worse than `worst`, all of `rules`, none of
    `lacks`.

    A `worst` of "none" allows notes alone, "warning" warnings, too; None leaves it open.
    """

    line: int
    worst: str | None = None
    rules: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


Expectation = TextExpected | EndExpected | ToolsExpected | FileExpected | FindingsExpected


@dataclass(frozen=True)
class ScriptAnswer:
    """The answer to a question whose text matches `asked`, in which `*` matches anything.

    A permission is answered with the option that `choose` names, by its kind, its name or its number;
    a rejection may have `words`, which are the next prompt. A form is filled in with `fill`, or accepted
    as it is, declined or canceled by `action`. The answer is for `times` questions, all of which have to
    be asked; None means any number, or none.
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
    """When to cancel the turn: after a text, a tool call with a title, or some seconds."""

    line: int
    text: str | None = None
    tool: str | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class ScriptStep:
    """One prompt, and all that belongs to its turn."""

    line: int
    name: str
    prompt: str
    files: tuple[str, ...] = ()
    """Files that the prompt mentions, in addition to those in its text."""
    answers: tuple[ScriptAnswer, ...] = ()
    cancel: CancelAfter | None = None
    timeout: float = STEP_TIMEOUT
    expect: tuple[Expectation, ...] = ()


@dataclass(frozen=True)
class PromptScript:
    """A script; `expect` is checked after its last step."""

    name: str
    steps: tuple[ScriptStep, ...]
    expect: tuple[Expectation, ...] = ()

    @property
    def asks(self) -> bool:
        """Return whether a form or a link is answered: only then is elicitation offered to the agent."""
        return any(not one.is_permission for step in self.steps for one in step.answers)


def is_like(text: str, pattern: str) -> bool:
    """Return whether a whole text matches a pattern; `*` matches anything."""
    parts = (re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(".*".join(parts), text, re.DOTALL) is not None
