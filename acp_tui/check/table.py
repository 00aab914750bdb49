"""The table of all checks."""

from types import ModuleType

from acp_tui.check.checks import (
    cancellation,
    client_use,
    content,
    history,
    initialization,
    lists,
    permissions,
    refusals,
    robustness,
    sessions,
    settings,
    several,
    sign_in,
    surroundings,
    tools,
    turns,
    version_2,
    version_2_refusals,
    wire,
)
from acp_tui.check.model import Check

SUBJECTS: tuple[ModuleType, ...] = (
    wire,
    initialization,
    sessions,
    turns,
    cancellation,
    client_use,
    robustness,
    surroundings,
    history,
    lists,
    settings,
    tools,
    refusals,
    permissions,
    content,
    several,
    sign_in,
    version_2,
    version_2_refusals,
)
"""Modules of checks, each with its `CHECKS`."""

CHECKS: tuple[Check, ...] = tuple(check for subject in SUBJECTS for check in subject.CHECKS)


def rank(check: Check) -> tuple[str, int, str]:
    """Sort checks by their ids: A2 before A10."""
    letters = check.id.rstrip("0123456789")
    digits = check.id[len(letters) :]
    return letters, int(digits or 0), check.id
