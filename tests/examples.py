"""How many examples a test is tried with: a share of them in `make test`, all in `make slow`."""

import os
from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

ALL = "ALL_EXAMPLES" in os.environ
SEARCHES = ALL or "FUZZ_EXAMPLES" in os.environ
"""Whether new examples are wanted, at random."""
SHARE = 10


def some_of(examples: int) -> int:
    """So many examples, or a share of them."""
    return examples if ALL else max(3, examples // SHARE)


def load_profile() -> None:
    """Have properties that name no number of their own tried with a share of Hypothesis's,
    and none fail for the time that it takes: others may need the machine, too.

    `make test` tries the same examples each time, so that its answer is about the change that was made;
    `make slow` and `make fuzz` search for new ones.
    """
    slow = [HealthCheck.too_slow]
    settings.register_profile(
        "some",
        max_examples=some_of(100),
        deadline=None,
        derandomize=not SEARCHES,
        suppress_health_check=slow,
    )
    settings.load_profile("some")
    if not SEARCHES:  # it draws constants of what is loaded, which differs with the order of tests
        setattr(providers, "is_local_module_file", lambda file: False)  # noqa: B010


def parametrize(
    often: int, names: str | tuple[str, ...], cases: Iterable[Any], **options: Any
) -> pytest.MarkDecorator:
    """Parametrize a test as pytest does, but leave all cases after the first `often` to `make slow`:
    they go the same way through the program as those before them.
    """
    several = not isinstance(names, str) or "," in names
    marked: list[Any] = []
    for number, case in enumerate(cases):
        if number < often:
            marked.append(case)
        elif isinstance(case, ParameterSet):
            marks = (*case.marks, pytest.mark.slow)
            marked.append(pytest.param(*case.values, marks=marks, id=case.id))
        else:
            values = case if several else (case,)
            marked.append(pytest.param(*values, marks=pytest.mark.slow))
    return pytest.mark.parametrize(names, marked, **options)
