"""Makes checks of the conforming agent, or of a mutant of it."""

import sys
from pathlib import Path
from typing import Any

from acp_tui.check.model import CheckResult
from acp_tui.check.prompts import CheckPrompts, ModelAct
from tests.check.running import run_checks

PATIENCE = 5.0
"""Seconds until an answer is missed that never comes: a mutant may owe one."""
FIELDS: dict[str, Any] = {
    "auth": "login",
    "may_sign_out": True,
    "patience": PATIENCE,
    "prompts": CheckPrompts({act: str(act) for act in ModelAct}, tries=1),
}
"""What a stage for it is made with."""


def conforming(folder: Path, broken: str = "", version: int = 1) -> list[str]:
    """Return the command of the agent, or of a mutant; sessions are kept in the folder."""
    program = str(Path(__file__).with_name("__main__.py"))
    words = ["--break", broken] if broken else []
    spoken = ["--protocol", "2"] if version == 2 else []
    return [sys.executable, "-S", "-E", program, str(folder / "store"), *spoken, *words]


def run_conforming(
    folder: Path, *only: str, broken: str = "", jobs: int = 4, version: int = 1
) -> dict[str, CheckResult]:
    """Make some checks; return the results by their ids."""
    argv = conforming(folder, broken, version)
    return run_checks(folder, *only, argv=argv, jobs=jobs, version=version, **FIELDS)
