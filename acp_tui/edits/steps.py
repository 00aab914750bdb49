"""Generators for long work that is done in steps, so that the UI stays responsive."""

from collections.abc import Generator
from typing import TypeAlias, TypeVar

Result = TypeVar("Result")
Steps: TypeAlias = Generator[None, None, Result]
"""Work that pauses at each `yield`, and returns its result."""


def finish_steps(steps: Steps[Result]) -> Result:
    """Run all steps without pausing, and return the result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
